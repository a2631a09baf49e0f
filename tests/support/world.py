"""A small group to test in: two companies with all masters, and users of every kind of scope.

Of each company's warehouses the third holds three-guarantee goods, the fourth defective ones.

Goods: `tyre` is batch-managed and has one batch; `tube`, `oil` and `belt` are not, `belt` is in transit, and `numbered` lies in
both companies' first warehouses and is kept by tyre number. Two of each fill a carton. Everything named A belongs to
company A.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, insert, select, text

from api import catalogue
from api.identity import rights, sessions, setup
from api.identity.tables import Role, UserAccount
from api.kit.bills import drafts, transitions
from api.kit.context import Context
from api.kit.declaration import menu, registry
from api.kit.declaration.document import Bill
from api.kit.storage import records
from api.kit.storage.upload_rules import SCENES
from api.master.settings.business_types import CodeListEntry
from api.shell.files.upload_file import UploadFile

assert catalogue.__all__
PASSWORD = "right-horse-1"
SPARES = 60
REBATE_MONTHS = 35 * 12
LISTS = tuple(cls.name() for cls in registry.list_resources() if issubclass(cls, CodeListEntry))
"""The lists by which bills and partners are told apart; the world has a name in each."""


@dataclass
class World:
    """Ids by name (users as user_<name>, roles as role_<name>), an API token of every user, goods and stock areas
    nobody uses, an uploaded file by scene."""

    ids: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    spares: list[int] = field(default_factory=list)
    stock_areas: list[int] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> int:
        try:
            return self.__dict__["ids"][name]
        except KeyError as error:
            raise AttributeError(name) from error


def build_world(conn: Connection) -> World:
    """Fill an empty migrated database."""
    world = World()
    world.ids["user_admin"] = setup.ensure_admin(conn, PASSWORD)
    ctx = Context(conn, sessions.read_principal(conn, world.user_admin))

    def add(name: str, resource: str, **values: Any) -> int:
        world.ids[name] = records.add_record(ctx, registry.get_resource(resource), values)
        return world.ids[name]

    _add_group_masters(conn, add, world)
    for mark in ("a", "b"):
        _add_company_masters(add, world, mark)
    _add_inner_partners(add, world)
    _add_users(conn, add, world)
    world.tokens["admin"] = sessions.open_api_token(conn, world.user_admin, 30)
    _add_uploads(conn, world)
    for mark in ("a", "b"):
        _add_open_transfer(ctx, world, mark)
        _add_shipped_goods(ctx, world, mark)
        _add_received_goods(ctx, world, mark)
        _add_unnumbered_stock(ctx, world, mark)
        _add_open_items(ctx, world, mark)
        _add_rebate_policies(ctx, world, mark)
    records.edit_record(ctx, registry.get_resource("goods"), world.numbered, {"is_numbered": True})
    return world


def insert_recalculation(conn: Connection, company: int, period: str, status: int = 1, done: int = 4) -> None:
    """Insert a company's cost recalculation from a month on, as a run leaves it: `done` of 9 goods."""
    conn.execute(
        text(
            "insert into cost_recalculation (company_id, period, status, goods_done, goods_total, asked_by)"
            " select :company, :period, :status, :done, 9, min(user_id) from user_account"
        ),
        {"company": company, "period": period, "status": status, "done": done},
    )


def _add_uploads(conn: Connection, world: World) -> None:
    """Add a picture of each scene, as if the administrator had sent it."""
    company = sessions.read_principal(conn, world.user_admin).company_id
    for scene in SCENES:
        name = world.files[scene] = f"world-{scene}.png"
        values = {
            "name": name,
            "file_name": name,
            "scene": scene,
            "extension": "png",
            "size": 1,
            "sha256": "",
        }
        conn.execute(insert(UploadFile).values(**values, company_id=company, user_id=world.user_admin))


def _add_open_transfer(ctx: Context, world: World, mark: str) -> None:
    """Add an audited transfer of much of a goods nothing else moves; `sent_<mark>` can be received."""
    header = {
        "company_id": world.ids[f"company_{mark}"],
        "warehouse_id": world.ids[f"warehouse2_{mark}"],
        "business_date": "2026-01-02",
        "reason": "备货",
    }
    line = {"goods_id": world.belt, "quantity": "1000000", "price": "1"}
    target = {"to_warehouse_id": world.ids[f"warehouse_{mark}"]}
    for name, more in (("other_inbound", {}), ("transfer_out", target)):
        cls = registry.get_resource(name)
        assert issubclass(cls, Bill)
        key = drafts.add_draft(ctx, cls, {**header, **more, "lines": [line]})["id"]
        transitions.apply_transition(ctx, cls, "auditorPass", key)
    lines = registry.get_resource("transfer_out").bill.blocks[0].cls.table()  # type: ignore[union-attr]
    query = select(lines.c.line_id).where(lines.c.bill_id == key)
    world.ids[f"sent_{mark}"] = ctx.conn.execute(query).scalar_one()


