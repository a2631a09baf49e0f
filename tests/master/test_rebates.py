"""Rebates of both directions: what policies earn from bills, how it is confirmed once, used, and shown."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.master.rebate_partners import SIDES, RebatePartner, RebateSide
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks

_names = itertools.count(1)
ONE_PERCENT = {"starts_from": "0", "rate": "1"}


@pytest.fixture(params=SIDES, ids=lambda side: side.party)
def side(request: pytest.FixtureRequest) -> RebateSide:
    found: RebateSide = request.param
    return found


@pytest.fixture
def partner(side: RebateSide, desk: BillClient) -> RebatePartner:
    desk.stock_in(desk.world.oil, 1000, business_date="2023-12-01")
    return RebatePartner(side, desk, desk.partner(side.party, f"返利往来{next(_names)}", payment_days=0))


def pick_columns(row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


class TestAccrual:
    def test_a_cycle_earns_on_its_bills_less_returns_without_gifts(self, partner: RebatePartner) -> None:
        """6 000 − 500 in January: 4 000 at 1 %, 500 at 2 %; of 200 in February 50 ÷ 5 500 is taken back."""
        partner.trade("60", "2024-01-31")
        partner.trade("9", "2024-01-10", is_gift=True)
        partner.return_goods("5", "2024-01-20")
        partner.return_goods("2", "2024-02-01")
        partner.trade("90", "2023-12-31")
        policy = partner.add_policy(
            {"starts_from": "5000", "rate": "2"}, {"starts_from": "1000", "rate": "1"}
        )
        names = ("cycle_start", "cycle_end", "base_quantity", "base_amount", "accrued", "state")
        assert [pick_columns(row, *names) for row in partner.list_accruals(policy)] == [
            ("2024-01-01", "2024-01-31", "55.000", "5500.00", "50.00", 2),
            ("2024-02-01", "2024-02-29", "-2.000", "-200.00", "-1.82", 2),
            ("2024-03-01", "2024-03-31", "0.000", "0.00", "0.00", 5),
        ]

    def test_accumulated_the_reached_rate_holds_for_every_piece_of_its_goods(
        self, partner: RebatePartner
    ) -> None:
        other = partner.desk.world.spares[32]
        partner.desk.stock_in(other, 50, business_date="2023-12-01")
        partner.trade("55.5", "2024-01-31")
        partner.trade("30", "2024-01-31", goods_id=other)
        tiers = ({"starts_from": "10", "unit_rebate": "3"}, {"starts_from": "50", "unit_rebate": "5.01"})
        mode = {"measure": 1, "rebate_mode": 2}
        of_goods = partner.add_policy(*tiers, goods=({"goods_id": partner.goods},), **mode)
        of_brand = partner.add_policy(*tiers, goods=({"brand_id": partner.desk.world.brand},), **mode)
        of_type = partner.add_policy(*tiers, goods=({"goods_type_id": partner.desk.world.type1},), **mode)
        assert partner.list_accruals(of_goods)[0]["accrued"] == "278.06"
        assert partner.list_accruals(of_brand)[0]["accrued"] == "278.06"
        assert partner.list_accruals(of_type)[0]["accrued"] == "428.36"

    def test_a_cycle_leads_to_the_lines_that_add_up_to_its_base(self, partner: RebatePartner) -> None:
        partner.trade("60", "2024-01-31")
        back = partner.return_goods("5", "2024-01-20")
        [row, *_] = partner.list_accruals(policy := partner.add_policy(ONE_PERCENT))
        days = {"business_date_start": row["cycle_start"], "business_date_end": row["cycle_end"]}
        page = partner.desk.caller.get(f"{partner.side.lines}/getList", policy_id=policy.id, **days).data
        assert page["totals"] == {"quantity": row["base_quantity"], "amount": row["base_amount"]}
        assert [pick_columns(line, "bill_no", "amount") for line in page["data"]][1:] == [
            (back.no, "-500.00")
        ]
        assert page["data"][1]["route"].endswith(f"?id={back.id}")

    def test_quarters_are_the_calendar_s_cut_to_the_policy_s_days(self, partner: RebatePartner) -> None:
        body = {"rebate_cycle_name": f"季{next(_names)}", "months": 3}
        quarter = partner.desk.caller.post("v2/system/RebateCycle/add", body).data["id"]
        days = {"starts_on": "2024-02-15", "ends_on": "2024-08-20"}
        header = {**partner.build_header(), **days, "rebate_cycle_id": quarter}
        made = partner.desk.add_audited(f"{partner.side.party}_rebate_policy", ONE_PERCENT, **header)
        assert [pick_columns(row, "cycle_start", "cycle_end") for row in partner.list_accruals(made)] == [
            ("2024-02-15", "2024-03-31"),
            ("2024-04-01", "2024-06-30"),
            ("2024-07-01", "2024-08-20"),
        ]


TEN_PERCENT = {"starts_from": "0", "rate": "10"}
TEN_A_PIECE = {"starts_from": "0", "unit_rebate": "10"}
TAKEN_BACK = ("base_quantity", "base_amount", "accrued", "state")


class TestTakingBack:
    """What later returns no longer earn is owed back, in the cycle in which they came."""

    @pytest.mark.parametrize(("tier", "measure"), [(TEN_PERCENT, 2), (TEN_A_PIECE, 1)])
    @pytest.mark.parametrize("mode", [1, 2])
    def test_a_cycle_of_returns_owes_what_they_earned(
        self, partner: RebatePartner, tier: dict[str, str], measure: int, mode: int
    ) -> None:
        partner.trade("10", "2024-01-31")
        partner.return_goods("4", "2024-02-10")
        policy = partner.add_policy(tier, measure=measure, rebate_mode=mode)
        assert [pick_columns(row, *TAKEN_BACK) for row in partner.list_accruals(policy)] == [
            ("10.000", "1000.00", "100.00", 2),
            ("-4.000", "-400.00", "-40.00", 2),
            ("0.000", "0.00", "0.00", 5),
        ]

    def test_returns_of_what_was_traded_before_the_policy_follow_the_tier_from_0(
        self, partner: RebatePartner
    ) -> None:
        partner.trade("10", "2023-12-31")
        partner.return_goods("4", "2024-01-10")
        assert partner.list_accruals(partner.add_policy(TEN_PERCENT))[0]["accrued"] == "-40.00"
        first = {"starts_from": "1", "rate": "10"}
        assert partner.list_accruals(partner.add_policy(first))[0]["accrued"] == "0.00"

    def test_tiers_take_back_all_they_gave(self, partner: RebatePartner) -> None:
        """1 000 earned nothing, 6 000 earned 60; of all 7 000 coming back in March 60 are taken."""
        partner.trade("10", "2024-01-31")
        partner.trade("60", "2024-02-10")
        partner.return_goods("70", "2024-03-10")
        policy = partner.add_policy({"starts_from": "5000", "rate": "1"}, rebate_mode=2)
        assert [row["accrued"] for row in partner.list_accruals(policy)] == ["0.00", "60.00", "-60.00"]

    @pytest.mark.parametrize(("tier", "measure"), [(TEN_PERCENT, 2), (TEN_A_PIECE, 1)])
    def test_after_the_policy_s_end_what_it_earned_on_is_owed_back(
        self, partner: RebatePartner, tier: dict[str, str], measure: int
    ) -> None:
        """Month by month; what is not linked, or was traded outside of it, isn't its own."""
        before, earned = partner.trade("10", "2023-12-20"), partner.trade("10", "2024-01-31")
        later = partner.trade("10", "2024-02-10")
        policy = partner.add_policy(tier, measure=measure, ends_on="2024-01-31")
        assert len(partner.list_accruals(policy)) == 1
        partner.return_goods("1", "2024-01-31", before)
        partner.return_goods("1", "2024-02-10", before)
        partner.return_goods("1", "2024-02-12", later)
        partner.return_goods("1", "2024-02-12")
        partner.return_goods("4", "2024-02-11", earned)
        partner.return_goods("1", "2024-04-02", earned)
        partner.return_goods("2", "2024-04-30", earned)
        names = ("cycle_start", "cycle_end", *TAKEN_BACK)
        assert [pick_columns(row, *names) for row in partner.list_accruals(policy)] == [
            ("2024-01-01", "2024-01-31", "10.000", "1000.00", "100.00", 2),
            ("2024-02-01", "2024-02-29", "-4.000", "-400.00", "-40.00", 2),
            ("2024-04-01", "2024-04-30", "-3.000", "-300.00", "-30.00", 2),
        ]

    def test_the_next_policy_leaves_it_to_the_one_that_earned(self, partner: RebatePartner) -> None:
        """A policy that ends within a month begins to take back on the day after, apart from its own part of it."""
        earned = partner.trade("10", "2024-02-03")
        old = partner.add_policy(TEN_PERCENT, ends_on="2024-02-15")
        new = partner.add_policy({"starts_from": "0", "rate": "5"}, starts_on="2024-02-16")
        partner.trade("6", "2024-02-16")
        partner.return_goods("2", "2024-02-14", earned)
        partner.return_goods("4", "2024-02-20", earned)
        names = ("cycle_start", "cycle_end", "base_amount", "accrued")
        rows = partner.list_accruals(old)
        assert [pick_columns(row, *names) for row in rows][1:] == [
            ("2024-02-01", "2024-02-15", "800.00", "80.00"),
            ("2024-02-16", "2024-02-29", "-400.00", "-40.00"),
        ]
        assert len({row[f"{partner.side.party}_rebate_accrual_id"] for row in rows}) == len(rows)
        assert pick_columns(partner.list_accruals(new)[0], *names) == (
            "2024-02-16",
            "2024-02-29",
            "600.00",
            "30.00",
        )

    def test_after_the_end_it_is_confirmed_and_told_like_any_cycle(
        self, partner: RebatePartner, books: PostingReader, conn: Connection
    ) -> None:
        earned = partner.trade("10", "2024-01-20")
        policy = partner.add_policy(TEN_PERCENT, ends_on="2024-01-31")
        partner.confirm_rebate(policy, "100")
        back = partner.return_goods("4", "2024-03-10", earned)
        page = partner.desk.caller.get(
            f"{partner.side.lines}/getList", policy_id=policy.id, business_date_start="2024-03-01"
        ).data
        assert [pick_columns(line, "bill_no", "amount") for line in page["data"]] == [(back.no, "-400.00")]
        [_, row] = partner.list_accruals(policy)
        assert partner.generate(row).ok
        assert partner.generate(row).code == 400
        [_, row] = partner.list_accruals(policy)
        resource = f"{partner.side.party}_rebate"
        found = partner.desk.caller.get(partner.desk.path(resource, "getList"), bill_no=row["rebate_no"]).data
        bill = SavedBill(resource, found["data"][0]["bill_id"], row["rebate_no"])
        assert partner.desk.apply_action("auditorPass", bill).ok
        assert [item[2:5] for item in books.settlements(bill)] == [("bill", "40.00", "40.00")]
        assert partner.read_account() == ("60.00", "60.00", "0.00", "60.00")
        asked = partner.desk.apply_action("antiAuditor", back)
        assert (asked.code, bill.no in asked.msg) == (363, True)
        assert partner.desk.apply_action("antiAuditor", back, confirmed=True).ok
        names = ("cycle_start", "accrued", "confirmed", "outdated")
        assert pick_columns(partner.list_accruals(policy)[1], *names) == (
            "2024-03-01",
            "0.00",
            "-40.00",
            True,
        )
        assert find_broken_checks(conn) == {}

    def test_it_is_confirmed_below_zero_and_settled_as_a_bill_is(
        self, partner: RebatePartner, books: PostingReader, conn: Connection
    ) -> None:
        partner.trade("10", "2024-01-31")
        partner.return_goods("4", "2024-02-10")
        policy = partner.add_policy(TEN_PERCENT)
        february = {"cycle_start": "2024-02-01", "business_date": "2024-03-01"}
        for amount, told_why in (
            ("0", "返利总金额不能为零"),
            ("40", "应计返利为 -40.00 元，返利总金额须同为负数"),
            ("-30", "返利总金额与应计返利 -40.00 元不同，请在备注中说明原因"),
        ):
            assert partner.add_rebate(policy, amount, **february).msg == told_why
        assert partner.generate(partner.list_accruals(policy)[1]).ok
        row = partner.list_accruals(policy)[1]
        resource = f"{partner.side.party}_rebate"
        page = partner.desk.caller.get(partner.desk.path(resource, "getList"), bill_no=row["rebate_no"]).data
        bill = SavedBill(resource, page["data"][0]["bill_id"], row["rebate_no"])
        assert partner.desk.apply_action("auditorPass", bill).ok
        assert [item[2:5] for item in books.settlements(bill)] == [("bill", "40.00", "40.00")]
        partner.desk.add_audited(
            partner.side.paying,
            {"settlement_id": books.item(bill), "amount": "15"},
            amount="15",
            business_date=str(partner.desk.read_bill(bill)["business_date"]),
            **partner.partner_key,
        )
        assert partner.read_account() == ("60.00", "-40.00", "-15.00", "-25.00")
        assert pick_columns(partner.desk.read_bill(bill), "used_amount", "left_amount") == (
            "-15.00",
            "-25.00",
        )
        assert find_broken_checks(conn) == {}


