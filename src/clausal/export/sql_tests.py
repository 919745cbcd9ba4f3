"""Conditions in SQL, exactly as the encoding reads a table: the tests of a feature's column, and literals.

NULL is missing, and so is NaN. A test that holds is true; one that does not may be false or NULL. sqlglot is
optional, so this file is imported when a query is asked for. Not here: the query (sql.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clausal.encoding.columns import Category
from clausal.export.document import ColumnRecord, FeatureRecord
from clausal.export.sql_quoting import needs_hex
from clausal.frames import not_installed

try:
    from sqlglot import exp
except ImportError as error:
    raise not_installed("Writing SQL", "sqlglot", "clausal[sql]") from error

_WITHOUT_NAN = frozenset({"sqlite", "mysql", "tsql"})
_UTF8 = exp.DataType(this=exp.DataType.Type.CHARACTER_SET, kind=exp.Var(this="utf8mb4"))
_LARGEST = "1.7976931348623157e308"  # the largest float64
_FLOAT32_WHOLE = 2**24  # whole numbers up to this are exact as float32
_CHAIN = 50  # databases, and sqlglot, walk down a chain level by level and allow no more than some hundred


class FeatureTests:
    """The tests of one feature's column in a user's table.

    Parameters
    ----------
    column : the column
    feature : what it holds
    dialect : sqlglot's name of the dialect
    """

    def __init__(self, column: exp.Expression, feature: FeatureRecord, dialect: str) -> None:
        self._column = column
        self._dialect = dialect
        self._if_unknown, self._if_missing = feature.if_unknown, feature.if_missing
        self._boolean = feature.kind == "boolean"
        self._categories = feature.categories
        self._special = feature.special
        self._texts = bool(self._categories) and isinstance(self._categories[0], str)

    def holds(self, column: ColumnRecord, negated: bool) -> exp.Expression:
        """Whether a boolean column of the feature holds, or its negation."""
        if column.kind == "missing":
            return self._known() if negated else self._missing()
        test = self._test(column)
        if not negated:
            return test
        if self._if_unknown == "no_rule" and self._categories:
            return self._another_category(column)
        if self._if_missing == "no_rule":
            return self._negation_of_known(test)
        if self._if_missing == "missing":  # `NOT (x <= 5)`, since NaN is above 5 in some databases only
            return exp.Or(this=not_(test), expression=is_null(self._column))
        if isinstance(test, exp.LTE):
            return exp.GT(this=test.this, expression=test.expression)
        if isinstance(test, exp.EQ):
            return exp.NEQ(this=test.this, expression=test.expression)
        return not_(test)

    def accepted(self) -> exp.Expression | None:
        """Whether Python would read the value, rather than refuse it; None where it reads any."""
        if self._if_unknown == "refused" and self._categories:
            known = self._in(self._categories)
            return known if self._if_missing == "refused" else exp.Or(this=known, expression=self._missing())
        return self._present() if self._if_missing == "refused" else None

    def _another_category(self, column: ColumnRecord) -> exp.Expression:
        """Whether the value is a known category for which a column does not hold, or is missing."""
        assert column.value is not None
        others = (*self._categories[: column.first], *self._categories[int(column.value) + 1 :])
        known = self._in(others) if others else exp.false()
        return exp.Or(this=known, expression=self._missing()) if self._if_missing == "missing" else known

    def _negation_of_known(self, test: exp.Expression) -> exp.Expression:
        """The negation of a test, which does not hold for a missing value either."""
        if self._boolean:
            return exp.EQ(this=self._column.copy(), expression=exp.false())
        if isinstance(test, exp.LTE) and self._dialect in _WITHOUT_NAN:
            return exp.GT(this=test.this, expression=test.expression)
        return exp.And(this=not_(test), expression=self._present())

    def _known(self) -> exp.Expression:
        """Whether the value is there and satisfies some condition."""
        if self._if_unknown == "no_rule" and self._categories:
            return self._in(self._categories)
        return self._present()

    def _test(self, column: ColumnRecord) -> exp.Expression:
        if column.kind == "true":
            return exp.EQ(this=self._column.copy(), expression=exp.true())
        assert column.value is not None
        if column.kind == "le":
            below = exp.LTE(this=self._column.copy(), expression=number_literal(column.value))
            if not self._special:
                return below
            return exp.And(this=below, expression=not_(self._in(self._special)))
        if column.kind == "equal":
            return exp.EQ(this=self._column.copy(), expression=number_literal(column.value))
        own = self._categories[column.first : int(column.value) + 1]
        if column.kind == "upto" or len(own) > 1:
            return self._in(own)
        return exp.EQ(this=self._category(), expression=self._value(own[0]))

    def _present(self) -> exp.Expression:
        """Whether the value is there."""
        if self._boolean:
            return exp.In(this=self._column.copy(), expressions=[exp.true(), exp.false()])
        if self._categories and self._if_unknown == "missing":
            return self._in(self._categories)
        if self._texts or self._dialect in _WITHOUT_NAN:
            return is_not_null(self._column)
        return exp.LTE(this=self._column.copy(), expression=exp.Literal.number(_LARGEST))

    def _missing(self) -> exp.Expression:
        present = self._present()
        if isinstance(present, exp.Is):
            return is_null(self._column)
        return exp.Or(this=is_null(self._column), expression=not_(present))

    def _in(self, categories: Iterable[Category]) -> exp.Expression:
        return exp.In(this=self._category(), expressions=[self._value(item) for item in categories])

    def _category(self) -> exp.Expression:
        """The column as categories are compared with it: in MySQL byte by byte, or "Red" would be "red"."""
        if not (self._texts and self._dialect == "mysql"):
            return self._column.copy()
        return exp.cast(exp.cast(self._column.copy(), _UTF8.copy()), "binary")

    def _value(self, value: Category) -> exp.Expression:
        return text_literal(value, self._dialect) if isinstance(value, str) else number_literal(value)


def number_literal(number: float) -> exp.Expression:
    """A float64 that reads back as itself: 54, 0.15e0 (a bare 0.15 is a decimal, or float32, to some)."""
    number = float(number)
    if number.is_integer() and abs(number) < _FLOAT32_WHOLE:
        return exp.Literal.number(int(number))
    text = repr(abs(number))
    literal = exp.Literal.number(text if "e" in text else f"{text}e0")
    return exp.Neg(this=literal) if number < 0 else literal


def text_literal(text: str, dialect: str) -> exp.Expression:
    """A text. T-SQL and MySQL have to be told that it is Unicode, unless its letters are the plainest."""
    if dialect == "tsql" and not text.isascii():
        return exp.National(this=text)
    if dialect == "mysql" and needs_hex(text):
        return exp.cast(exp.HexString(this=text.encode().hex()), _UTF8.copy())
    literal = exp.Literal.string(text)
    return exp.cast(literal, _UTF8.copy()) if dialect == "mysql" and not text.isascii() else literal


def identifier(name: str) -> exp.Identifier:
    """A name exactly as it is."""
    return exp.to_identifier(name, quoted=True)


def all_of(tests: Sequence[exp.Expression]) -> exp.Expression:
    """The AND of tests, at least one; many of them in groups, so that no chain is too long to be read."""
    tests = [exp.Paren(this=test) if isinstance(test, exp.Or) else test for test in tests]
    while len(tests) > _CHAIN:
        groups = [tests[start : start + _CHAIN] for start in range(0, len(tests), _CHAIN)]
        tests = [exp.Paren(this=all_of(group)) for group in groups]
    first, *others = tests
    for test in others:
        first = exp.And(this=first, expression=test)
    return first


def not_(test: exp.Expression) -> exp.Expression:
    """The negation, in parentheses: MySQL may be set to read `NOT x <= 5` as `(NOT x) <= 5`."""
    return exp.Not(this=exp.Paren(this=test))


def is_null(column: exp.Expression) -> exp.Expression:
    """Whether there is no value."""
    return exp.Is(this=column.copy(), expression=exp.Null())


def is_not_null(column: exp.Expression) -> exp.Expression:
    """Whether there is a value."""
    return exp.Is(this=column.copy(), expression=exp.Not(this=exp.Null()))
