"""The context of a call: its connection, its principal, and notes and questions of its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlalchemy import Connection

from api.kit.errors import ConfirmationRequired, Forbidden, Refusal
from api.kit.scope import Principal, alternatives_of

CONTINUE_SUFFIX = "，是否继续？"
_WROTE = "select pg_current_xact_id_if_assigned() is not null"


@dataclass(frozen=True, slots=True)
class Session:
    """An authenticated login: its principal, and the key that signs its requests (None for API tokens)."""

    principal: Principal
    sign_key: str | None


@dataclass(slots=True)
class Context:
    """The state of one call, handed to its handler; the engine around it commits, never the handler."""

    conn: Connection
    principal: Principal
    idempotency_key: str | None = None
    request_hash: str = ""
    signature: bytes | None = None
    """The signature of the request; it is good for one command once."""
    host: str = ""
    origin: str = ""
    """The address that the request came to, without a path."""
    client: str = ""
    agent: str = ""
    device: str = ""
    """The device cookie, which the browser keeps since a login; it proves nothing by itself."""
    takes_gzip: bool = False
    """Whether the client accepts gzip (api/kit/http/content_encoding.py)."""
    new_device: str = ""
    """A new device cookie for the browser."""
    confirmed: bool = False
    """The user was warned and goes on."""
    counted: bool | None = None
    """The user's answer to all questions whether a bill not dated after a stocktake was counted by it."""
    answers: Mapping[str, bool] = field(default_factory=dict)
    """The same as he says of single questions, by what each was about."""
    questions: list[ConfirmationRequired] = field(default_factory=list)
    """Questions for the user, asked all at once: who confirms has read every one."""
    after_commit: list[Callable[[], None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Notes of the answer besides its success."""
    found_refusals: list[Refusal] | None = None
    """While all causes of a refusal are looked for: those found so far."""
    lookup_cache: dict[tuple[str, int], Any] = field(default_factory=dict)
    """Masters' values that were looked up for this context; many bills of one context read them once."""
    has_left: Callable[[], bool] = bool
    """Whether the client has disconnected; False in jobs."""
    in_turn: bool = False
    """Whether it has a place in a queue of slow work."""
    begin: Callable[[], None] | None = None
    """Begins each transaction of an idempotent call: claims its key."""

    @contextmanager
    def without_transaction(self) -> Iterator[None]:
        """Run the block without a transaction and its connection, for slow work after reading.

        Then begin another. Raises RuntimeError where the call has no queue, or wrote something already,
        which would be lost.
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
        self.lookup_cache.clear()
        if self.begin is not None:
            self.begin()

    @contextmanager
    def collecting_refusals(self) -> Iterator[None]:
        """Collect a refusal of the block while all causes are looked for, so that later checks run too."""
        try:
            yield
        except Refusal as refusal:
            if self.found_refusals is None:
                raise
            self.found_refusals.append(refusal)

    def raise_refusals(self, refusals: Sequence[Refusal]) -> None:
        """Raise several refusals as one, if there are any; while all causes are looked for, collect each."""
        if self.found_refusals is not None:
            self.found_refusals += refusals
        elif refusals:
            raise refusals[0] if len(refusals) == 1 else Refusal("；".join(one.msg for one in refusals))

    def require_right(self, right: str) -> None:
        """Raise Forbidden unless the principal has a right, or one of its alternatives."""
        if not any(self.principal.has_right(one) for one in alternatives_of(right)):
            raise Forbidden()

    def ask_confirmation(self, question: ConfirmationRequired) -> None:
        """Collect a question for the user, unless he has confirmed already."""
        if not self.confirmed:
            self.questions.append(question)

    def raise_questions(self) -> None:
        """Raise the collected questions as one."""
        questions, self.questions = self.questions, []
        if len(questions) == 1:
            raise questions[0]
        if questions:
            messages = dict.fromkeys(one.msg.removesuffix(CONTINUE_SUFFIX) for one in questions)
            data = next((one.data for one in questions if one.data is not None), None)
            raise ConfirmationRequired("；".join(messages) + CONTINUE_SUFFIX, data=data)

    def require_full_scope(self, doing: str) -> None:
        """Refuse what concerns the whole group to whoever doesn't see all of it."""
        if not self.principal.is_unrestricted:
            raise Refusal(f"只有能看全部公司的角色可以{doing}")


_current: ContextVar[Context | None] = ContextVar("context", default=None)


def current_context() -> Context | None:
    """Return the context of the request being answered; None in jobs and commands."""
    return _current.get()


@contextmanager
def active_context(ctx: Context) -> Iterator[None]:
    """Make a context the current one for the length of the block."""
    before = _current.set(ctx)
    try:
        yield
    finally:
        _current.reset(before)


class Authenticator(Protocol):
    """A function that turns a token into a session; identity supplies it."""

    def __call__(self, conn: Connection, token: str) -> Session: ...
