"""Roles and users of the demo group (演示账号): their passwords are public, so they exist in demo data only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from api.identity import passwords, rights
from api.identity.tables import Role, UserAccount
from api.kit.declaration import menu, registry
from api.kit.scope import ALL_RIGHTS
from api.kit.storage.records import insert_records
from api.master.organization.companies import Company, Employee
from reports.catalogue import REPORTS

CLERK_WRITES = (
    "sales_order",
    "sales_outbound",
    "sales_return",
    "customer_receipt",
    "other_inbound",
    "other_outbound",
)
CLERK_ACTIONS = (
    "list",
    "add",
    "edit",
    "del",
    "auditorPass",
    "auditorNoPass",
    "antiAuditor",
    "invalid",
    "close",
    "open",
    "export",
)
CLERK_READS = (
    "customer",
    "goods",
    "company_goods",
    "warehouse",
    "allocation",
    "goods_batch",
    "purchase_inbound",
    "information",
    "report_home",
)
BRANCH_TASKS = (
    "checkstand:",
    "sales_price:",
    "promotion_policy:",
    "commission_scheme:",
    "customer_audit:",
    "customer_salesman:",
    "purchase_uninvoiced:",
    "sales_uninvoiced:",
    "supplier_rebate_accrual:",
    "customer_rebate_accrual:",
)
"""What a branch does beside its bills."""
ADMIN_ONLY = ("role:", "user_account:", "right_bundle:", "imitate_login:")
EXPLORING = {"explore:explore", "board:publish"}
"""Who may do what is for the group's manager alone."""
HOME = "SH"


@dataclass(frozen=True, slots=True)
class DemoLogin:
    """A demo user: role, scope, and login."""

    role: str
    user_name: str
    password: str
    realname: str
    everywhere: bool
    sees_cost: bool


LOGINS = (
    DemoLogin("集团经理", "group", "Jituan#2468", "沈国栋", everywhere=True, sees_cost=True),
    DemoLogin("分公司经理", "branch", "Fengongsi#2468", "陆建明", everywhere=False, sees_cost=True),
    DemoLogin("开单员", "clerk", "Kaidan#2468", "顾小敏", everywhere=False, sees_cost=False),
    DemoLogin("数据分析员", "analyst", "Fenxi#2468", "方睿", everywhere=True, sees_cost=True),
    DemoLogin("业务主管", "manager", "Zhuguan#2468", "秦晓岚", everywhere=True, sees_cost=False),
)


def make_users(conn: Connection) -> None:
    """Insert the roles and their users; all of them are of the Shanghai company."""
    company = conn.execute(select(Company.company_id).where(Company.company_code == HOME)).scalar_one()
    employee = (
        conn.execute(select(Employee.employee_id).where(Employee.company_id == company)).scalars().first()
    )
    for login in LOGINS:
        scope = {"scope_kind": 1 if login.everywhere else 2, "own_kind": 1, "sees_cost": login.sees_cost}
        [role] = insert_records(conn, Role, [{"role_name": login.role, "remark": "演示角色", **scope}])
        companies = () if login.everywhere else (company,)
        rights.replace_role_grants(conn, role, _role_rights(login.role), companies)
        person = {
            "user_name": login.user_name,
            "realname": login.realname,
            "company_id": company,
            "employee_id": employee if login.role == "开单员" else None,
            "role_id": role,
            "password_hash": passwords.hash_password(login.password),
        }
        conn.execute(insert(UserAccount), [person])


def _role_rights(role: str) -> Iterable[str]:
    reports = {report.right for report in REPORTS}
    every = menu.list_rights().keys() - reports - {ALL_RIGHTS}
    lists = {code for code in every if code.endswith((":list", ":export"))}
    secret = {code for code in every if code.startswith(ADMIN_ONLY)}
    printing = {code for code in every if code.startswith("print_template:")}
    closes = {code for code in every if code.startswith(("month_close:", "year_close:"))}
    if role == "集团经理":
        files = {code for code in every if code.startswith(("backup:", "initialisation_task:"))}
        return lists | closes | files | reports | printing | EXPLORING
    if role == "分公司经理":
        months = {code for code in closes if code.startswith("month_close:")}
        bills = {code for code in every if code.startswith((*_bill_prefixes(), *BRANCH_TASKS))}
        return bills | months | printing | (lists - secret) | reports
    if role == "数据分析员":
        return (lists - secret) | reports | EXPLORING
    if role == "业务主管":
        return (lists - secret) | reports
    written = {f"{name}:{action}" for name in CLERK_WRITES for action in CLERK_ACTIONS}
    return (
        (written & every)
        | {f"{name}:list" for name in CLERK_READS}
        | {"customer:add", "customer:edit", "report_BestSeller:view"}
    )


def _bill_prefixes() -> tuple[str, ...]:
    return tuple(f"{cls.name()}:" for cls in registry.list_resources() if cls.bill)