class TestConfirm:
    def test_chosen_cycles_become_drafts_of_all_they_earned(
        self, partner: RebatePartner, books: PostingReader
    ) -> None:
        partner.trade("60", "2024-01-31")
        policy = partner.add_policy(ONE_PERCENT)
        rows = partner.list_accruals(policy)
        answer = partner.generate(*rows[:2])
        assert [failure["msg"] for failure in answer.data["failures"]] == ["该周期没有可确认的返利"]
        again = partner.generate(rows[0])
        row = partner.list_accruals(policy)[0]
        assert again.msg == f"该周期已有返利单{row['rebate_no']}"
        assert pick_columns(row, "state", "confirmed") == (3, "0.00")
        [found] = partner.desk.caller.get(
            partner.desk.path(f"{partner.side.party}_rebate", "getList"), bill_no=row["rebate_no"]
        ).data["data"]
        bill = SavedBill(f"{partner.side.party}_rebate", found["bill_id"], found["bill_no"])
        assert partner.desk.apply_action("auditorPass", bill).ok
        assert [item[2:5] for item in books.settlements(bill)] == [("bill", "-60.00", "-60.00")]
        assert pick_columns(partner.list_accruals(policy)[0], "state", "confirmed") == (4, "60.00")

    def test_a_cycle_is_confirmed_once_until_that_is_void(self, partner: RebatePartner) -> None:
        partner.trade("60", "2024-01-31")
        policy = partner.add_policy(ONE_PERCENT)
        bill = partner.confirm_rebate(policy, "60")
        assert partner.desk.read_bill(bill)["cycle_start"] == "2024-01-01"
        twice = partner.add_rebate(policy, "60", cycle_start="2024-01-31")
        assert (twice.code, "已存在" in twice.msg) == (400, True)
        assert partner.desk.apply_action("invalid", bill).ok
        assert partner.add_rebate(policy, "60").ok

    def test_another_amount_is_explained_and_an_open_cycle_waits(self, partner: RebatePartner) -> None:
        partner.trade("60", "2024-01-31")
        policy = partner.add_policy(ONE_PERCENT)
        told_why = "返利总金额与应计返利 60.00 元不同，请在备注中说明原因"
        assert partner.add_rebate(policy, "59").msg == told_why
        assert partner.add_rebate(policy, "59", remark="抹零").ok
        early = partner.add_rebate(
            policy, "1", cycle_start="2024-02-01", business_date="2024-02-28", remark="预返"
        )
        assert early.msg == "返利周期到2024-02-29结束，业务日期不能早于该日"
        assert partner.add_rebate(policy, "1", cycle_start="2024-04-01").msg == "返利政策在该日期没有返利周期"

    def test_what_bills_changed_since_is_not_confirmed(self, partner: RebatePartner) -> None:
        partner.trade("60", "2024-01-31")
        policy = partner.add_policy(ONE_PERCENT)
        made = partner.add_rebate(policy, "60").data
        partner.trade("1", "2024-01-31")
        answer = partner.desk.apply_action(
            "auditorPass", SavedBill(f"{partner.side.party}_rebate", made["id"], made["bill_no"])
        )
        assert answer.msg == "该周期的应计返利已变为 61.00 元，请修改返利单后再审核"

    def test_a_paused_policy_confirms_nothing_until_it_is_open(self, partner: RebatePartner) -> None:
        partner.trade("60", "2024-01-31")
        policy = partner.add_policy(ONE_PERCENT)
        made = partner.add_rebate(policy, "60").data
        bill = SavedBill(f"{partner.side.party}_rebate", made["id"], made["bill_no"])
        assert partner.desk.apply_action("pause", policy).ok
        assert partner.desk.read_bill(policy)["status"] == 4
        assert partner.add_rebate(policy, "60", cycle_start="2024-02-01").code == 400
        refused = partner.desk.apply_action("auditorPass", bill)
        assert refused.msg == "返利政策已暂停或未审核，请先打开或审核返利政策"
        assert partner.desk.apply_action("open", policy).ok
        assert partner.desk.apply_action("auditorPass", bill).ok
        kept = partner.desk.apply_action("antiAuditor", policy)
        assert (kept.code, bill.no in kept.msg) == (400, True)


