"""Resources (资源): a table, its screens, its calls and its rights from one declaration on a mapped class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from sqlalchemy import Column, ColumnElement, Row, Table, and_, true
from sqlalchemy.orm import MappedColumn

from api.kit.declaration import registry
from api.kit.declaration.fields import DerivedField, Field, collect_fields, name_initials_field
from api.kit.storage.database import Base
from api.kit.storage.initials import initials
from api.kit.storage.stamping import Stamped

if TYPE_CHECKING:
    from api.kit.context import Context
    from api.kit.declaration.document import BillType, Block
    from api.kit.storage.validation import Problems

READ = ("list",)
WRITE = ("add", "edit", "del")
BEYOND_SOURCE = "beyondSource"
"""Whoever holds it may let a return pass that comes to more than what it returns."""

ACTION_LABELS = {
    "list": "查看",
    "add": "新增",
    "edit": "修改",
    "del": "删除",
    "export": "导出",
    "import": "导入",
    "auditorPass": "审核",
    "auditorNoPass": "驳回",
    "antiAuditor": "反审核",
    "invalid": "作废",
    "close": "关闭",
    "open": "打开",
    "turnOrder": "转订单",
    "pause": "暂停",
    "generate": "生成返利单",
    "closePeriod": "结账",
    "openPeriod": "反结账",
    "start": "重算",
    "run": "运行",
    "confirmed": "确认预警",
    "reservationCut": "占用减少",
    "setup": "设置",
    "send": "发送",
    "upload": "上传",
    "verify": "校验",
    "download": "下载",
    "clear": "清理",
    "backup": "备份",
    "withdraw": "撤回",
    "publish": "发布",
    "imitate": "模拟登录",
    "cooperate": "转为供应商",
    "suspend": "停用",
    "resume": "启用",
    "rename": "按规则改名",
    "save": "保存",
    "overCredit": "超信用放行",
    "bind": "绑定",
    "transfer": "转移",
    "unbind": "解绑",
    "belowLowest": "低于最低价放行",
    "waive": "超额抹零",
    "sign": "签收",
    "unsign": "取消签收",
    "invoice": "开票",
    "collect": "收款",
    "followUp": "跟进",
    "convert": "转为客户",
    "giveUp": "放弃",
    "explore": "进入分析",
    "delOutOfStock": "删除缺货",
    "payLink": "付款链接",
    BEYOND_SOURCE: "超来源金额放行",
}


@dataclass(frozen=True, slots=True)
class Menu:
    """The place of a resource in the left menu: module, group inside it, order inside the group."""

    module: str
    group: str
    sort: int = 0


@dataclass(frozen=True, slots=True)
class Drill:
    """A link of a row to another list at `route`, filtered by the row's values.

    Or, without a route, to the address in the row's field `route_field`.
    """

    label: str
    route: str = ""
    by: tuple[tuple[str, str], ...] = ()
    route_field: str = ""


@dataclass(frozen=True, slots=True)
class FileCall:
    """A file that a record gives or takes: `name` is a call below its `api`, under the right of `action`.

    It is offered in these `status`, None for all.
    """

    name: str
    label: str
    way: Literal["download", "upload"]
    action: str
    query: tuple[tuple[str, str], ...] = ()
    status: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Filling:
    """A call that fills in a record's form: from a `picture` of a paper, or by a `search` among companies.

    `name` is the call below its `api`, under the right to add or to edit, `also` further names of it; `of`
    says what is read or searched. `fills` are pairs of a field and what it takes of that.
    """

    name: str
    label: str
    way: Literal["picture", "search"]
    of: str
    fills: tuple[tuple[str, str], ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScreenPlacement:
    """Screens of a resource at one place: routes by kind, and the menu entry."""

    routes: dict[str, str]
    menu: Menu | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of a mapped class, beyond its columns.

    `api`: prefix of its calls. `routes`: paths of list, add, edit, see. `title`: the column that stands
    for the row in references. `lookup`: path of its open lookup (spec/3-rules.md 7.1), which offers the
    user's own company's records by default if it `starts_at_home`. `also`: further places of the same
    screens. `see`: the page of another resource that shows a row, by the field `see_key`.
    `override_rights`: rights without a button, which let an action of their holder pass a control. `asks`:
    the fields that an action on chosen rows is sent with. `also_called`: calls that answer under another
    name of the specification's as well, or at a whole path, which begins with a slash; all of them answer
    at the prefixes `also_at`. `also_named`: further names of fields in dropdowns. `balance`: the column
    whose total a list of open amounts shows for its page and the whole. `question`: makes it a report,
    offered on the reports' home page by this and further search `words`, with its use recorded. `note`: a
    text above its list and form. `fillings`: calls that fill empty fields of the form. `at_once`: pickers
    read all records and search them in the browser. `distinguishing_fields`: fields beside the title by
    which records are told apart. `names_confidential`: even names are only for those who list or key what
    refers to it.
    """

    label: str
    api: str
    title: str
    routes: dict[str, str] = field(default_factory=dict)
    menu: Menu | None = None
    actions: tuple[str, ...] = (*READ, *WRITE, "export")
    order_by: tuple[str, str] | None = None
    lookup: str | None = None
    starts_at_home: bool = False
    drill: Drill | None = None
    also: tuple[ScreenPlacement, ...] = ()
    see: str | None = None
    see_key: str | None = None
    files: tuple[FileCall, ...] = ()
    fillings: tuple[Filling, ...] = ()
    override_rights: tuple[str, ...] = ()
    asks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    also_called: Mapping[str, str] = field(default_factory=dict)
    also_at: tuple[str, ...] = ()
    also_named: Mapping[str, str] = field(default_factory=dict)
    balance: str = ""
    question: str = ""
    words: str = ""
    note: str = ""
    at_once: bool = False
    distinguishing_fields: tuple[str, ...] = ()
    names_confidential: bool = False

    def paths(self, action: str) -> tuple[str, ...]:
        """Return the paths of a call, its default one first."""
        usual = tuple(f"{place}/{action}" for place in (self.api, *self.also_at))
        named = self.also_called.get(action)
        if named is None:
            return usual
        return (*usual, named.removeprefix("/") if named.startswith("/") else f"{self.api}/{named}")

    @property
    def rights(self) -> tuple[str, ...]:
        """All rights that a role may have here."""
        return (*self.actions, *self.override_rights)

    @property
    def places(self) -> tuple[ScreenPlacement, ...]:
        """All places of the screens, the first one first."""
        return (ScreenPlacement(self.routes, self.menu), *self.also)