def _add_shipped_goods(ctx: Context, world: World, mark: str) -> None:
    """Sell much of a goods to customer 3, in `shipped_<mark>`, and consign as much in `consigned_<mark>`."""
    header = {
        "company_id": world.ids[f"company_{mark}"],
        "warehouse_id": world.ids[f"warehouse2_{mark}"],
        "customer_id": world.ids[f"customer3_{mark}"],
        "business_date": "2026-01-02",
        "reason": "备货",
        "lines": [{"goods_id": world.belt, "quantity": "1000000", "price": "1"}],
    }
    for name, given in (("sales_outbound", "shipped"), ("consignment_sale", "consigned")):
        for step in ("other_inbound", name):
            cls = registry.get_resource(step)
            assert issubclass(cls, Bill)
            key = drafts.add_draft(ctx, cls, header)["id"]
            transitions.apply_transition(ctx, cls, "auditorPass", key)
        lines = cls.bill.blocks[0].cls.table()  # type: ignore[union-attr]
        query = select(lines.c.line_id).where(lines.c.bill_id == key)
        world.ids[f"{given}_{mark}"] = ctx.conn.execute(query).scalar_one()


def _add_received_goods(ctx: Context, world: World, mark: str) -> None:
    """Receive much from supplier 3, in `received_<mark>`, half of it requested back in `asked_<mark>`."""
    header = {
        "company_id": world.ids[f"company_{mark}"],
        "warehouse_id": world.ids[f"warehouse_{mark}"],
        "supplier_id": world.ids[f"supplier3_{mark}"],
        "business_date": "2026-01-02",
    }
    line: dict[str, Any] = {"goods_id": world.belt, "price": "1"}
    asked = {"quantity": "500000"}
    for name, bill, more in (("received", "purchase_inbound", {}), ("asked", "return_request", asked)):
        cls = registry.get_resource(bill)
        assert issubclass(cls, Bill)
        key = drafts.add_draft(ctx, cls, {**header, "lines": [{**line, "quantity": "1000000", **more}]})["id"]
        transitions.apply_transition(ctx, cls, "auditorPass", key)
        lines = cls.bill.blocks[0].cls.table()  # type: ignore[union-attr]
        query = select(lines.c.line_id).where(lines.c.bill_id == key)
        world.ids[f"{name}_{mark}"] = ctx.conn.execute(query).scalar_one()
        line["source_line_id"] = world.ids[f"{name}_{mark}"]


def _add_open_items(ctx: Context, world: World, mark: str) -> None:
    """Open large items of each partner, and as much advanced: items `owed_<party>_<mark>`, `advanced_…`.

    Partner 3, who buys and sells, owes and is owed by the items `netted_<party>_<mark>`.
    """
    for party, name in (("customer", "opening_receivable"), ("supplier", "opening_payable")):
        cls = registry.get_resource(name)
        assert issubclass(cls, Bill)
        partner = world.ids["supplier"] if party == "supplier" else world.ids[f"customer_{mark}"]
        rows = [
            {f"{party}_id": partner, "due_date": "2099-12-31", "amount": amount, "source_no": f"备货{amount}"}
            for amount in ("1000000", "-1000000")
        ]
        header = {"company_id": world.ids[f"company_{mark}"], "business_date": "2026-01-02", "lines": rows}
        key = drafts.add_draft(ctx, cls, header)["id"]
        transitions.apply_transition(ctx, cls, "auditorPass", key)
        query = "select settlement_id from settlement_item where bill_type = %s and bill_id = %s order by amount desc"
        found = ctx.conn.exec_driver_sql(query, (cls.bill.prefix, key)).scalars().all()  # type: ignore[union-attr]
        world.ids[f"owed_{party}_{mark}"], world.ids[f"advanced_{party}_{mark}"] = found
        query = "select min(settlement_id) from settlement_item where company_id = %s and party_type = %s and party_id = %s"
        both = (world.ids[f"company_{mark}"], party, world.ids[f"{party}3_{mark}"])
        world.ids[f"netted_{party}_{mark}"] = ctx.conn.exec_driver_sql(query, both).scalar_one()


