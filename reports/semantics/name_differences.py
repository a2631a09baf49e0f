"""Equal names (同名数字).

Figures of one name in two reports are equal for the same period and filters, or differ for a reason that
is given here.

A test compares all pairs; readers see the reason beside the figure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class FigureDifference:
    """Reason why figures of some names (a pattern of the whole name) differ between places.

    Places are tabs as `code/tab` or whole reports: figures in them differ from those elsewhere; without
    places no two are the same.
    """

    names: str
    reason: str
    places: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.names)

    def explains(self, name: str, one: str, other: str) -> bool:
        """Return whether it explains why the figures of a name in two places differ."""
        if self.pattern.fullmatch(name) is None:
            return False
        if not self.places:
            return True
        if self.others:
            return any(
                _has(self.places, here) and _has(self.others, there)
                for here, there in ((one, other), (other, one))
            )
        return _has(self.places, one) != _has(self.places, other)


def _has(places: tuple[str, ...], place: str) -> bool:
    return place in places or place.split("/")[0] in places


NOW = ("CompanyInventoryreport", "commodityStocksQuery", "goodsinventoryrpt", "inDecisionAnalysisTable")
DIFFERENCES = (
    FigureDifference(".*", "经营日报是所选一天的，其中的变化是本月到那天的", ("BusinessDailyReport",)),
    FigureDifference(".*", "是所选一周的，其余是所选月的", ("warehouseTurnover/week",)),
    FigureDifference(".*", "畅销商品的是所选销售期间的", ("BestSeller", "BestSellerInfo")),
    FigureDifference(".*", "服务站毛利分析只有服务站公司的", ("stationProfitAnalysis",)),
    FigureDifference("库存.*|.*较.*月末.*|.*天以上占比.*", "一个是现在的库存，一个是所选月末的", NOW),
    FigureDifference("周转天数", "公司库存报表的按近一年的周转", ("CompanyInventoryreport",)),
    FigureDifference(
        ".*",
        "一个是所选截至日的，一个是所选月末的",
        ("ScheduleAccountsPayable/aging_day", "accountsReceivable/day", "facyorypayment/day"),
    ),
    FigureDifference(
        r"未到期|\d+–\d+天|180天以上|最长逾期（天）|.*逾期.*|本期退货|其他增加",
        "一个是应收的，一个是应付的",
        ("accountsReceivable", "ScheduleAccountsReceivable"),
        ("ScheduleAccountsPayable", "facyorypayment"),
    ),
    FigureDifference(r"\d+–\d+天", "一个是库龄的分段，一个是逾期天数的分段", ("inventoryAgingReport",)),
    FigureDifference("31–60天", "厂家付款分析另有一张按到期时间分段的表", ("facyorypayment",)),
    FigureDifference("(按进度)?较.*", "是表中主要数字的变化，各表的主要数字不同"),
    FigureDifference("销售收入", "营业收入报表里退货另列，销售收入没有减退货", ("OperatingRevenue",)),
    FigureDifference(
        "本期采购.*|付款率.*",
        "付款分析的采购已减退货，付款率是付款 ÷ 采购；应付款明细表里退货另列，付款率是付款 ÷（期初 + 采购）",
        ("inAnalysisTablePayment",),
    ),
    FigureDifference("上月末应付", "厂家付款分析里预付及未用返利另列，没有减去", ("facyorypayment",)),
    FigureDifference(
        "采购金额|采购数量",
        "采购价格分析只看付了钱的采购入库，不含赠品，不减退货",
        ("inPurchasingPriceAnalysisTable",),
    ),
    FigureDifference("订单金额", "一个是销售订单，一个是采购订单", ("SalesOrder",)),
    FigureDifference(".*指数.*", "采购经理指数是扩散指数，其余是价格的拉氏指数", ("pmi",)),
    FigureDifference("单据数", "畅销商品明细的是出库单和退货单，营业收入的只有出库单", ("BestSellerInfo",)),
    FigureDifference("退货率.*", "一个是销售的，一个是采购的", ("OperatingRevenue",)),
    FigureDifference(
        "销售较上月同期", "看得到成本时，品类购销分析按销售成本比较", ("categorySalesPurchase",)
    ),
)


def find_reason(name: str, one: str, other: str) -> str | None:
    """Return why the figures of a name in two places, each `code/tab`, are not the same.

    None where they are.
    """
    return (
        "；".join(difference.reason for difference in DIFFERENCES if difference.explains(name, one, other))
        or None
    )