class SearchField(NamedTuple):
    """A field that a list is filtered by, and the class whose table has it."""

    owner: type[Declared]
    field: Field


class Declared(Stamped, Base):
    """A mapped class whose columns carry fields: a resource, or the lines of one."""

    __abstract__ = True

    derived: ClassVar[tuple[DerivedField, ...]] = ()
    extract: ClassVar[bool] = True

    @classmethod
    def name(cls) -> str:
        return str(cls.__tablename__)

    @classmethod
    def table(cls) -> Table:
        return cls.__table__  # type: ignore[return-value]

    @classmethod
    def key(cls) -> Column[Any]:
        """Return the single primary key column."""
        return next(iter(cls.table().primary_key.columns))

    @classmethod
    def fields(cls) -> tuple[Field, ...]:
        """Return stored fields in declared order, then derived ones."""
        cached = cls.__dict__.get("_fields")
        if cached is None:
            cached = (
                *collect_fields(list(cls.table().columns)),
                *(item.field for item in cls.derived),
            )
            cls._fields = cached
        return cached

    @classmethod
    def field(cls, name: str) -> Field:
        return next(item for item in cls.fields() if item.name == name)

    @classmethod
    def column(cls, name: str) -> ColumnElement[Any] | None:
        """Return what a filter compares: a column, or SQL over the table."""
        return cls.table().columns.get(name)

    @classmethod
    def search_texts(cls, apart: bool) -> tuple[ColumnElement[str], ...]:
        """Hook: return texts beside the search fields that a keyword is searched in, as SQL.

        `apart` from the core.
        """
        return ()

    @classmethod
    def search_fields(cls) -> dict[str, SearchField]:
        """Return the fields that rows are filtered by, by the name in a query."""
        return {item.name: SearchField(cls, item) for item in cls.fields() if item.search}

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        """Hook: validate a whole row before it is saved; raise `InvalidInput`."""

    @classmethod
    def fill_defaults(cls, row: dict[str, Any]) -> None:
        """Hook: fill pinyin initials from the names that they are of; those that are keyed in are kept."""
        for item in cls.fields():
            if item.initials_of and row.get(item.initials_of) and not (item.writable and row.get(item.name)):
                row[item.name] = initials(row[item.initials_of])


