"""Partners: what is owed, by age and month, and what was written off, over the small snapshot, by hand."""

from __future__ import annotations

from datetime import date

import pytest

from reports.catalogue import find_report
from reports.semantics.dashboards import PLAIN
from reports.semantics.datasets import bind_range
from tests.reports.snapshot_figures import read_figure
from tests.support.superset import COMPANY_ONE, EVERYTHING


class TestPartners:
    @pytest.mark.parametrize("code", ["accountsReceivable", "facyorypayment"])
    def test_buckets_sum_to_the_balance(self, snapshot, code):
        dataset = find_report(code).first_tab.plain.datasets[0]
        buckets = " + ".join(
            f"coalesce({item.sql}, 0)" for item in dataset.metrics if item.name.startswith("bucket_")
        )
        whole = next(item.sql for item in dataset.metrics if item.name == "open_amount")
        row = snapshot.sql(
            f"select {buckets}, {whole} from ({dataset.sql}) where role_id = {EVERYTHING}"
            + (" and month_label = '2026-11'" if dataset.has_column("month_label") else "")
        ).fetchone()
        assert row[0] == row[1] == 6000

    def test_payables_by_the_days_until_they_are_due(self, snapshot):
        for month in ("2026-10", "2026-11"):
            where = f"month_label = '{month}'"
            assert read_figure(snapshot, "facyorypayment", "bucket_1", where, PLAIN) == 4000
            assert read_figure(snapshot, "facyorypayment", "bucket_2", where, PLAIN) == 2000
            assert read_figure(snapshot, "facyorypayment", "soonest", where, PLAIN) == -200

    @pytest.mark.parametrize(
        ("day", "overdue", "longest", "before"),
        [
            (date(2026, 11, 20), 4000, 200, 6000),
            (date(2026, 10, 31), 4000, 200, None),
            (date(2026, 11, 1), 4000, 181, 6000),
        ],
    )
    def test_open_items_as_of_a_day_beside_those_a_month_before(
        self, snapshot, day, overdue, longest, before
    ):
        """Of each company three items of 1,000; those of November are due on the fourth of May, on the sixth of October
        and on the twentieth of November."""
        items, then = find_report("accountsReceivable").tab("day").plain.datasets[:2]
        shown = ["overdue", "longest", *(f"bucket_{number}" for number in range(1, 7)), "open_amount"]
        found = snapshot.sql(
            f"select {', '.join(items.metric(name).sql for name in shown)} from ({bind_range(items.sql, day, day)})"
            f" where role_id = {EVERYTHING}"
        ).fetchone()
        assert found[:2] == (overdue, longest)
        assert sum(amount or 0 for amount in found[2:-1]) == found[-1] == 6000
        beside = snapshot.sql(
            f"select {then.metric('balance').sql}, {then.metric('balance_before').sql} from ({bind_range(then.sql, day, day)})"
            f" where role_id = {EVERYTHING}"
        ).fetchone()
        assert beside == (6000, before)

    def test_of_items_of_all_days_none_are_asked_for(self):
        for tab in ("accountsReceivable", "facyorypayment"):
            board = find_report(tab).tab("day").plain
            chosen = next(item for item in board.filters if item.latest)
            for dataset in board.datasets:
                if dataset.has_range:
                    assert dataset.first_days(chosen.column, ["2026-02-28"]) == (
                        "day",
                        (date(2026, 2, 28),),
                    )
                    assert dataset.key not in {item.dataset for item in board.filters}
            charts = [chart for chart in board.charts if board.dataset(chart.dataset).has_range]
            assert charts and all(chosen in board.filters_of(chart) for chart in charts)

    def test_what_is_overdue_stands_by_how_long_beside_what_is_to_be_paid(self, snapshot):
        """As in the report of what is owed: of each company 1,000 not due, 45 and 200 days late."""
        where = "month_label = '2026-11'"
        expected = {1: 2000, 2: None, 3: 2000, 4: None, 5: None, 6: 2000}
        for number, amount in expected.items():
            assert read_figure(snapshot, "facyorypayment", f"overdue_{number}", where, PLAIN) == amount
        assert read_figure(snapshot, "facyorypayment", "longest", where, PLAIN) == 200
        board = find_report("facyorypayment").first_tab.plain
        aged = find_report("ScheduleAccountsPayable").tab("aging").plain.datasets[0]
        labels = [board.dataset("payable_due").metric(f"overdue_{number}").label for number in expected]
        assert tuple(labels) == aged.buckets
        [chosen] = [item for item in board.filters if item.column == "overdue"]
        heed = {chart.key for chart in board.charts if chosen in board.filters_of(chart)}
        assert {chart.key for chart in (*board.tables, *board.kpi_charts)} <= heed

    def test_a_partner_s_month_goes_from_opening_to_closing(self, snapshot):
        where = "month_label = '2026-11'"
        for code in ("ScheduleAccountsReceivable", "ScheduleAccountsPayable"):
            opening, delivery, back, other, settled, offset, closing = (
                read_figure(snapshot, code, name, where, PLAIN)
                for name in ("opening", "delivery", "return", "other", "settled", "offset", "closing")
            )
            assert opening + delivery - back + other - settled - offset == closing == 2400
            assert read_figure(snapshot, code, "rate", where, PLAIN) == pytest.approx(600 / 1900)
            assert read_figure(snapshot, code, "closing_change", where, PLAIN) == pytest.approx(0)

    @pytest.mark.parametrize(("role", "companies"), [(EVERYTHING, 2), (COMPANY_ONE, 1)])
    def test_any_days_go_from_opening_to_closing_of_the_companies_that_a_role_sees(
        self, snapshot, role, companies
    ):
        """Of each company 1,000 are open when a month begins and 200 more from its fifth day on; of a range that begins
        with it nothing has moved before."""
        for code in ("ScheduleAccountsReceivable", "ScheduleAccountsPayable"):
            data = find_report(code).tab("days").plain.datasets[0]
            names = ("opening", "delivery", "closing", "closing_before")
            figures = ", ".join(data.metric(name).sql for name in names)
            for since, opening, delivery in ((date(2026, 11, 5), 1000, 900), (date(2026, 11, 6), 1200, 0)):
                found = snapshot.sql(
                    f"select {figures} from ({bind_range(data.sql, since, date(2026, 11, 12))}) where role_id = {role}"
                ).fetchone()
                assert found == tuple(companies * of_each for of_each in (opening, delivery, 1200, 1200))

    def test_write_offs_are_weighed_by_their_amounts(self, snapshot):
        where = "month_label = '2026-11'"
        for metric, expected in (
            ("mean_held", 37.5),
            ("mean_late", 5),
            ("late_share", 0.25),
            ("amount", 800),
        ):
            found = read_figure(snapshot, "verificationDetails", metric, where, PLAIN)
            assert found == pytest.approx(expected)

    def test_a_bill_that_is_written_off_bit_by_bit_counts_once(self, snapshot):
        """Of two companies two items of 500 each, of which every month writes off a part."""
        for where in ("month_label = '2026-11'", "month_label > '2026-08'", "true"):
            assert read_figure(snapshot, "verificationDetails", "item_amount", where, PLAIN) == 2 * 2 * 500
        assert read_figure(snapshot, "verificationDetails", "item_amount", "false", PLAIN) is None