def _add_rebate_policies(ctx: Context, world: World, mark: str) -> None:
    """Add `<party>_rebate_policy_<mark>`: of `REBATE_MONTHS` that are over and earned nothing."""
    for party in ("customer", "supplier"):
        cls = registry.get_resource(f"{party}_rebate_policy")
        assert issubclass(cls, Bill)
        header = {
            "company_id": world.ids[f"company_{mark}"],
            f"{party}_id": world.ids["supplier"] if party == "supplier" else world.ids[f"customer_{mark}"],
            "business_date": "2026-01-02",
            "policy_name": "多年返利",
            "rebate_type_id": world.rebate_type,
            "rebate_cycle_id": world.rebate_cycle,
            "starts_on": "1990-01-01",
            "ends_on": "2024-12-31",
            "tiers": [{"starts_from": "1", "rate": "1"}],
        }
        key = world.ids[f"{cls.name()}_{mark}"] = drafts.add_draft(ctx, cls, header)["id"]
        transitions.apply_transition(ctx, cls, "auditorPass", key)


def _add_unnumbered_stock(ctx: Context, world: World, mark: str) -> None:
    """Add much of the numbered goods, from before it was kept by number, to be registered."""
    header = {
        "company_id": world.ids[f"company_{mark}"],
        "warehouse_id": world.ids[f"warehouse_{mark}"],
        "business_date": "2026-01-02",
        "reason": "备货",
        "lines": [{"goods_id": world.numbered, "quantity": "1000000", "price": "1"}],
    }
    cls = registry.get_resource("other_inbound")
    assert issubclass(cls, Bill)
    transitions.apply_transition(ctx, cls, "auditorPass", drafts.add_draft(ctx, cls, header)["id"])


def _add_group_masters(conn: Connection, add: Any, world: World) -> None:
    add("type1", "goods_type", goods_type_name="轮胎", level=1)
    add("type2", "goods_type", goods_type_name="全钢胎", level=2, p_id=world.type1)
    add("brand", "brand", brand_name="米其林", goods_type_id=world.type1)
    for name, label in (("unit", "条"), ("carton", "箱"), ("pallet", "托")):
        add(name, "unit", unit_name=label)
    for name, label, batch in (
        ("tyre", "米其林 295/80R22.5", True),
        ("tube", "内胎 11.00R20", False),
        ("oil", "机油 CI-4", False),
        ("belt", "皮带 6PK", False),
        ("numbered", "带号轮胎 11R22.5", False),
    ):
        add(
            name,
            "goods",
            goods_num=name.upper(),
            goods_name=label,
            goods_type_id=world.type2,
            brand_id=world.brand,
            unit_id=world.unit,
            is_batch=batch,
            units=[{"unit_id": world.carton, "factor": "2"}],
        )
    spare = {"goods_type_id": world.type2, "unit_id": world.unit, "logogram": "BJ"}
    rows = [{**spare, "goods_num": f"SPARE{n}", "goods_name": f"备件{n}"} for n in range(SPARES)]
    table = registry.get_resource("goods").table()
    keys = conn.execute(insert(table).returning(table.c.goods_id), rows).scalars()
    world.spares.extend(keys)
    add("supplier", "supplier", supplier_name="正新橡胶", payment_days=30)
    add("supplier2", "supplier", supplier_name="双钱集团", payment_days=0)
    world.ids["supplier3_a"] = world.ids["supplier3_b"] = add(
        "supplier3", "supplier", supplier_name="备货商", payment_days=0
    )
    add("bank", "bank", bank_name="工商银行")
    for name in LISTS:
        add(name, name, **{f"{name}_name": "通用"})
    _read_places(conn, world)
    add(
        "super_station",
        "super_station",
        super_station_name="超级服务站",
        start_date="2020-01-01",
        end_date="2020-12-31",
        rule_desc="按进货金额奖励",
    )
    add(
        "questionnaire",
        "questionnaire",
        questionnaire_title="年度问卷",
        show_msg="请填写",
        expire_time="2020-12-31",
    )
    add("stock_area", "stock_area", stock_area_name="华东")
    areas = registry.get_resource("stock_area").table()
    names = [{"stock_area_name": f"备区{n}"} for n in range(SPARES)]
    world.stock_areas.extend(conn.execute(insert(areas).returning(areas.c.stock_area_id), names).scalars())
    add("logistics", "logistics", logistics_name="顺达物流")
    add(
        "logistics_driver",
        "logistics_driver",
        driver_name="马师傅",
        mobile="13711112222",
        logistics_id=world.logistics,
        plate_no="浙A12345",
    )
    add("supplier_resource", "supplier_resource", supplier_resource_name="远东橡胶")
    add("mode", "receivables_mode", receivables_mode_name="现金")
    world.ids["mode2_a"] = world.ids["mode2_b"] = add(
        "mode2", "receivables_mode", receivables_mode_name="工行基本户", account_kind=2
    )