class TestChangedBase:
    """A bill that counts in a confirmed rebate is taken back, or joins it, only by who was told; the query tells it."""

    def test_taking_it_back_asks_and_the_query_tells_what_no_longer_stands(
        self, partner: RebatePartner, conn: Connection
    ) -> None:
        counted = partner.trade("60", "2024-01-31")
        policy = partner.add_policy(ONE_PERCENT)
        rebate = partner.confirm_rebate(policy, "60")
        names = ("accrued", "confirmed", "difference", "outdated")
        assert pick_columns(partner.list_accruals(policy)[0], *names) == ("60.00", "60.00", "0.00", False)
        for action in ("antiAuditor", "invalid"):
            asked = partner.desk.apply_action(action, counted)
            assert asked.code == 363
            assert asked.msg == f"该单据计入已确认的返利单{rebate.no}，之后应计返利与之不符，是否继续？"
        assert partner.desk.read_bill(counted)["status"] == 2
        assert partner.desk.apply_action("antiAuditor", counted, confirmed=True).ok
        assert pick_columns(partner.list_accruals(policy)[0], *names) == ("0.00", "60.00", "-60.00", True)
        found = partner.desk.caller.get(f"{partner.side.find}/getList", policy_id=policy.id, outdated=1).data
        assert [row["rebate_no"] for row in found["data"]] == [rebate.no]
        log = partner.desk.caller.get(partner.desk.path(counted.resource, "getLog"), id=counted.id).data
        assert [rebate.no in row["reason"] for row in log if row["action"] == "confirmed"] == [True]
        assert find_broken_checks(conn) == {}

    def test_bills_and_returns_that_join_it_ask(self, partner: RebatePartner) -> None:
        partner.trade("60", "2024-01-31")
        rebate = partner.confirm_rebate(partner.add_policy(ONE_PERCENT), "60")
        row = {"goods_id": partner.goods, "quantity": "1", "price": "100"}
        for kind in (partner.side.trading, partner.side.returning):
            late = partner.desk.draft(kind, row, business_date="2024-01-30", **partner.partner_key)
            asked = partner.desk.apply_action("auditorPass", late)
            assert (asked.code, rebate.no in asked.msg) == (363, True)
            assert partner.desk.apply_action("auditorPass", late, confirmed=True).ok
            assert partner.desk.apply_action("antiAuditor", late).ok

    def test_what_it_does_not_count_is_not_asked_about(self, partner: RebatePartner) -> None:
        partner.trade("60", "2024-01-31")
        other = partner.desk.world.spares[32]
        partner.desk.stock_in(other, 5, business_date="2023-12-01")
        policy = partner.add_policy(ONE_PERCENT, goods=({"goods_id": partner.goods},))
        partner.trade("1", "2024-02-01")
        rebate = partner.confirm_rebate(policy, "60")
        for day, line in (
            ("2024-01-15", {"goods_id": other}),
            ("2024-01-15", {"is_gift": True}),
            ("2024-02-02", {}),
        ):
            made = partner.trade("1", day, **line)
            assert partner.desk.apply_action("antiAuditor", made).ok
        assert partner.desk.apply_action("antiAuditor", rebate).ok
        assert partner.desk.apply_action("antiAuditor", partner.trade("1", "2024-01-15")).ok

    def test_what_restores_the_match_is_not_asked_about(self, partner: RebatePartner) -> None:
        bought = partner.trade("10", "2024-01-10")
        back = partner.return_goods("4", "2024-01-20")
        policy = partner.add_policy(TEN_PERCENT)
        rebate = partner.confirm_rebate(policy, "60")
        for bill in (bought, back):
            asked = partner.desk.apply_action("antiAuditor", bill)
            assert (asked.code, rebate.no in asked.msg) == (363, True)
            assert partner.desk.apply_action("antiAuditor", bill, confirmed=True).ok
            assert partner.list_accruals(policy)[0]["outdated"]
            assert partner.desk.apply_action("auditorPass", bill).ok
            assert not partner.list_accruals(policy)[0]["outdated"]

    def test_a_cycle_that_takes_back_rests_on_those_before(self, partner: RebatePartner) -> None:
        earned = partner.trade("10", "2024-01-31")
        partner.return_goods("4", "2024-02-10")
        back = {"cycle_start": "2024-02-01", "business_date": "2024-03-01"}
        policy = partner.add_policy({"starts_from": "1", "rate": "10"}, rebate_mode=2)
        rebate = partner.confirm_rebate(policy, "-40", **back)
        asked = partner.desk.apply_action("antiAuditor", earned)
        assert (asked.code, rebate.no in asked.msg) == (363, True)