class Resource(Declared):
    """Base of declared classes; a subclass with a `declaration` is registered when it is mapped."""

    __abstract__ = True

    declaration: ClassVar[Declaration]
    bill: ClassVar[BillType | None] = None
    child_tables: ClassVar[tuple[Block, ...]] = ()
    """Tables of rows that are written with a plain record."""
    reads_extract: ClassVar[bool] = False
    """Whether its rows are read from the warehouse, which has only what is extracted from the core."""
    keyword_reference: ClassVar[str | None] = None
    """A reference whose record a keyword is looked for in, instead of in fields of the class's own."""
    choice_fields: ClassVar[tuple[tuple[DerivedField, str], ...]] = ()
    """Fields of its dropdowns beside those of its list, and the `class.field` that each repeats, which hides it;
    `{goods}` in the SQL is the requested goods, 0 none."""
    pinned_columns: ClassVar[tuple[str, ...]] = ()
    """Columns that come before the others, so that the figures that matter are seen without scrolling."""

    def __init_subclass__(cls, **options: Any) -> None:
        if "declaration" in cls.__dict__ and cls.bill is None and cls.metadata is Base.metadata:
            _add_title_initials(cls)
        super().__init_subclass__(**options)
        if "declaration" in cls.__dict__:
            registry.register_resource(cls)

    @classmethod
    def selectable_condition(cls) -> ColumnElement[bool]:
        """Hook: return the condition of rows that others may refer to; the system may keep some."""
        return true()

    @classmethod
    def counted_condition(cls) -> ColumnElement[bool]:
        """Return the condition of rows that add to the totals of a list: those of no uncounted choice."""
        columns = cls.table().columns
        return and_(
            true(), *(columns[item.name].not_in(item.uncounted) for item in cls.fields() if item.uncounted)
        )

    @classmethod
    def uncounted_labels(cls) -> list[str]:
        """Return the labels of the choices whose rows add to no total."""
        return [dict(item.options)[choice] for item in cls.fields() for choice in item.uncounted]

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        """Hook: refuse a save that the action's right alone doesn't allow, say granting more rights."""

    @classmethod
    def describe_dependents(cls, ctx: Context, key: int, name: str) -> list[str]:
        """Hook: describe what else than bills forbids to change a fixed field, say stock."""
        return []

    @classmethod
    def blocks(cls) -> tuple[Block, ...]:
        """Return the tables of rows below a record."""
        return cls.bill.blocks if cls.bill else cls.child_tables

    @classmethod
    def validate_record(
        cls, ctx: Context, row: dict[str, Any], children: dict[str, list[dict[str, Any]]], problems: Problems
    ) -> None:
        """Hook: add problems that only its type knows, and fill what follows from other values."""

    @classmethod
    def right(cls, action: str) -> str:
        """Return the permission code of one of its actions."""
        return f"{cls.name()}:{action}"

    @classmethod
    def form_rights(cls) -> list[str]:
        """Return the permission codes of those who fill in its form."""
        return [cls.right(action) for action in ("add", "edit") if action in cls.declaration.actions]


def _add_title_initials(cls: type[Resource]) -> None:
    """Add a column of initials to records added by hand and titled by a name, unless a column holds them."""
    title = cls.declaration.title
    own = [one.column.info.get("field") for one in cls.__dict__.values() if isinstance(one, MappedColumn)]
    spelled = any(item is not None and item.initials_of == title for item in own)
    if "add" in cls.declaration.actions and title.endswith("name") and title in cls.__dict__ and not spelled:
        cls.logogram = name_initials_field(title)
