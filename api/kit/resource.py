"""Resources (资源): a table, its screens, its calls and its rights from one declaration on a mapped class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from sqlalchemy import Column, ColumnElement, Row, Table, and_, true
from sqlalchemy.orm import MappedColumn

from api.kit import registry
from api.kit.database import Base
from api.kit.fields import Derived, Field, fields_of, name_initials
from api.kit.initials import initials
from api.kit.stamping import Stamped

if TYPE_CHECKING:
    from api.kit.context import Context
    from api.kit.document import BillType, Block
    from api.kit.validation import Problems

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
    """Where a resource stands in the left menu: module, group inside it, order inside the group."""

    module: str
    group: str
    sort: int = 0


@dataclass(frozen=True, slots=True)
class Drill:
    """Where a row leads: another list at `route`, filtered by the row's values; or, without one, the address that the
    row's field `route_field` holds."""

    label: str
    route: str = ""
    by: tuple[tuple[str, str], ...] = ()
    route_field: str = ""


@dataclass(frozen=True, slots=True)
class FileCall:
    """A file that a record gives or takes: `name` is a call below its `api`, under the right of `action`; `status` are
    those it is offered in, None for all."""

    name: str
    label: str
    way: Literal["download", "upload"]
    action: str
    query: tuple[tuple[str, str], ...] = ()
    status: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Filling:
    """What fills in a record's form: a `picture` of a paper that is read, or a `search` among companies.

    `name` is the call below its `api`, under the right to add or to edit, `also` further names of it; `of` says what is
    read or searched. `fills` are pairs of a field and what it takes of that.
    """

    name: str
    label: str
    way: Literal["picture", "search"]
    of: str
    fills: tuple[tuple[str, str], ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Screens of a resource at one place: routes by kind, and the menu entry."""

    routes: dict[str, str]
    menu: Menu | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a mapped class says of itself beyond its columns.

    `api` is the prefix of its calls; `routes` maps list, add, edit, see to paths; `title` names the column that stands
    for the row in references; `lookup` is the path of its open lookup (spec/3-rules.md 7.1), which offers those of the
    user's own company where none is asked for and it `starts_at_home`. `also` are further places
    where the same screens stand. Rows open at `see`, by the field `see_key`, where that is another resource's page.
    `allowances` are rights without a button: what an action of its holder passes that another's would not. `asks` are
    the fields whose values an action on chosen rows is sent with. `also_called` are calls that answer under another
    name of the specification's as well, or at a whole path of its, which begins with a stroke; at the prefixes
    `also_at` all of them do. In dropdowns, fields go by the names `also_named` as well. A list of what remains names
    the `balance` that its pages and the whole are told to come to. What has a `question` is a report that answers it:
    the reports' home page offers it, by these and further `words` of people who look for it, and its use is recorded.
    A `note` stands above its list and form; its `fillings` fill in what is empty in the form. Pickers read what is
    `at_once` whole, and search it in the browser. Its `tells` are the fields beside the title by which records are told
    apart, by anybody; of what is `confided` even the names are for those alone who list or key what refers to it.
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
    also: tuple[Place, ...] = ()
    see: str | None = None
    see_key: str | None = None
    files: tuple[FileCall, ...] = ()
    fillings: tuple[Filling, ...] = ()
    allowances: tuple[str, ...] = ()
    asks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    also_called: Mapping[str, str] = field(default_factory=dict)
    also_at: tuple[str, ...] = ()
    also_named: Mapping[str, str] = field(default_factory=dict)
    balance: str = ""
    question: str = ""
    words: str = ""
    note: str = ""
    at_once: bool = False
    tells: tuple[str, ...] = ()
    confided: bool = False

    def paths(self, action: str) -> tuple[str, ...]:
        """The paths of a call, its usual one first."""
        usual = tuple(f"{place}/{action}" for place in (self.api, *self.also_at))
        named = self.also_called.get(action)
        if named is None:
            return usual
        return (*usual, named.removeprefix("/") if named.startswith("/") else f"{self.api}/{named}")

    @property
    def rights(self) -> tuple[str, ...]:
        """Everything that a role may hold here."""
        return (*self.actions, *self.allowances)

    @property
    def places(self) -> tuple[Place, ...]:
        """Every place of the screens, the first one first."""
        return (Place(self.routes, self.menu), *self.also)


class Searched(NamedTuple):
    """A field that a list is filtered by, and the class whose table has it."""

    owner: type[Declared]
    field: Field


class Declared(Stamped, Base):
    """A mapped class whose columns carry fields: a resource, or the lines of one."""

    __abstract__ = True

    derived: ClassVar[tuple[Derived, ...]] = ()
    extract: ClassVar[bool] = True

    @classmethod
    def name(cls) -> str:
        return str(cls.__tablename__)

    @classmethod
    def table(cls) -> Table:
        return cls.__table__  # type: ignore[return-value]

    @classmethod
    def key(cls) -> Column[Any]:
        """The single primary key column."""
        return next(iter(cls.table().primary_key.columns))

    @classmethod
    def fields(cls) -> tuple[Field, ...]:
        """Stored fields in declared order, then derived ones."""
        cached = cls.__dict__.get("_fields")
        if cached is None:
            cached = (
                *fields_of(list(cls.table().columns)),
                *(item.field for item in cls.derived),
            )
            cls._fields = cached
        return cached

    @classmethod
    def field(cls, name: str) -> Field:
        return next(item for item in cls.fields() if item.name == name)

    @classmethod
    def column(cls, name: str) -> ColumnElement[Any] | None:
        """What a filter compares: a column, or SQL over the table."""
        return cls.table().columns.get(name)

    @classmethod
    def known_by(cls, apart: bool) -> tuple[ColumnElement[str], ...]:
        """Texts beside the search fields that rows are found by, as SQL over the table; `apart` from the core."""
        return ()

    @classmethod
    def searched(cls) -> dict[str, Searched]:
        """What rows are filtered by, by the name in a query."""
        return {item.name: Searched(cls, item) for item in cls.fields() if item.search}

    @classmethod
    def check(cls, row: dict[str, Any]) -> None:
        """Rules over a whole row before it is saved; override, and refuse with `Invalid`."""

    @classmethod
    def complete(cls, row: dict[str, Any]) -> None:
        """Fill pinyin initials from the names that they are of; those that are keyed in are kept."""
        for item in cls.fields():
            if item.initials_of and row.get(item.initials_of) and not (item.writable and row.get(item.name)):
                row[item.name] = initials(row[item.initials_of])


class Resource(Declared):
    """Base of declared classes; a subclass with a `declaration` is registered when it is mapped."""

    __abstract__ = True

    declaration: ClassVar[Declaration]
    bill: ClassVar[BillType | None] = None
    below: ClassVar[tuple[Block, ...]] = ()
    """Tables of rows that are written with a plain record."""
    apart: ClassVar[bool] = False
    """Whether its rows are read where there is only what is extracted from the core."""
    found_by: ClassVar[str | None] = None
    """A reference whose record a keyword is looked for in, instead of in fields of the class's own."""
    chosen_by: ClassVar[tuple[tuple[Derived, str], ...]] = ()
    """What its dropdowns tell beside the fields of its list, and the `class.field` that each repeats, which hides it;
    `{goods}` in the SQL is the goods asked for, 0 none."""
    leading: ClassVar[tuple[str, ...]] = ()
    """Columns that stand before the others, so that the figures that matter are seen without moving the list."""

    def __init_subclass__(cls, **options: Any) -> None:
        if "declaration" in cls.__dict__ and cls.bill is None and cls.metadata is Base.metadata:
            _spell_title(cls)
        super().__init_subclass__(**options)
        if "declaration" in cls.__dict__:
            registry.register(cls)

    @classmethod
    def choosable(cls) -> ColumnElement[bool]:
        """Which rows others may refer to; override where the system keeps some for itself."""
        return true()

    @classmethod
    def counted(cls) -> ColumnElement[bool]:
        """Which rows add to the totals of a list: those of no uncounted choice."""
        columns = cls.table().columns
        return and_(
            true(), *(columns[item.name].not_in(item.uncounted) for item in cls.fields() if item.uncounted)
        )

    @classmethod
    def uncounted(cls) -> list[str]:
        """What the choices are called whose rows add to no total."""
        return [dict(item.options)[choice] for item in cls.fields() for choice in item.uncounted]

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        """Refuse a save that the action's right alone doesn't allow, say granting more than one holds; override."""

    @classmethod
    def holding(cls, ctx: Context, key: int, name: str) -> list[str]:
        """What else than bills stands against a change of a fixed field, say stock; override."""
        return []

    @classmethod
    def blocks(cls) -> tuple[Block, ...]:
        """The tables of rows below a record."""
        return cls.bill.blocks if cls.bill else cls.below

    @classmethod
    def inspect(
        cls, ctx: Context, row: dict[str, Any], children: dict[str, list[dict[str, Any]]], problems: Problems
    ) -> None:
        """Add the mistakes of a draft or record that only its type knows, fill what follows from others; override."""

    @classmethod
    def right(cls, action: str) -> str:
        """The permission code of one of its actions."""
        return f"{cls.name()}:{action}"

    @classmethod
    def writing(cls) -> list[str]:
        """The permission codes of those who fill in its form."""
        return [cls.right(action) for action in ("add", "edit") if action in cls.declaration.actions]


def _spell_title(cls: type[Resource]) -> None:
    """Have records that are added by hand and go by a name found by its initials, unless a column holds them."""
    title = cls.declaration.title
    own = [one.column.info.get("field") for one in cls.__dict__.values() if isinstance(one, MappedColumn)]
    spelled = any(item is not None and item.initials_of == title for item in own)
    if "add" in cls.declaration.actions and title.endswith("name") and title in cls.__dict__ and not spelled:
        cls.logogram = name_initials(title)