class TestUse:
    def test_it_settles_bills_and_the_account_follows(
        self, partner: RebatePartner, books: PostingReader, conn: Connection
    ) -> None:
        owed = partner.trade("60", "2024-01-31")
        rebate = partner.confirm_rebate(partner.add_policy(ONE_PERCENT), "60")
        assert partner.read_account() == ("60.00", "60.00", "0.00", "60.00")
        paid = partner.desk.add_audited(
            partner.side.paying,
            {"settlement_id": books.item(owed), "amount": "1000"},
            {"settlement_id": books.item(rebate), "amount": "-40"},
            amount="960",
            **partner.partner_key,
        )
        assert partner.read_account() == ("60.00", "60.00", "40.00", "20.00")
        assert pick_columns(partner.desk.read_bill(rebate), "used_amount", "left_amount") == (
            "40.00",
            "20.00",
        )
        rows = partner.desk.caller.get(f"{partner.side.movements}/getList", **partner.partner_key).data[
            "data"
        ]
        names = ("bill_no", "rebate_no", "confirmed", "used_amount")
        assert [pick_columns(row, *names) for row in rows] == [
            (paid.no, rebate.no, "0.00", "40.00"),
            (rebate.no, rebate.no, "60.00", "0.00"),
        ]
        assert partner.desk.apply_action("antiAuditor", rebate).code == 400
        assert partner.desk.apply_action("invalid", paid).ok
        assert partner.read_account() == ("60.00", "60.00", "0.00", "60.00")
        assert find_broken_checks(conn) == {}

    def test_what_does_not_tie_is_found(
        self, partner: RebatePartner, books: PostingReader, conn: Connection
    ) -> None:
        owed = partner.trade("60", "2024-01-31")
        rebate = partner.confirm_rebate(partner.add_policy(ONE_PERCENT), "60")
        rows = [
            {"settlement_id": books.item(item), "amount": amount}
            for item, amount in ((owed, "60"), (rebate, "-60"))
        ]
        offset = "prepaid_offset" if partner.side.party == "supplier" else "deposit"
        bill = partner.desk.add_audited(offset, *rows, **partner.partner_key)
        conn.exec_driver_sql(f"update {rebate.resource} set amount = 59 where bill_id = %s", (rebate.id,))
        conn.exec_driver_sql(
            f"update {offset}_write_off set amount = -59 where bill_id = %s and amount < 0", (bill.id,)
        )
        assert set(find_broken_checks(conn)) == {f"{rebate.resource}_account", f"{offset}_write_offs"}
        conn.rollback()


class TestDraft:
    @pytest.mark.parametrize(
        ("tiers", "header", "msg"),
        [
            ([{"starts_from": "1"}], {}, "第1行：按金额返利请填写返利比例%"),
            ([{"starts_from": "1", "rate": "1"}], {"measure": 1}, "第1行：按数量返利请填写每件返利"),
            ([ONE_PERCENT, ONE_PERCENT], {}, "返利阶梯的起点不能相同"),
            ([ONE_PERCENT], {"ends_on": "2023-12-31"}, "结束时间不能早于开始时间"),
            ([ONE_PERCENT], {"rebate_type_id": None}, "请选择返利类型"),
        ],
    )
    def test_what_it_lacks_is_told(
        self, partner: RebatePartner, tiers: list[dict[str, str]], header: dict[str, Any], msg: str
    ) -> None:
        given = {**partner.build_header(), **header}
        answer = partner.desk.add(f"{partner.side.party}_rebate_policy", *tiers, **given)
        assert (answer.code, answer.msg) == (400, msg)
