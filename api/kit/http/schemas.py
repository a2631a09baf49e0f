"""Schemas (接口结构): request and response models of a declared class, for OpenAPI and the web's types.

Requests are read loosely and checked by `validation`, which names each mistake in Chinese.
"""

from __future__ import annotations

from types import GenericAlias
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, create_model
from pydantic import Field as Described

from api.kit.declaration.document import ChildRow
from api.kit.declaration.fields import Field
from api.kit.declaration.goods_bills import DrawnLine
from api.kit.declaration.lazy_models import cached_model
from api.kit.declaration.resource import Declared, Resource
from api.kit.storage.projection import shown_fields

T = TypeVar("T")
JSON_TYPES: dict[str, Any] = {"bool": bool, "enum": int | str, "ref": int, "integer": int}
Key = Annotated[int, Described(ge=0, le=2**62)]


class Payload(BaseModel):
    """A request body; unknown names are ignored."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class Keys(Payload):
    """The records an action is for."""

    ids: list[Key] = Described(min_length=1, max_length=1000, description="要操作的记录")


class Act(Keys):
    """A transition's body."""

    reason: str | None = Described(None, max_length=200, description="原因")
    confirmed: bool = Described(False, description="已看到安全库存预警（363），仍继续")
    counted: bool | None = Described(
        None,
        description="日期不晚于盘点的单据（363，asks 为 counted）：其商品当时是否已盘在内，对所有询问同一回答",
    )
    answers: dict[str, bool] = Described(
        {}, description="同上，按询问（question）分别回答；其间又有变动的会重新询问"
    )
    revisions: dict[Key, int] = Described({}, description="读到的版本，按单据；其间有人改过的不做")


class WayOn(BaseModel):
    """A remedy for a cause, and the page that leads on, if any."""

    label: str
    route: str


class Reason(BaseModel):
    """One cause for which an action is refused; `kind` where the ledgers refuse it."""

    msg: str
    ways: list[WayOn]
    kind: str | None = None


class ConfirmationQuestion(BaseModel):
    """One of several questions that are asked at once, by the key of its subject."""

    question: str
    msg: str


class FailureRow(BaseModel):
    """A row that failed; `code` 362 or 363 is a warning.

    A 363 goes through confirmed, or once its `asks` is answered. `reasons` are the causes one by one,
    which `msg` joins; a single bill's refusal has them in its data.
    """

    index: int
    serial: str
    msg: str
    code: int | None = None
    asks: str | None = None
    questions: list[ConfirmationQuestion] = []
    reasons: list[Reason] = []


class BatchAnswer(BaseModel):
    """The records that went through, and the failures; `notes` say what else came of it, in words."""

    success: list[int]
    failures: list[FailureRow]
    notes: list[str] = []


class Saved(BaseModel):
    id: int
    bill_no: str | None = None


class Totals(BaseModel):
    """Row count and totals of a whole filter, and how many rows are `uncounted`, as voided ones are."""

    total: int
    totals: dict[str, str]
    uncounted: int


class LogRow(BaseModel):
    log_id: int
    action: str
    action_name: str
    user_name: str
    imitator_name: str | None
    before: Any
    after: Any
    reason: str | None
    at: str


class ResponseModel(BaseModel):
    """Base of response models: only the API's description needs them, so none is built at the start."""

    model_config = ConfigDict(defer_build=True)


class Paged(ResponseModel, Generic[T]):
    """A page of rows; `listing.build_page` makes one."""

    data: list[T]
    total: int
    current_page: int
    per_page: int
    last_page: int


class Oldest(ResponseModel, Generic[T]):
    """The first rows of what may be a longer list, and whether it is."""

    data: list[T]
    more: bool


class Count(BaseModel):
    count: int


def list_of(model: type[BaseModel]) -> Any:
    """Return the type of a list of a model that is made only here."""
    return GenericAlias(list, (model,))


def _request_field(item: Field) -> tuple[Any, Any]:
    kind = JSON_TYPES.get(item.kind, str)
    kind = kind | None if item.kind == "text" else kind | str | None
    return (kind, Described(None, description=item.label + ("（必填）" if item.required else "")))


def _response_fields(item: Field) -> dict[str, Any]:
    found = {
        item.name: (JSON_TYPES.get(item.kind, str) | str | None, Described(None, description=item.label))
    }
    if item.ref and item.label_field:
        found[item.label_field] = (str | None, Described(None, description=item.label))
    return found


