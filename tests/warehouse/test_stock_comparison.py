"""Stock, its cover and the bills of best sellers at earlier ends and in earlier days, against polars over
Postgres' tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

import polars as pl
import pytest

from reports.catalogue import find_report
from reports.semantics.kpi_comparison import KPI_KEY
from tests.warehouse.conftest import AS_OF, BOTH, Core, Mart

TODAY = dt.date.fromisoformat(AS_OF)
ENDS = {"现在": TODAY, "上月末": dt.date(2026, 10, 31), "去年同月末": dt.date(2025, 11, 30)}
DAYS = {
    "近30天": {
        "所选区间": (dt.date(2026, 10, 22), TODAY),
        "上期": (dt.date(2026, 9, 22), dt.date(2026, 10, 21)),
        "去年同期": (dt.date(2025, 10, 22), dt.date(2025, 11, 20)),
    },
    "本月": {
        "所选区间": (dt.date(2026, 11, 1), TODAY),
        "上期": (dt.date(2026, 10, 1), dt.date(2026, 10, 20)),
        "去年同期": (dt.date(2025, 11, 1), dt.date(2025, 11, 20)),
    },
}
Figures = dict[str, float | None]


@pytest.fixture(scope="module")
def moves(core_rows: Core) -> pl.DataFrame:
    return core_rows("select company_id, warehouse_id, goods_id, quantity, business_date from stock_ledger")


@pytest.fixture(scope="module")
def sold(core_rows: Core) -> pl.DataFrame:
    """Lines of audited sales bills; returns negative."""
    sides = (
        f"select '{kind}' as bill_type, b.bill_no, b.customer_id, b.company_id, b.warehouse_id, l.goods_id,"
        f" b.business_date, {sign}l.quantity as quantity, {sign}l.no_tax_amount as amount"
        f" from {bill} b join {bill}_line l using (bill_id) where b.status in (2, 4, 5)"
        for kind, bill, sign in (("XSCK", "sales_outbound", ""), ("XSTH", "sales_return", "-"))
    )
    return core_rows(" union all ".join(sides))


def query_figures(
    mart: Mart, code: str, names: tuple[str, ...], where: str = "true", cost: bool = False
) -> dict[str, Figures]:
    """Return the figures of a report's table of three rows, by the rows' labels."""
    tab = find_report(code).first_tab
    board = tab.cost if cost else tab.plain
    dataset = board.dataset(board.chart(KPI_KEY).dataset)
    figures = ", ".join(f'{dataset.metric(name).sql} as "{name}"' for name in names)
    rows = mart(
        f"select beside, {figures} from ({dataset.sql}) as d where role_id = 1 and {where} group by beside"
    )
    return {row["beside"]: {name: row[name] for name in names} for row in rows.to_dicts()}


def assert_equal(found: Mapping[str, Figures], expected: Mapping[str, Figures]) -> None:
    assert found.keys() == expected.keys()
    for word, figures in expected.items():
        assert found[word] == pytest.approx(figures), word
    assert all(any(figures[name] for figures in expected.values()) for name in next(iter(expected.values())))


def select_until(rows: pl.DataFrame, last: dt.date, days: int = 0) -> pl.DataFrame:
    """Return the rows up to a day, or of the days before it."""
    first = last - dt.timedelta(days - 1) if days else dt.date.min
    return rows.filter(pl.col("business_date").is_between(first, last))


def sum_stock_and_sales(moves: pl.DataFrame, sold: pl.DataFrame, end: dt.date) -> pl.DataFrame:
    """Return the stock of each goods in each warehouse at a day, and the sales of the 30 and 90 days before
    it."""
    keys = ["warehouse_id", "goods_id"]
    parts = {
        "lay": select_until(moves, end),
        "sold_30": select_until(sold, end, 30),
        "sold_90": select_until(sold, end, 90),
    }
    frames = [
        rows.group_by(keys).agg(pl.col("quantity").sum().round(3).alias(name)) for name, rows in parts.items()
    ]
    joined = frames[0]
    for frame in frames[1:]:
        joined = joined.join(frame, on=keys, how="full", coalesce=True)
    return joined.fill_null(0)


@BOTH
def test_cover_idle_and_missing_goods_at_earlier_month_ends(
    mart: Mart, moves: pl.DataFrame, sold: pl.DataFrame
) -> None:
    expected: dict[str, Figures] = {}
    for word, end in ENDS.items():
        goods = sum_stock_and_sales(moves, sold, end)
        lay, pace = goods["lay"].sum(), goods["sold_30"].sum()
        expected[word] = {
            "sales_30": pace,
            "cover": lay / pace * 30,
            "idle": goods.filter(pl.col("sold_90") <= 0)["lay"].sum() / lay,
        }
    assert_equal(query_figures(mart, "goodsinventoryrpt", ("sales_30", "cover", "idle")), expected)


@BOTH
@pytest.mark.parametrize("code", ["commodityStocksQuery", "inDecisionAnalysisTable"])
def test_goods_that_had_run_out(mart: Mart, moves: pl.DataFrame, sold: pl.DataFrame, code: str) -> None:
    where = "cover_label = '备30天'" if code == "inDecisionAnalysisTable" else "true"
    gone = (pl.col("lay") <= 0) & (pl.col("sold_30") > 0)
    expected: dict[str, Figures] = {
        word: {"short": sum_stock_and_sales(moves, sold, end).filter(gone)["goods_id"].n_unique()}
        for word, end in ENDS.items()
    }
    assert query_figures(mart, code, ("short",), where) == expected
    assert any(figures["short"] for figures in expected.values())


@BOTH
@pytest.mark.parametrize(
    ("code", "chosen"),
    [
        ("goodsinventoryrpt", "cover_range = '断货'"),
        ("commodityStocksQuery", "cover_range = '断货'"),
        ("inDecisionAnalysisTable", "cover_label = '备30天' and advice = '停采消化'"),
    ],
)
def test_goods_that_are_chosen_by_how_they_stand_are_compared_with_themselves(
    mart: Mart, code: str, chosen: str
) -> None:
    """The head tells of earlier ends what the tables tell: of the goods that are sold out now, not of those that were."""
    board = find_report(code).first_tab.plain
    head = board.dataset(board.chart(KPI_KEY).dataset)
    owner = board.dataset(head.key.removesuffix(f"_{KPI_KEY}"))
    found = mart(
        f"select sum(quantity) from ({head.sql}) as d where role_id = 1 and {chosen}"
        " group by beside_order order by beside_order"
    )
    columns = ", ".join(f"sum({then}quantity)" for then in ("", "last_month_", "last_year_"))
    expected = mart(f"select {columns} from ({owner.sql}) as d where role_id = 1 and {chosen}").row(0)
    assert found.to_series().to_list() == pytest.approx(expected)
    assert any(expected)


@BOTH
def test_a_year_s_turnover_and_aged_stock_at_earlier_month_ends(
    mart: Mart, moves: pl.DataFrame, sold: pl.DataFrame
) -> None:
    expected: dict[str, Figures] = {}
    for word, end in ENDS.items():
        first = end.replace(day=1, year=end.year - 1) + dt.timedelta(32)
        first = first.replace(day=1)
        held = select_until(moves, end).with_columns(
            ((pl.lit(end) - pl.max_horizontal("business_date", pl.lit(first))).dt.total_days() + 1).alias(
                "days"
            )
        )
        layers = mart(f"select age_days, quantity from mart_inventory_aging where as_of = date '{end}'")
        lay = layers["quantity"].sum()
        expected[word] = {
            "amount": select_until(moves, end)["quantity"].sum(),
            "rate": select_until(sold, end, (end - first).days + 1)["quantity"].sum()
            / (held["quantity"] * held["days"]).sum()
            * 365,
            **{
                f"aged_{days}": layers.filter(pl.col("age_days") > days)["quantity"].sum() / lay
                for days in (90, 180)
            },
        }
    assert_equal(
        query_figures(mart, "CompanyInventoryreport", ("amount", "rate", "aged_90", "aged_180")), expected
    )


@BOTH
@pytest.mark.parametrize("period", DAYS)
def test_lines_of_best_sellers_in_earlier_days(mart: Mart, sold: pl.DataFrame, period: str) -> None:
    expected: dict[str, Figures] = {}
    for word, days in DAYS[period].items():
        lines = sold.filter(pl.col("business_date").is_between(*days))
        expected[word] = {
            "quantity": lines["quantity"].sum(),
            "amount": lines["amount"].sum(),
            "bills": lines.select("bill_type", "bill_no").n_unique(),
            "customers": lines["customer_id"].n_unique(),
        }
    assert_equal(
        query_figures(
            mart, "BestSellerInfo", tuple(next(iter(expected.values()))), f"period_label = '{period}'"
        ),
        expected,
    )


@BOTH
@pytest.mark.parametrize("period", DAYS)
def test_prices_are_of_one_goods(mart: Mart, sold: pl.DataFrame, period: str) -> None:
    days = {
        word: sold.filter(pl.col("business_date").is_between(*days)) for word, days in DAYS[period].items()
    }
    kept = set.intersection(*({*lines["goods_id"]} for lines in days.values()))
    goods = min(kept)
    expected: dict[str, Figures] = {}
    for word, lines in days.items():
        own = lines.filter(pl.col("goods_id") == goods)
        expected[word] = {"price": own["amount"].sum() / own["quantity"].sum()}
    chosen = f"period_label = '{period}'"
    assert_equal(
        query_figures(mart, "BestSellerInfo", ("price",), f"{chosen} and goods_id = {goods}"), expected
    )
    of_all = query_figures(mart, "BestSellerInfo", ("price",), chosen)
    assert [*of_all.values()] == [{"price": None}] * 3, "nothing costs what all of them do on average"


@BOTH
@pytest.mark.parametrize("side", ["应收", "应付"])
def test_bills_of_write_offs_are_counted_once(mart: Mart, side: str) -> None:
    bills = (
        f"select month, count(distinct bill_no) as bills from mart_write_off where side = '{side}' group by 1"
    )
    months = (
        f"select month, sum(bill_count) as bills from mart_write_off_month where side = '{side}' group by 1"
    )
    found = mart(months).sort("month")
    assert found["bills"].to_list() == mart(bills).sort("month")["bills"].to_list()
    assert len(found) > 12
