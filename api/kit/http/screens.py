"""Screens (界面描述): descriptions that the web engine draws, from declarations and rights."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pydantic import BaseModel
from pydantic import Field as Described

from api.kit.bills import source_links
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, BillLine, Block
from api.kit.declaration.fields import Field
from api.kit.declaration.flow import TRANSITIONS, UNAUDITED
from api.kit.declaration.goods_bills import GoodsLine
from api.kit.declaration.menu import is_visited, route_code
from api.kit.declaration.resource import ACTION_LABELS, Declared, Resource
from api.kit.declaration.view import View
from api.kit.http.consequences import build_question, find_consequence
from api.kit.scope import Principal
from api.kit.storage.list_charts import find_chart_options
from api.kit.storage.listing import describe_keyword, list_visible_fields
from api.kit.storage.projection import column_names, masked_names, shown_fields

PRICING = {
    "quantity": "quantity",
    "price": "price",
    "discount": "discount_amount",
    "tax_rate": "tax_rate",
    "amount": "gross_amount",
    "total": "amount",
    "tax": "tax_amount",
    "no_tax": "no_tax_amount",
}
"""Line fields that the pricing rules compute from each other."""


class Option(BaseModel):
    value: int | str
    label: str


class RefScreen(BaseModel):
    resource: str
    api: str
    value: str
    label: str
    search: list[str]
    filter_by: list[str]
    only: dict[str, str]
    none: int | None = Described(description="代表没有，如品牌的 -1")
    at_once: bool
    disabled: bool
    beyond: bool


Options = list[Option]


class BoundsScreen(BaseModel):
    least: int | None
    most: int | None
    over: int | None
    under: int | None


class FieldScreen(BaseModel):
    name: str
    label: str
    type: str
    required: bool
    readonly: bool
    list: bool
    search: bool
    form: bool
    total: bool
    width: int
    max_length: int | None
    default: Any
    options: Options | None
    ref: RefScreen | None
    label_field: str | None
    rule: str | None
    bounds: BoundsScreen | None
    masked: bool
    copied: bool
    hidden: bool
    scene: str | None
    bill: bool = Described(description="另一张单据的编号；有几张时以、分开")
    optional: bool = Described(description="列默认不显示，可在列设置中选择")
    decides: bool | None = Described(description="是否与录入的数并列；未说明时，录入的数并列")
    span: str = Described(description="日期所指：day 某日，until 截至某日（只按 _end 查询），month 某月")
    since: str | None = Described(description="不能早于的日期字段")
    happened: bool = Described(default=False, description="已发生的日期：晚于今天的须确认")
    typed_in: str | None = Described(description="未录入时由系统计算；是否录入的标志字段")
    told_by: str | None = Described(description="读单据时代替它的字段，有值时以该字段为准")
    place: bool = Described(default=False, description="地址，可在地图上查看和选取")
    asked_unless: str | None = Described(default=None, description="表格里必填且不为 0，除非该标志为是")


class ActionScreen(BaseModel):
    name: str
    label: str
    scope: str
    sources: list[int] | None = Described(serialization_alias="from")
    confirm: str | None
    reason: bool
    danger: bool
    asks: list[str] = Described(description="执行前要填写的字段")
    foreseen: bool = Described(description="执行前先以 getConsequence 取后果给用户看")


class BlockSource(BaseModel):
    """A call that offers rows, narrowed by header fields.

    A row takes part of its open amount in the field `takes`. Rows of another bill's lines are `drawn`;
    others are open items to settle.
    """

    api: str
    by: list[str]
    takes: str
    drawn: bool


class ProposalScreen(BaseModel):
    """A button that asks `api` for rows, by values of the header and, where there are some in `of`, of the lines."""

    label: str
    api: str
    by: list[str]
    of: list[str]


class BlockScreen(BaseModel):
    name: str
    label: str
    fields: list[FieldScreen]
    required: bool
    source: BlockSource | None
    proposals: list[ProposalScreen]
    takes_available: bool = Described(default=False, description="审核时用掉表头仓库的可用库存")
    shown: int | None = None


class Order(BaseModel):
    key: str
    by: str


class FollowUpBill(BaseModel):
    """A later bill that can be made from this one: `route`?from=<key>, `api`/getDraft?id=<key>.

    One that is made from several types of bills is sent the `source` as well.
    """

    label: str
    route: str
    api: str
    source: str | None


class FileScreen(BaseModel):
    """A file that a record gives (`api`/name?id=<key>&<query>) or takes (multipart, `id` and `excel`)."""

    name: str
    label: str
    way: str
    query: dict[str, str]
    sources: list[int] | None = Described(serialization_alias="from")


class FillingScreen(BaseModel):
    """A call that fills empty fields: `api`/name takes a picture (multipart, `file`) or a `keyword`."""

    name: str
    label: str
    way: str


class DrillScreen(BaseModel):
    """A link of a row: `route`?<filter>=<value of field>…, or the address in the row's `route_field`."""

    label: str
    route: str
    by: dict[str, str]
    route_field: str


