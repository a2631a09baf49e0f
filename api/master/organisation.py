"""Organisation (组织): companies of the group, their departments and employees."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.fields import enum, flag, key, ref, text, textarea
from api.kit.resource import Declaration, Menu, Resource

COMPANY_TYPES = {1: "集团", 2: "分公司", 3: "服务站"}


class Company(Resource):
    """分公司: `company_code` stands in its bill numbers."""

    __tablename__ = "company"
    declaration = Declaration(
        "公司",
        "v2/system/Company",
        "company_name",
        routes={"list": "/system/company"},
        menu=Menu("系统管理", "组织架构", 10),
        order_by=("company_id", "asc"),
        lookup="open/company/getErpCompanyList",
    )

    company_id: Mapped[int] = key()
    company_name: Mapped[str] = text("公司名称", required=True, unique=True, search=True, width=200)
    company_code: Mapped[str] = text("公司编码", required=True, unique=True, search=True, max_length=8)
    short_name: Mapped[str | None] = text("简称", max_length=30)
    type: Mapped[int] = enum("类型", COMPANY_TYPES, default=2, search=True)
    address: Mapped[str | None] = textarea("地址", max_length=200)
    enabled: Mapped[bool] = flag("启用", default=True)


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
    )

    department_id: Mapped[int] = key()
    department_name: Mapped[str] = text("部门名称", required=True, search=True)
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True)
    enabled: Mapped[bool] = flag("启用", default=True)


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
    )

    employee_id: Mapped[int] = key()
    employee_name: Mapped[str] = text("姓名", required=True, search=True, max_length=50)
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True)
    department_id: Mapped[int | None] = ref("department", "部门", within=("company_id",), search=True)
    mobile: Mapped[str | None] = text("手机号", search=True, max_length=20)
    enabled: Mapped[bool] = flag("启用", default=True)
