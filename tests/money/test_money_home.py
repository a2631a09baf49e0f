"""The funds home ties to the ledgers: receipts, payments, balances and what is due, within a user's companies."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

from api.kit.storage.database import today
from tests.support.bill_client import BillClient

SUMMARY = "v2/money/MoneyHome/getSummary"


def read_figures(desk: BillClient, **params: Any) -> dict[str, Decimal]:
    told = desk.caller.get(SUMMARY, company_id=desk.world.company_a, **params).data
    last = told["days"][-1]
    assert (len(told["days"]), last["day"]) == (30, today().isoformat())
    found = {name: told[name] for name in ("balance", "month_received", "month_paid")}
    found |= {f"day_{name}": last[name] for name in ("received", "paid", "balance")}
    found |= {name: told["receivable"][name] for name in ("owed", "unapplied", "overdue", "soon")}
    return {name: Decimal(value) for name, value in found.items()}


def test_what_is_posted_moves_the_figures(desk: BillClient) -> None:
    before, now, world = read_figures(desk), today().isoformat(), desk.world
    desk.add_audited("customer_receipt", amount="500", business_date=now)
    desk.add_audited("supplier_payment", amount="80", business_date=now)
    modes = {"from_mode_id": world.mode, "to_mode_id": world.ids["mode2_a"]}
    desk.add_audited("fund_transfer", **modes, amount="100", fee="1", business_date=now)
    after = read_figures(desk)
    moved = {name: after[name] - value for name, value in before.items() if after[name] != value}
    assert moved == {
        "balance": Decimal(419),
        "month_received": Decimal(500),
        "month_paid": Decimal(80),
        "day_received": Decimal(500),
        "day_paid": Decimal(80),
        "day_balance": Decimal(419),
        "unapplied": Decimal(500),
    }


def test_what_is_due_is_told_by_its_day(desk: BillClient) -> None:
    before, goods = read_figures(desk), desk.world.spares[49]
    desk.stock_in(goods, 4)
    line = {"goods_id": goods, "quantity": "1", "price": "100"}
    last = today() + timedelta(days=7)  # as in the report of what has to be paid
    dues = ("2026-03-06", today().isoformat(), last.isoformat(), (last + timedelta(days=1)).isoformat())
    for due in dues:
        desk.add_audited("sales_outbound", line, due_date=due)
    after = read_figures(desk)
    moved = {name: after[name] - before[name] for name in ("owed", "overdue", "soon")}
    assert moved == {"owed": Decimal(400), "overdue": Decimal(100), "soon": Decimal(200)}


def test_what_is_due_leads_to_the_list_that_adds_up_to_it(desk: BillClient) -> None:
    line = {"goods_id": desk.world.spares[49], "quantity": "1", "price": "100"}
    for due in ("2026-03-06", today().isoformat(), "2099-12-31"):
        desk.add_audited("purchase_inbound", line, due_date=due)
    desk.add_audited("supplier_payment", amount="30")
    back = {"goods_id": desk.world.spares[49], "quantity": "1", "price": "70", "batch_no": "T-1"}
    desk.add_audited("sales_return", back, due_date="2026-03-06")
    policy = desk.world.ids["customer_rebate_policy_a"]
    desk.add_audited(
        "customer_rebate", policy_id=policy, cycle_start="2024-12-01", amount="9", remark="补返利"
    )
    summary = desk.caller.get(SUMMARY, company_id=desk.world.company_a).data
    for side, api, total in (
        ("receivable", "v2/custom/CreditItem", "used_amount"),
        ("payable", "v2/purchase/SupplierItem", "open_amount"),
    ):
        told = summary[side]
        for name, sign in (("owed", 1), ("overdue", 1), ("soon", 1), ("unapplied", -1)):
            filters = dict(parse_qsl(told["routes"][name].split("?")[1]))
            listed = desk.caller.get(f"{api}/getList", company_id=desk.world.company_a, **filters)
            assert sign * Decimal(listed.data["totals"][total]) == Decimal(told[name]) != 0, (side, name)


def test_what_came_and_went_leads_to_the_entries_that_add_up_to_it(desk: BillClient) -> None:
    now, world = today(), desk.world
    desk.add_audited("customer_receipt", amount="500", business_date=now.isoformat())
    desk.add_audited("supplier_payment", amount="80", business_date=now.isoformat())
    modes = {"from_mode_id": world.mode, "to_mode_id": world.ids["mode2_a"]}
    desk.add_audited("fund_transfer", **modes, amount="100", fee="1", business_date=now.isoformat())
    told = desk.caller.get(SUMMARY, company_id=world.company_a).data
    day = told["days"][-1]
    for name, figure in (
        *((name, day[name]) for name in ("received", "paid")),
        *((name, told[name]) for name in ("month_received", "month_paid")),
    ):
        filters = dict(parse_qsl(told["routes"][name].split("?")[1]))
        listed = desk.caller.get("v2/money/AccountEntry/getList", company_id=world.company_a, **filters)
        assert listed.data["totals"][name.removeprefix("month_")] == figure != "0.00", name


def test_accounts_tie_to_the_summary_and_other_companies_stay_out(desk: BillClient) -> None:
    rows = desk.caller.get("v2/money/MoneyHome/getList", company_id=desk.world.company_a, per_page=500).data
    assert sum(Decimal(row["balance"]) for row in rows["data"]) == read_figures(desk)["balance"]
    stranger = BillClient(desk.site, "manager_b")
    assert set(read_figures(stranger).values()) == {Decimal(0)}
    assert BillClient(desk.site, "nobody").caller.get(SUMMARY).code == 403