@cached_model
def save_model(cls: type[Declared]) -> type[Payload]:
    """Build the body of add and edit; `id` and `revision` matter to edit alone."""
    members: dict[str, Any] = {item.name: _request_field(item) for item in cls.fields() if item.writable}
    if issubclass(cls, ChildRow):
        members["line_id"] = (int | str | None, Described(None, description="读取时的行，隐藏的字段按它保留"))
    if issubclass(cls, DrawnLine):
        description = "读取时的来源说明；优惠金额仍是当时建议的，就随来源分摊"
        members["drawn"] = (dict[str, Any] | None, Described(None, description=description))
    if issubclass(cls, Resource):
        members["id"] = (int | str | None, Described(None, description="要修改的记录"))
        members["confirmed"] = (bool, Described(False, description="已看到疑问（363），仍保存"))
        members["revision"] = (int | str | None, Described(None, description="读取时的版本，修改时必填"))
        for block in cls.blocks():
            members[block.name] = (
                list_of(save_model(block.cls)) | None,
                Described(None, description=block.label),
            )
    return create_model(f"{cls.__name__}Save", __base__=Payload, **members)


@cached_model
def row_model(cls: type[Declared]) -> type[BaseModel]:
    """Build a row as lists and details answer it: numbers as strings, hidden fields as 无权限."""
    members: dict[str, Any] = {cls.key().key: (int, ...)}
    for item in shown_fields(cls):
        members.update(_response_fields(item))
    if issubclass(cls, DrawnLine):
        description = "来源行的数量、金额与此前已分摊的部分，有不可见的金额时不含；未审核单据"
        members["drawn"] = (dict[str, Any] | None, Described(None, description=description))
    return create_model(f"{cls.__name__}Row", __base__=ResponseModel, **members)


def rows_of(cls: type[Declared]) -> Any:
    """Return the type of a list of rows."""
    return list_of(row_model(cls))


@cached_model
def choice_model(cls: type[Resource]) -> type[BaseModel]:
    """Build a row of a dropdown: that of the list, with the fields that only who chooses sees."""
    members: dict[str, Any] = {}
    for one, _ in cls.choice_fields:
        members.update(_response_fields(one.field))
    for name, of in cls.declaration.also_named.items():
        members[name] = _response_fields(cls.field(of))[of]
    return (
        create_model(f"{cls.__name__}Choice", __base__=row_model(cls), **members)
        if members
        else row_model(cls)
    )


def choices_of(cls: type[Resource]) -> Any:
    """Return the type of a list of choices."""
    return list_of(choice_model(cls))


@cached_model
def choices_model(cls: type[Resource]) -> type[BaseModel]:
    """Build a page of choices, with the fields that tell them apart."""
    made: type[BaseModel] = create_model(f"{cls.__name__}Choices", __base__=Paged[choice_model(cls)])  # type: ignore[misc,call-overload]
    return made


@cached_model
def info_model(cls: type[Resource]) -> type[BaseModel]:
    """Build a detail: the row, its revision, and its blocks."""
    members: dict[str, Any] = {}
    if cls.bill:
        members["revision"] = (int, ...)
    elif "row_xid" in cls.table().c and "revision" not in cls.table().c:
        members["revision"] = (str, ...)
    for block in cls.blocks():
        members[block.name] = (rows_of(block.cls), Described(description=block.label))
    return create_model(f"{cls.__name__}Info", __base__=row_model(cls), **members)


@cached_model
def page_model(cls: type[Resource]) -> type[BaseModel]:
    """Build a page of a list; one of open amounts has the totals of the page and the whole."""
    balance: dict[str, Any] = {
        "this_page": (str | None, Described(None, description="本页余额")),
        "total_balance": (str | None, Described(None, description="余额合计")),
    }
    return create_model(
        f"{cls.__name__}Page",
        __base__=ResponseModel,
        data=(rows_of(cls), ...),
        total=(int | None, ...),
        current_page=(int, ...),
        per_page=(int, ...),
        last_page=(int | None, ...),
        totals=(dict[str, str], ...),
        uncounted=(int, Described(0, description="不计入合计的行数，如已作废的单据")),
        refreshed_at=(str | None, Described(None, description="数据截至，仅报表")),
        notices=(list[str], Described([], description="数字为何没有更新、为何可能变化，仅报表")),
        **(balance if cls.declaration.balance else {}),
    )
