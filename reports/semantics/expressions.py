"""Expressions (算式): the typed tree of a metric, which renders its SQL and answers what it is made of.

Nodes are immutable and compare by what they compute. Structure is asked of the tree, never read from the SQL:
whether it may be added up, which columns it names, whether it looks at other rows. Operands are put in brackets where
the precedence of operators asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from string import Formatter
from typing import Literal

Operator = Literal["or", "and", "=", "<>", ">", ">=", "<", "<=", "+", "-", "*", "/"]
PRECEDENCE: Mapping[str, int] = {
    "or": 1,
    "and": 2,
    "not": 3,
    **dict.fromkeys(("=", "<>", ">", ">=", "<", "<=", "is", "in"), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/"), 6),
    "negative": 7,
}
ATOM = 8
"""The precedence of what holds together by itself."""


@dataclass(frozen=True)
class Expression:
    """A node. Its parts are the fields that hold nodes, so that a new kind has to say only how it is written."""

    @property
    def precedence(self) -> int:
        """How tightly it holds together as an operand."""
        return ATOM

    @property
    def is_additive(self) -> bool:
        """True if figures of parts add up to the figure of the whole: of a sum, of sums and differences of such."""
        return False

    @property
    def is_count(self) -> bool:
        """True if it counts rows, so that without any it is 0."""
        return False

    @property
    def sql(self) -> str:
        """The expression as it is sent to DuckDB."""
        raise NotImplementedError

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The nodes directly below."""
        return tuple(part for value in self._values.values() for part in _nodes(value))

    @property
    def columns(self) -> frozenset[str]:
        """The names of the columns and measures that it reads."""
        return frozenset[str]().union(*(part.columns for part in self.parts))

    @property
    def has_count(self) -> bool:
        """True if rows without values count in it too."""
        return any(node.is_count for node in self.walk())

    @property
    def has_window(self) -> bool:
        """True if it looks at other rows of the answer: it is computed where all rows are."""
        return any(isinstance(node, Window | Rank) for node in self.walk())

    @property
    def has_division(self) -> bool:
        return any(
            isinstance(node, Quotient | RelativeChange)
            or (isinstance(node, Operation) and node.operator == "/")
            for node in self.walk()
        )

    @property
    def carrier(self) -> Expression | None:
        """A part without which it has no value, if there is one."""
        return None

    def is_empty_without(self, other: Expression) -> bool:
        """Return whether it has no value where another figure has none."""
        if without_casts(self) == without_casts(other):
            return True
        return self.carrier is not None and self.carrier.is_empty_without(other)

    def walk(self) -> Iterator[Expression]:
        """Yield this node and all below it."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def transform(self, change: Callable[[Expression], Expression]) -> Expression:
        """Return the tree with every node replaced by what `change` makes of it, from the leaves up."""
        made = {name: _transform(value, change) for name, value in self._values.items() if _nodes(value)}
        return change(replace(self, **made) if made else self)

    def rename(self, names: Mapping[str, str]) -> Expression:
        """Return the expression of columns of other names; those that aren't named stay."""
        return self.transform(lambda node: node.rename_columns(names))

    def rename_columns(self, names: Mapping[str, str]) -> Expression:
        """Return this node with its own columns renamed, not those of its parts."""
        return self

    def enclose(self, least: int) -> str:
        """Return its SQL as an operand, in brackets if it binds less tightly than `least`."""
        return self.sql if self.precedence >= least else f"({self.sql})"

    def __add__(self, other: Expression | float) -> Operation:
        return Operation(self, "+", as_expression(other))

    def __sub__(self, other: Expression | float) -> Operation:
        return Operation(self, "-", as_expression(other))

    def __mul__(self, other: Expression | float) -> Operation:
        return Operation(self, "*", as_expression(other))

    def __truediv__(self, other: Expression | float) -> Operation:
        return Operation(self, "/", as_expression(other))

    def __neg__(self) -> Negative:
        return Negative(self)

    @property
    def _values(self) -> dict[str, object]:
        return {item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True)
