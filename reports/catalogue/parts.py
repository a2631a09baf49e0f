"""报表共用的列、筛选、图表与算式。"""

from __future__ import annotations

from reports.catalogue.model import CHANGE, Chart, Column, Dataset, Filter, Metric

COMPANY = Column("company_name", "公司")
WAREHOUSE = Column("warehouse_name", "仓库")
GOODS_TYPE = Column("type1_name", "商品类型")
BRAND = Column("brand_name", "品牌")
GOODS_NUM = Column("goods_num", "商品编码")
GOODS_NAME = Column("goods_name", "商品名称")
# Two goods may share a name, so that a chart by name alone would add them up.
GOODS_LABEL = Column("goods_label", "商品", sql="m.goods_num || ' ' || m.goods_name")
SPECIFICATION = Column("specification_type", "规格")
PATTERN = Column("pattern", "花纹")
CUSTOMER = Column("customer_name", "客户")
EMPLOYEE = Column("employee_name", "业务员")

# The freshness stamp. Written as local time of China: the frames must not depend on the server's time zone.
REFRESHED = Dataset(
    key="refreshed_at",
    label="数据更新时间",
    source="(select c.company_id, r.refreshed_at from refreshed_at as r cross join dim_company as c)",
    grain="company",
    columns=(
        Column(
            "refreshed_at",
            "更新时间",
            "datetime",
            sql="make_timestamp(cast(epoch_us(m.refreshed_at) as bigint) + 28800000000)",
        ),
    ),
    measures=(),
    metrics=(Metric("latest", "更新时间", "max(refreshed_at)"),),
)
STAMP = Chart("stamp", "数据更新时间", "stamp", REFRESHED.key, ("latest",), subtitle="每次审核后自动更新")


def total(name: str) -> str:
    """The sum of a measure, as a number that JSON keeps a number."""
    return f'cast(sum("{name}") as double)'


def ratio(top: str, base: str, factor: str = "") -> str:
    """A quotient of two aggregates, empty when the base is zero or negative."""
    times = f" * {factor}" if factor else ""
    return f"case when {base} > 0 then cast({top} as double){times} / cast({base} as double) end"


def change(now: str, before: str) -> str:
    """The change of an aggregate against another, empty when that is zero or negative."""
    return f"case when {before} > 0 then cast({now} as double) / cast({before} as double) - 1 end"


def change_metric(name: str, label: str, now: str, before: str) -> Metric:
    return Metric(name, label, change(now, before), CHANGE)


def period_filter(dataset: Dataset, column: str, label: str, *excludes: str) -> Filter:
    """One period at a time, opening on the newest; charts over many periods are excluded."""
    return Filter("period", label, dataset.key, column, multiple=False, latest=True, excludes=excludes)


def company_filter(dataset: Dataset) -> Filter:
    return Filter("company", "公司", dataset.key, "company_name")


def warehouse_filter(dataset: Dataset) -> Filter:
    return Filter("warehouse", "仓库", dataset.key, "warehouse_name", parent="company")


def goods_filters(dataset: Dataset) -> tuple[Filter, ...]:
    return (
        Filter("type", "商品类型", dataset.key, "type1_name"),
        Filter("brand", "品牌", dataset.key, "brand_name", parent="type"),
    )


def goods_filter(dataset: Dataset) -> Filter:
    """One or more goods by their number; addresses may carry it as `goods_num`."""
    return Filter("goods", "商品编码", dataset.key, "goods_num", parameter="goods_num", searched=True)