class Groups(BaseModel):
    """Columns that are empty unless the filter `by` has the value they are listed under."""

    by: str
    columns: dict[str, list[str]]


class ChartScreen(BaseModel):
    """The measures that the list's chart may sum up, and the axes it may sum them by."""

    axes: list[str]
    measures: list[str]


class Screen(BaseModel):
    """One screen of a resource or bill."""

    name: str
    label: str
    family: str
    kind: str
    api: str
    key: str
    see_key: str
    title_field: str
    routes: dict[str, str]
    keep_alive: bool
    fields: list[FieldScreen]
    line: BlockScreen | None
    blocks: list[BlockScreen]
    actions: list[ActionScreen]
    order: Order
    status_field: str | None
    pricing: dict[str, str] | None
    follow_ups: list[FollowUpBill]
    files: list[FileScreen]
    fillings: list[FillingScreen]
    drill: DrillScreen | None
    found_by: str | None = Described(description="关键字查找的引用字段")
    keyword: list[str] = Described(description="关键字查找的内容")
    line_filters: list[FieldScreen] = Described(description="不在列中的查询字段：按明细行、按是否被驳回")
    usual: dict[str, str] = Described(description="首次打开时的查询条件")
    groups: Groups | None = Described(description="汇总方式决定的列")
    leading: list[str] = Described(description="排在最前的列")
    chart: ChartScreen | None
    report: str | None = Described(description="报表的编码，打开时记录使用")
    filed: bool = Described(description="可导出为 Excel 明细、透视和 PDF，可订阅")
    note: str | None = Described(description="列表和表单上方的说明")
    uncounted: list[str] = Described(description="不计入合计的状态")


def describe_screen(
    cls: type[Resource], kind: str, principal: Principal, routes: dict[str, str] | None = None
) -> Screen:
    """Describe the screen of a class as a principal may see it.

    `routes` are those of the place where he is.
    """
    declaration = cls.declaration
    routes = routes or declaration.routes
    if declaration.see and _can_open_route(declaration.see, principal):
        routes = {**routes, "see": declaration.see}
    key, by = declaration.order_by or (cls.key().key, "desc")
    blocks = [_describe_block(cls, block, principal) for block in cls.blocks()]
    priced = any(issubclass(block.cls, GoodsLine) for block in cls.blocks())
    visited = kind == "list" and is_visited(routes["list"], declaration.question)
    is_report = kind == "list" and bool(declaration.question)
    return Screen(
        name=cls.name(),
        label=declaration.label,
        family="bill" if cls.bill else "resource",
        kind=kind,
        api=declaration.api,
        key=cls.key().key,
        see_key=declaration.see_key or cls.key().key,
        title_field=declaration.title,
        routes=routes,
        keep_alive=kind == "list",
        fields=describe_fields(cls, principal),
        line=blocks[0] if priced else None,
        blocks=blocks,
        actions=[
            _describe_action(cls, name)
            for name in declaration.actions
            if name != "list" and principal.has_right(cls.right(name))
        ],
        order=Order(key=key, by=by),
        status_field="status" if issubclass(cls, Bill) else None,
        pricing=PRICING if priced else None,
        follow_ups=_describe_follow_ups(cls, principal),
        files=_describe_files(cls, principal),
        fillings=_describe_fillings(cls, principal),
        drill=_describe_drill(cls, principal),
        found_by=cls.keyword_reference,
        keyword=describe_keyword(cls, principal),
        line_filters=[
            _describe_field(
                owner, item, masked=not principal.can_see(owner.name(), item.name, item.permission)
            )
            for owner, item in cls.search_fields().values()
            if item not in cls.fields()
        ],
        usual=cls.default_filters() if issubclass(cls, View) else {},
        groups=_describe_groups(cls),
        leading=list(cls.pinned_columns),
        chart=_describe_chart(cls, principal),
        report=route_code(routes["list"]) if visited else None,
        filed=is_report and issubclass(cls, View) and cls.exportable_as_report,
        note=declaration.note or None,
        uncounted=cls.uncounted_labels(),
    )


def _can_open_route(route: str, principal: Principal) -> bool:
    found = registry.find_by_route(route)
    return found is None or principal.has_right(found[0].right("list"))


def _describe_chart(cls: type[Resource], principal: Principal) -> ChartScreen | None:
    offered = find_chart_options(cls, list_visible_fields(cls, principal))
    if not offered:
        return None
    return ChartScreen(
        axes=[item.name for item in offered.axes], measures=[item.name for item in offered.measures]
    )


def _describe_groups(cls: type[Resource]) -> Groups | None:
    grouped = cls.grouped_columns() if issubclass(cls, View) else {}
    if not grouped:
        return None
    return Groups(
        by="grouping",
        columns={
            str(value): [column for name in names for column in column_names(cls.field(name))]
            for value, names in grouped.items()
        },
    )