class ColumnRef(Expression):
    """A column or measure of a row. Quoted or not it is the same column."""

    name: str
    quoted: bool = field(default=False, compare=False)

    @property
    def sql(self) -> str:
        return f'"{self.name}"' if self.quoted else self.name

    @property
    def columns(self) -> frozenset[str]:
        return frozenset((self.name,))

    def rename_columns(self, names: Mapping[str, str]) -> ColumnRef:
        return replace(self, name=names.get(self.name, self.name))


@dataclass(frozen=True)
class Constant(Expression):
    """A number, or a text."""

    value: float | str

    @property
    def precedence(self) -> int:
        is_negative = not isinstance(self.value, str) and self.value < 0
        return PRECEDENCE["negative"] if is_negative else ATOM

    @property
    def sql(self) -> str:
        if isinstance(self.value, str):
            return "'" + self.value.replace("'", "''") + "'"
        return str(self.value)


@dataclass(frozen=True)
class RawSql(Expression):
    """SQL that no node fits; its columns stand in braces, so that they are known and can be renamed."""

    template: str

    @property
    def sql(self) -> str:
        return self.render(str)

    @property
    def columns(self) -> frozenset[str]:
        return frozenset(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in the order in which it names them."""
        return tuple(dict.fromkeys(name for _, name in self._pieces if name))

    def render(self, column: Callable[[str], str]) -> str:
        """Return its SQL with each column as `column` writes it."""
        return "".join(f"{text}{column(name) if name else ''}" for text, name in self._pieces)

    def rename_columns(self, names: Mapping[str, str]) -> RawSql:
        texts = ((text.replace("{", "{{").replace("}", "}}"), name) for text, name in self._pieces)
        return RawSql("".join(f"{text}{{{names.get(name, name)}}}" if name else text for text, name in texts))

    @property
    def _pieces(self) -> list[tuple[str, str | None]]:
        return [(text, name) for text, name, _, _ in Formatter().parse(self.template)]


@dataclass(frozen=True)
class Operation(Expression):
    """Two operands and the operator between them."""

    left: Expression
    operator: Operator
    right: Expression

    @property
    def precedence(self) -> int:
        return PRECEDENCE[self.operator]

    @property
    def is_additive(self) -> bool:
        return self.operator in ("+", "-") and self.left.is_additive and self.right.is_additive

    @property
    def sql(self) -> str:
        associative = self.operator in ("or", "and", "+", "*")
        right = self.right.enclose(self.precedence if associative else self.precedence + 1)
        return f"{self.left.enclose(self.precedence)} {self.operator} {right}"


@dataclass(frozen=True)
class Bracketed(Expression):
    """Brackets where precedence needs none."""

    of: Expression

    @property
    def carrier(self) -> Expression | None:
        return self.of

    @property
    def is_additive(self) -> bool:
        return self.of.is_additive

    @property
    def sql(self) -> str:
        return f"({self.of.sql})"


@dataclass(frozen=True)
class Negative(Expression):
    of: Expression

    @property
    def precedence(self) -> int:
        return PRECEDENCE["negative"]

    @property
    def is_additive(self) -> bool:
        return self.of.is_additive

    @property
    def sql(self) -> str:
        return f"-{self.of.enclose(self.precedence + 1)}"


@dataclass(frozen=True)
class Not(Expression):
    of: Expression

    @property
    def precedence(self) -> int:
        return PRECEDENCE["not"]

    @property
    def sql(self) -> str:
        return f"not {self.of.enclose(self.precedence)}"


@dataclass(frozen=True)
class IsNull(Expression):
    """A condition that a value is missing or, `negated`, that it is there."""

    of: Expression
    negated: bool = False

    @property
    def precedence(self) -> int:
        return PRECEDENCE["is"]

    @property
    def sql(self) -> str:
        return f"{self.of.enclose(self.precedence + 1)} is {'not ' if self.negated else ''}null"


@dataclass(frozen=True)
class IsIn(Expression):
    """A condition that a value is one of these texts."""

    of: Expression
    texts: tuple[str, ...]

    @property
    def precedence(self) -> int:
        return PRECEDENCE["in"]

    @property
    def sql(self) -> str:
        texts = ", ".join(Constant(text).sql for text in self.texts)
        return f"{self.of.enclose(self.precedence + 1)} in ({texts})"


@dataclass(frozen=True)
class CaseWhen(Expression):
    """A value where a condition holds; `otherwise` another, or nothing."""

    condition: Expression
    then: Expression
    otherwise: Expression | None = None

    @property
    def carrier(self) -> Expression | None:
        return self.then if self.otherwise is None else None

    @property
    def sql(self) -> str:
        rest = "" if self.otherwise is None else f" else {self.otherwise.sql}"
        return f"case when {self.condition.sql} then {self.then.sql}{rest} end"


@dataclass(frozen=True)
class FunctionCall(Expression):
    """A scalar function."""

    function: Literal["abs", "coalesce", "greatest", "nullif", "round"]
    arguments: tuple[Expression, ...]

    @property
    def sql(self) -> str:
        return f"{self.function}({', '.join(argument.sql for argument in self.arguments)})"


@dataclass(frozen=True)
class ToDouble(Expression):
    """A value as a number that JSON keeps a number; as a figure it is the same."""

    of: Expression

    @property
    def carrier(self) -> Expression | None:
        return self.of

    @property
    def is_additive(self) -> bool:
        return self.of.is_additive

    @property
    def is_count(self) -> bool:
        return self.of.is_count

    @property
    def sql(self) -> str:
        return f"cast({self.of.sql} as double)"


@dataclass(frozen=True)
class Sum(Expression):
    of: Expression

    @property
    def is_additive(self) -> bool:
        return True

    @property
    def sql(self) -> str:
        return f"sum({self.of.sql})"


@dataclass(frozen=True)
class SumPerKey(Expression):
    """The sum of what the rows of a key share, however many of them there are."""

    key: Expression
    of: Expression

    @property
    def sql(self) -> str:
        rows = f"list(distinct row({self.key.sql}, {self.of.sql}))"
        return f"list_sum(list_transform({rows}, lambda x: x[2]))"


@dataclass(frozen=True)
class Aggregate(Expression):
    """An aggregate of a value that is neither a sum nor a count."""

    function: Literal["any_value", "avg", "max", "min"]
    of: Expression

    @property
    def sql(self) -> str:
        return f"{self.function}({self.of.sql})"


@dataclass(frozen=True)
class CountRows(Expression):
    """How many rows there are, or have a value; only those of which `where` holds."""

    of: Expression | None = None
    where: Expression | None = None
    distinct: bool = False

    @property
    def is_count(self) -> bool:
        return True

    @property
    def sql(self) -> str:
        counted = f"{'distinct ' if self.distinct else ''}{self.of.sql if self.of else '*'}"
        return f"count({counted})" + (f" filter (where {self.where.sql})" if self.where else "")


@dataclass(frozen=True)
class ListAverage(Expression):
    """The mean of several figures, of those that there are."""

    items: tuple[Expression, ...]

    @property
    def sql(self) -> str:
        return f"list_avg([{', '.join(item.sql for item in self.items)}])"


@dataclass(frozen=True)
class Window(Expression):
    """An aggregate over all rows of the answer or, in an order, over those up to each."""

    of: Expression
    order: Expression | None = None

    @property
    def sql(self) -> str:
        return f"{self.of.sql} over ({f'order by {self.order.sql}' if self.order else ''})"


@dataclass(frozen=True)
class Rank(Expression):
    """A row's place among all, the largest first."""

    by: Expression

    @property
    def sql(self) -> str:
        return f"rank() over (order by {self.by.sql} desc)"


@dataclass(frozen=True)
class Quotient(Expression):
    """A quotient of two aggregates, empty when the base is zero or negative."""

    top: Expression
    base: Expression
    factor: Expression | None = None

    @property
    def carrier(self) -> Expression | None:
        return self.top

    @property
    def sql(self) -> str:
        factor = f" * {self.factor.enclose(PRECEDENCE['*'])}" if self.factor else ""
        top, base = ToDouble(self.top).sql, ToDouble(self.base).sql
        return f"case when {is_positive(self.base).sql} then {top}{factor} / {base} end"


@dataclass(frozen=True)
class RelativeChange(Expression):
    """The change of an aggregate against another, empty when that is zero or negative."""

    now: Expression
    before: Expression

    @property
    def carrier(self) -> Expression | None:
        return self.now

    @property
    def sql(self) -> str:
        now, before = ToDouble(self.now).sql, ToDouble(self.before).sql
        return f"case when {is_positive(self.before).sql} then {now} / {before} - 1 end"


def as_expression(value: Expression | str | float) -> Expression:
    """Return the node of a column's name or of a number; nodes as they are."""
    if isinstance(value, Expression):
        return value
    return ColumnRef(value) if isinstance(value, str) else Constant(value)


def compare(left: Expression | str, operator: Operator, right: Expression | float) -> Operation:
    """Return a condition; a text on the left is a column's name."""
    return Operation(as_expression(left), operator, as_expression(right))


def is_positive(value: Expression | str) -> Operation:
    """Return the condition that a value is more than zero."""
    return compare(value, ">", 0)


def is_known(value: Expression | str) -> IsNull:
    """Return the condition that a value is there."""
    return IsNull(as_expression(value), negated=True)


def default_to_zero(value: Expression | str) -> FunctionCall:
    return FunctionCall("coalesce", (as_expression(value), Constant(0)))


def sum_of(value: Expression | str) -> Sum:
    """Return the sum of a measure, or of an expression of a row."""
    return Sum(as_expression(value))


def quoted_sum(measure: str) -> Sum:
    """Return the sum of a measure whose name is written in quotes."""
    return Sum(ColumnRef(measure, quoted=True))


def weighted_sum(value: Expression | str, weight: Expression | str) -> Sum:
    """Return the sum of a measure times another, of which their quotient makes a weighed mean."""
    return Sum(ToDouble(as_expression(value)) * as_expression(weight))


def min_of(value: Expression | str) -> Aggregate:
    return Aggregate("min", as_expression(value))


def max_of(value: Expression | str) -> Aggregate:
    return Aggregate("max", as_expression(value))


def count_distinct(value: Expression | str, where: Expression | None = None) -> CountRows:
    """Return the number of different values, of the rows of which `where` holds."""
    return CountRows(as_expression(value), where, distinct=True)


def sum_over_rows(value: Expression) -> Window:
    """Return the sum of a figure over all rows of the answer."""
    return Window(Sum(value))


def prorate(expression: Expression, share: Expression) -> Expression:
    """Return the expression with each row's share of what it sums, conditions left as they are."""
    return expression.transform(
        lambda node: Sum(_multiply(node.of, share)) if isinstance(node, Sum) else node
    )


def narrow(expression: Expression, condition: Expression) -> Expression:
    """Return the expression with its sums over the rows of which a condition holds."""
    return expression.transform(
        lambda node: Sum(CaseWhen(condition, node.of)) if isinstance(node, Sum) else node
    )


def without_casts(expression: Expression) -> Expression:
    """Return the expression as figures are compared by, whatever type they are told in."""
    return expression.transform(lambda node: node.of if isinstance(node, ToDouble) else node)


def _multiply(value: Expression, share: Expression) -> Expression:
    if not isinstance(value, CaseWhen):
        return value * share
    otherwise = value.otherwise
    if otherwise is not None and otherwise != Constant(0):
        otherwise = _multiply(otherwise, share)
    return replace(value, then=_multiply(value.then, share), otherwise=otherwise)


def _transform(value: object, change: Callable[[Expression], Expression]) -> object:
    """Return a field's node, or several, with all below changed."""
    if isinstance(value, Expression):
        return value.transform(change)
    return tuple(node.transform(change) for node in _nodes(value))


def _nodes(value: object) -> tuple[Expression, ...]:
    values = value if isinstance(value, tuple) else (value,)
    return tuple(item for item in values if isinstance(item, Expression))