def _read_places(conn: Connection, world: World) -> None:
    """Read 杭州市西湖区, as the migration has loaded it."""
    query = """
        select p.country_id, p.province_id, c.city_id, a.area_id
        from province p join city c using (province_id) join area a using (city_id)
        where c.city_name = '杭州市' and a.area_name = '西湖区'
    """
    row = conn.exec_driver_sql(query).one()
    world.ids |= {name: getattr(row, f"{name}_id") for name in ("country", "province", "city", "area")}


def _add_company_masters(add: Any, world: World, mark: str) -> None:
    name = mark.upper()
    company = add(f"company_{mark}", "company", company_name=f"{name}分公司", company_code=f"{name}01")
    department = add(f"department_{mark}", "department", department_name=f"{name}销售部", company_id=company)
    add(f"department2_{mark}", "department", department_name=f"{name}仓储部", company_id=company)
    add(
        f"employee_{mark}",
        "employee",
        employee_name=f"{name}员工",
        company_id=company,
        department_id=department,
    )
    for number, kind in (("", 1), ("2", 1), ("3", 3), ("4", 2)):
        warehouse = add(
            f"warehouse{number}_{mark}",
            "warehouse",
            warehouse_name=f"{name}仓{number}",
            company_id=company,
            type=kind,
        )
        add(
            f"allocation{number}_{mark}",
            "allocation",
            allocation_name=f"{name}库位{number}",
            warehouse_id=warehouse,
        )
    for number, label in (("", f"{name}客户"), ("2", f"{name}客户2"), ("3", "备货商")):
        add(
            f"customer{number}_{mark}",
            "customer",
            customer_name=label,
            company_id=company,
            payment_days=15,
            employee_id=world.ids[f"employee_{mark}"],
        )
    for number in ("", "3"):
        add(
            f"customer_address{number}_{mark}",
            "customer_address",
            company_id=company,
            customer_id=world.ids[f"customer{number}_{mark}"],
            consignee="周敏",
            mobile="13957112233",
            address=f"{name}路1号",
        )
    add(
        f"company_tube_{mark}",
        "company_goods",
        company_id=company,
        goods_id=world.tube,
        sale_price="120",
        purchase_price="80.5",
    )


def _add_inner_partners(add: Any, world: World) -> None:
    """Add the companies as partners of each other: customer `inner_customer_<mark>` of A is B."""
    for mark, other in (("a", "b"), ("b", "a")):
        company, partner = world.ids[f"company_{mark}"], world.ids[f"company_{other}"]
        add(
            f"inner_customer_{mark}",
            "customer",
            customer_name=f"{other.upper()}分公司",
            company_id=company,
            inner_company_id=partner,
            payment_days=15,
        )
        add(
            f"inner_supplier_{mark}",
            "supplier",
            supplier_name=f"{mark.upper()}分公司",
            inner_company_id=company,
        )


def _add_users(conn: Connection, add: Any, world: World) -> None:
    """Add one user a kind: same rights, different scope.

    The clerk has no override right, `nobody` no right at all.
    """
    every = list(menu.list_rights())
    allowances = {
        cls.right(name) for cls in registry.list_resources() for name in cls.declaration.override_rights
    }
    kinds: Mapping[str, dict[str, Any]] = {
        "manager_a": {"sees_cost": True},
        "manager_b": {"sees_cost": True, "company": "b"},
        "clerk_a": {"rights": [code for code in every if code not in allowances]},
        "own_a": {"own_kind": 3, "sees_cost": True},
        "own2_a": {"own_kind": 3, "sees_cost": True},
        "department_a": {"own_kind": 2, "sees_cost": True},
        "keeper_a": {"sees_cost": True, "warehouses": ["warehouse_a"]},
        "nobody": {"rights": []},
    }
    for name, kind in kinds.items():
        mark = kind.get("company", "a")
        values = {"role_name": name, "scope_kind": 2, "own_kind": kind.get("own_kind", 1)}
        statement = insert(Role).values(**values, sees_cost=kind.get("sees_cost", False))
        role = conn.execute(statement.returning(Role.role_id)).scalar_one()
        warehouses = [world.ids[item] for item in kind.get("warehouses", ())]
        rights.replace_role_grants(
            conn, role, kind.get("rights", every), [world.ids[f"company_{mark}"]], warehouses
        )
        user = conn.execute(
            insert(UserAccount)
            .values(
                user_name=name,
                realname=name,
                company_id=world.ids[f"company_{mark}"],
                role_id=role,
                employee_id=world.ids[f"employee_{mark}"],
            )
            .returning(UserAccount.user_id)
        ).scalar_one()
        world.ids[f"user_{name}"], world.ids[f"role_{name}"] = user, role
        world.tokens[name] = sessions.open_api_token(conn, user, 30)
