"""Organisation (组织): companies of the group, their departments and employees."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    enabled_field,
    enum_field,
    image_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu, Resource
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.scope import Principal
from api.master.organization.geography import address_field, area_field, city_field, province_field
from api.master.partners.partner_autofill import declare_company_autofill

HEAD, BRANCH, STATION = 1, 2, 3
COMPANY_TYPES = {HEAD: "集团", BRANCH: "分公司", STATION: "服务站"}
TYPE_RULES = {
    HEAD: "管理集团商品、供应商和各公司，可查看授权公司的数据",
    BRANCH: "独立核算，有自己的仓库、客户、往来和会计期间",
    STATION: "独立核算，登录后使用服务站界面：购物车、商城和订单提醒",
}


class Company(Resource):
    """分公司: a company of the group; `company_code` is part of its bill numbers."""

    __tablename__ = "company"
    declaration = Declaration(
        "公司",
        "v2/system/Company",
        "company_name",
        routes={"list": "/system/company"},
        menu=Menu("系统管理", "组织架构", 10),
        order_by=("company_id", "asc"),
        lookup="purchase_center/Open/Company/getCompanyList",
        also_called={"getList": "/system/company/getSonCompanyList"},
        fillings=declare_company_autofill(("company_name", "name"), ("address", "address")),
        distinguishing_fields=("company_code", "short_name", "type"),
    )

    company_id: Mapped[int] = key_field()
    company_name: Mapped[str] = text_field("公司名称", required=True, unique=True, search=True, width=200)
    company_code: Mapped[str] = text_field("公司编码", required=True, unique=True, search=True, max_length=8)
    short_name: Mapped[str | None] = text_field("简称", max_length=30)
    type: Mapped[int] = enum_field("类型", COMPANY_TYPES, default=BRANCH, search=True)
    province_id: Mapped[int | None] = province_field()
    city_id: Mapped[int | None] = city_field()
    area_id: Mapped[int | None] = area_field()
    address: Mapped[str | None] = address_field()
    enabled: Mapped[bool] = enabled_field()


class Department(Resource):
    """部门"""

    __tablename__ = "department"
    declaration = Declaration(
        "部门",
        "v2/system/Department",
        "department_name",
        routes={"list": "/system/section"},
        menu=Menu("系统管理", "组织架构", 20),
        lookup="open/Department/getDepartmentList",
        also_called={"getList": "/system/department/getDepartmentList"},
    )

    department_id: Mapped[int] = key_field()
    department_name: Mapped[str] = text_field("部门名称", required=True, search=True)
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, fixed="named")
    enabled: Mapped[bool] = enabled_field()


class Employee(Resource):
    """员工"""

    __tablename__ = "employee"
    declaration = Declaration(
        "员工",
        "v2/system/employee",
        "employee_name",
        routes={"list": "/system/employee"},
        menu=Menu("系统管理", "组织架构", 30),
        lookup="v2/open/employee/getEmployeeList",
        also_called={"getList": "getEmployeeList", "getInfo": "getEmployeeInfo"},
        distinguishing_fields=("department_id",),
    )

    employee_id: Mapped[int] = key_field()
    employee_name: Mapped[str] = text_field("姓名", required=True, search=True, max_length=50)
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, fixed="named")
    department_id: Mapped[int | None] = reference_field(
        "department", "部门", within=("company_id",), search=True
    )
    mobile: Mapped[str | None] = text_field("手机号", rule="mobile", search=True, max_length=20)
    enabled: Mapped[bool] = enabled_field()


class CompanyType(View):
    """公司类型: the purpose of each type of company, and the number of companies within the user's scope."""

    __tablename__ = "company_type"
    declaration = Declaration(
        "公司类型",
        "v2/system/CompanyType",
        "company_type_name",
        routes={"list": "/system/companytype"},
        menu=Menu("系统管理", "组织架构", 15),
        actions=READ_ONLY,
        order_by=("company_type_id", "asc"),
        lookup="open/CompanyType/getCompanyTypeList",
        drill=Drill("公司", "/system/company", (("type", "company_type_id"),)),
    )

    company_type_id: Mapped[int] = key_field()
    company_type_name: Mapped[str] = text_field("类型名称", search=True)
    rule: Mapped[str] = text_field("用途", width=420)
    companies: Mapped[int] = integer_field("公司数量", total=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _TYPES, {
            "types": list(COMPANY_TYPES),
            "names": list(COMPANY_TYPES.values()),
            "rules": [TYPE_RULES[kind] for kind in COMPANY_TYPES],
            "mine": None if principal.companies is None else sorted(principal.companies),
        }


_TYPES = """
select
    k.company_type_id, k.company_type_name, k.rule,
    (
        select count(*)
        from company c
        where c.type = k.company_type_id
            and (cast(:mine as bigint[]) is null or c.company_id = any(cast(:mine as bigint[])))
    ) as companies
from unnest(cast(:types as bigint[]), cast(:names as text[]), cast(:rules as text[]))
    as k (company_type_id, company_type_name, rule)
"""


class GroupInfo(Resource):
    """集团信息: the single record of the group, printed on its letters and bills."""

    __tablename__ = "group_info"
    declaration = Declaration(
        "集团信息",
        "v2/system/GroupInfo",
        "group_name",
        routes={"list": "/system/companyinfo"},
        menu=Menu("系统管理", "组织架构", 5),
        actions=("list", "edit"),
        fillings=declare_company_autofill(
            ("group_name", "name"),
            ("credit_code", "code"),
            ("legal_person", "legal_person"),
            ("phone", "phone"),
            ("address", "address"),
        ),
    )

    group_info_id: Mapped[int] = key_field()
    group_name: Mapped[str] = text_field("集团名称", required=True, width=220)
    short_name: Mapped[str | None] = text_field("简称", max_length=30)
    credit_code: Mapped[str | None] = text_field(
        "统一社会信用代码", rule="creditCode", max_length=18, width=180
    )
    legal_person: Mapped[str | None] = text_field("法定代表人", max_length=50)
    province_id: Mapped[int | None] = province_field()
    city_id: Mapped[int | None] = city_field()
    area_id: Mapped[int | None] = area_field()
    address: Mapped[str | None] = address_field("详细地址")
    phone: Mapped[str | None] = text_field("座机", rule="landline", max_length=20)
    hotline: Mapped[str | None] = text_field("服务热线", rule="hotline", max_length=20)
    service_contact: Mapped[str | None] = text_field("客服联系人", max_length=50)
    service_phone: Mapped[str | None] = text_field("客服电话", rule="phone", max_length=20)
    service_hours: Mapped[str | None] = text_field("客服时间", max_length=50, width=160)
    email: Mapped[str | None] = text_field("邮箱", rule="email", max_length=100, width=180)
    logo: Mapped[str | None] = image_field("标志", scene="logo")