def _describe_follow_ups(cls: type[Resource], principal: Principal) -> list[FollowUpBill]:
    return [
        FollowUpBill(
            label=f"生成{later.declaration.label}",
            route=later.declaration.routes["add"],
            api=later.declaration.api,
            source=cls.name() if len(source_links.list_offered_links(later)) > 1 else None,
        )
        for later in registry.list_resources()
        if later.bill and "add" in later.declaration.routes and principal.has_right(later.right("add"))
        if any(link.bill == cls.name() for link in source_links.list_offered_links(later))
    ]


def _describe_files(cls: type[Resource], principal: Principal) -> list[FileScreen]:
    return [
        FileScreen(
            name=call.name,
            label=call.label,
            way=call.way,
            query=dict(call.query),
            sources=list(call.status) if call.status else None,
        )
        for call in cls.declaration.files
        if principal.has_right(cls.right(call.action))
    ]


def _describe_fillings(cls: type[Resource], principal: Principal) -> list[FillingScreen]:
    offered = cls.declaration.fillings if any(map(principal.has_right, cls.form_rights())) else ()
    return [FillingScreen(name=one.name, label=one.label, way=one.way) for one in offered]


def _describe_drill(cls: type[Resource], principal: Principal) -> DrillScreen | None:
    drill = cls.declaration.drill
    if drill is None:
        return None
    if not _can_open_route(drill.route, principal):
        return None
    return DrillScreen(label=drill.label, route=drill.route, by=dict(drill.by), route_field=drill.route_field)


def describe_fields(cls: type[Declared], principal: Principal) -> list[FieldScreen]:
    """Describe a class's fields as a principal may see them."""
    hidden = masked_names(cls, cls.name(), principal)
    return [_describe_field(cls, item, masked=item.name in hidden) for item in shown_fields(cls)]


def _describe_field(cls: type[Declared], item: Field, *, masked: bool) -> FieldScreen:
    form = item.form and not issubclass(cls, View)
    return FieldScreen(
        name=item.name,
        label=item.label,
        type=item.kind,
        required=item.required,
        readonly=item.readonly or not form or masked,
        list=item.list,
        search=item.search and not masked,
        form=form,
        total=item.total,
        width=item.width,
        max_length=item.max_length,
        default=item.default,
        options=[Option(value=value, label=label) for value, label in item.options] or None,
        ref=_describe_reference(item) if item.ref else None,
        label_field=item.label_field if item.ref else None,
        rule=item.rule,
        bounds=BoundsScreen(**asdict(item.bounds)) if item.bounds else None,
        masked=masked,
        copied=item.copied,
        hidden=item.hidden,
        scene=item.scene,
        bill=item.bill,
        optional=item.optional,
        decides=item.decides,
        span=item.span,
        since=item.since,
        typed_in=item.typed_in,
        told_by=item.told_by,
        happened=item.happened,
        place=item.place,
        asked_unless=item.asked_unless,
    )


def _describe_reference(item: Field) -> RefScreen:
    assert item.ref
    target = registry.get_resource(item.ref.resource)
    return RefScreen(
        resource=target.name(),
        api=target.declaration.api,
        value=target.key().key,
        label=target.declaration.title,
        search=[field.name for field in target.fields() if field.search and field.kind == "text"],
        filter_by=list(item.ref.within),
        only={only[0]: ",".join(map(str, only[1]))} if (only := item.ref.only) else {},
        none=item.ref.none,
        at_once=item.ref.at_once or target.declaration.at_once,
        disabled=item.ref.disabled,
        beyond=item.ref.beyond,
    )


def _describe_block(cls: type[Resource], block: Block, principal: Principal) -> BlockScreen:
    return BlockScreen(
        name=block.name,
        label=block.label,
        fields=describe_fields(block.cls, principal),
        required=block.required,
        source=_describe_block_source(cls, block),
        proposals=[
            ProposalScreen(label=one.label, api=one.api, by=list(one.by), of=list(one.of))
            for one in block.proposals
        ],
        takes_available=issubclass(block.cls, BillLine) and block.cls.takes_available,
        shown=block.shown,
    )


def _describe_block_source(cls: type[Resource], block: Block) -> BlockSource | None:
    if block.source:
        return BlockSource(api=block.source, by=list(block.source_by), takes="amount", drawn=False)
    if not block.pick_from_sources or not issubclass(cls, Bill) or cls.bill is None:
        return None
    by, api = list(source_links.list_shared_columns(cls)), f"{cls.declaration.api}/getOpenLines"
    return BlockSource(api=api, by=by, takes=cls.bill.links[0].measure, drawn=True)


def _describe_action(cls: type[Resource], name: str) -> ActionScreen:
    step = TRANSITIONS.get(name)
    label = step.label if step else ACTION_LABELS[name]
    sources = sorted(step.source) if step else ([UNAUDITED] if cls.bill and name in ("edit", "del") else None)
    return ActionScreen(
        name=name,
        label=label,
        scope={"add": "page", "export": "page", "import": "page", "edit": "row"}.get(name, "batch"),
        sources=sources,
        confirm=step.confirm if step else build_question(cls, name, label),
        reason=bool(step and step.reason),
        danger=name == "del" or bool(step and step.danger),
        asks=list(cls.declaration.asks.get(name, ())),
        foreseen=find_consequence(cls, name) is not None,
    )
