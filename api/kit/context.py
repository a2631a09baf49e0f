"""The context of a call: its connection, its principal, and what a request may want to say once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlalchemy import Connection

from api.kit.errors import Forbidden, Refusal, StockWarningAsk
from api.kit.scope import Principal, alternatives_of

GO_ON = "，是否继续？"
_WROTE = "select pg_current_xact_id_if_assigned() is not null"


@dataclass(frozen=True, slots=True)
class Session:
    """A proven login: its principal, and the key its requests are signed with (None for API tokens)."""

    principal: Principal
    sign_key: str | None


@dataclass(slots=True)
class Context:
    """What a handler works with; the engine around it commits, never the handler."""

    conn: Connection
    principal: Principal
    idempotency_key: str | None = None
    request_hash: str = ""
    signature: bytes | None = None
    """What a signed request proves itself with: it opens one command once."""
    host: str = ""
    origin: str = ""
    """The address that the request came to, without a path."""
    client: str = ""
    agent: str = ""
    device: str = ""
    """What the browser keeps since somebody logged in on it; it proves nothing by itself."""
    takes_gzip: bool = False
    """Whether who asks can unpack gzip (api/kit/content_encoding.py)."""
    keeps: str = ""
    """What the browser is given to keep."""
    confirmed: bool = False
    """The user was warned and goes on."""
    counted: bool | None = None
    """Whether what is not dated after a stocktake was counted by it, as the user says of whatever he may be asked."""
    answers: Mapping[str, bool] = field(default_factory=dict)
    """The same as he says of single questions, by what each was about."""
    questions: list[StockWarningAsk] = field(default_factory=list)
    """What the user is to be asked about, all of it at once: who goes on has read every question."""
    after_commit: list[Callable[[], None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the answer tells beside that all went well."""
    refused: list[Refusal] | None = None
    """While all causes of a refusal are looked for: those found so far."""
    known: dict[tuple[str, int], Any] = field(default_factory=dict)
    """Masters' values that were looked up for this context; many bills of one context read them once."""
    has_left: Callable[[], bool] = bool
    """Whether who asked is gone; a job's asker never is."""
    in_turn: bool = False
    """Whether it has a place among those that may do slow work."""
    begin: Callable[[], None] | None = None
    """What begins each transaction of a call that is done once: claims its key."""

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Without a transaction and its connection, for slow work after reading; another begins when it is done.

        Raises RuntimeError where the call has no queue before it, or wrote something already, which would be lost.
        """
        if not self.in_turn:
            raise RuntimeError("slow work without a queue before it: declare the call's turns")
        if self.begin is None and self.conn.exec_driver_sql(_WROTE).scalar():
            raise RuntimeError("slow work after something was written")
        engine = self.conn.engine
        self.conn.rollback()
        self.conn.close()
        yield
        self.conn = engine.connect()
        self.known.clear()
        if self.begin is not None:
            self.begin()

    @contextmanager
    def part(self) -> Iterator[None]:
        """A control that says nothing of what follows it, which is tried as well while all causes are looked for."""
        try:
            yield
        except Refusal as refusal:
            if self.refused is None:
                raise
            self.refused.append(refusal)

    def refuse(self, refusals: Sequence[Refusal]) -> None:
        """Refuse for several causes at once, if there are any; each is told by itself where all are looked for."""
        if self.refused is not None:
            self.refused += refusals
        elif refusals:
            raise refusals[0] if len(refusals) == 1 else Refusal("；".join(one.msg for one in refusals))

    def require(self, right: str) -> None:
        """Refuse unless the principal holds a right, or one of those that are enough."""
        if not any(self.principal.may(one) for one in alternatives_of(right)):
            raise Forbidden()

    def ask(self, question: StockWarningAsk) -> None:
        """Have the user asked at the end of what he does, unless he goes on already."""
        if not self.confirmed:
            self.questions.append(question)

    def settle_questions(self) -> None:
        """Raise what the user is to be asked, as one question."""
        asked, self.questions = self.questions, []
        if len(asked) == 1:
            raise asked[0]
        if asked:
            told = dict.fromkeys(one.msg.removesuffix(GO_ON) for one in asked)
            data = next((one.data for one in asked if one.data is not None), None)
            raise StockWarningAsk("；".join(told) + GO_ON, data=data)

    def require_everything(self, doing: str) -> None:
        """Refuse what concerns the whole group to whoever does not see all of it."""
        if not self.principal.everywhere:
            raise Refusal(f"只有能看全部公司的角色可以{doing}")


_current: ContextVar[Context | None] = ContextVar("context", default=None)


def current() -> Context | None:
    """The context of the request that is being answered here; None in jobs and commands."""
    return _current.get()


@contextmanager
def answering(ctx: Context) -> Iterator[None]:
    """A request is answered for the length of the block."""
    before = _current.set(ctx)
    try:
        yield
    finally:
        _current.reset(before)


class Authenticator(Protocol):
    """Turns a token into a session; identity supplies it."""

    def __call__(self, conn: Connection, token: str) -> Session: ...
