"""How one feature's values are tested in SQL: exactly as the booleanizer reads them.

NULL is missing, and so is NaN. A test that holds is true; one that does not may be false or NULL.
Not here: the query (sql.py), what the features mean in Python (encoding/features.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.columns import Category
from clausal.encoding.features import BooleanFeature, NominalFeature, RankedFeature
from clausal.rules.rule import Literal

_WITHOUT_NAN = frozenset({"sqlite", "mysql", "tsql"})
_LARGEST = "1.7976931348623157e308"  # the largest float64
_FLOAT32_WHOLE = 2**24  # whole numbers up to this are exact as float32
_CHAIN = 50  # databases, and sqlglot, walk down a chain level by level and allow no more than some hundred


class FeatureTests:
    """The tests of one feature's column in a user's table.

    Parameters
    ----------
    column : the column
    place : the feature's position in the table of training
    booleanizer : the fitted transformer whose reading of values is followed
    dialect : sqlglot's name of the dialect
    """

    def __init__(self, column: exp.Expression, place: int, booleanizer: Booleanizer, dialect: str) -> None:
        feature = booleanizer.features_[place]
        self._column = column
        self._dialect = dialect
        self._unknown = booleanizer.handle_unknown
        self._may_be_missing = feature.nullable or booleanizer.handle_missing == "as_false"
        self._boolean = isinstance(feature, BooleanFeature)
        self._categories: tuple[Category, ...] = ()
        if isinstance(feature, NominalFeature | RankedFeature):
            self._categories = feature.categories

    def holds(self, literal: Literal) -> exp.Expression:
        """Whether a literal on the feature holds."""
        if literal.column.kind == "missing":
            return self._present() if literal.negated else self._missing()
        test = self._test(literal)
        if not literal.negated:
            return test
        if self._may_be_missing:  # `NOT x <= 5`, since NaN is above 5 in some databases only
            return exp.Or(this=exp.Not(this=test), expression=is_null(self._column))
        if isinstance(test, exp.LTE):
            return exp.GT(this=test.this, expression=test.expression)
        if isinstance(test, exp.EQ):
            return exp.NEQ(this=test.this, expression=test.expression)
        return exp.Not(this=test)

    def accepted(self) -> exp.Expression | None:
        """Whether Python would read the value, rather than refuse it; None where it reads any."""
        known = self._in(self._categories) if self._categories and self._unknown != "no_match" else None
        if not self._may_be_missing:
            return self._present() if known is None else known
        if known is None or self._unknown == "missing":
            return None
        return exp.Or(this=known, expression=self._missing())

    def _test(self, literal: Literal) -> exp.Expression:
        value = literal.column.value
        if isinstance(value, tuple):
            return self._in(value)
        if value is None:
            return exp.EQ(this=self._column.copy(), expression=exp.true())
        compare = exp.LTE if literal.column.kind == "le" else exp.EQ
        return compare(this=self._column.copy(), expression=self._value(value))

    def _present(self) -> exp.Expression:
        """Whether the value is there."""
        if self._boolean:
            return exp.In(this=self._column.copy(), expressions=[exp.true(), exp.false()])
        if self._categories and self._unknown == "missing":
            return self._in(self._categories)
        texts = self._categories and isinstance(self._categories[0], str)
        if texts or self._dialect in _WITHOUT_NAN:
            return exp.Not(this=is_null(self._column))
        return exp.LTE(this=self._column.copy(), expression=exp.Literal.number(_LARGEST))

    def _missing(self) -> exp.Expression:
        present = self._present()
        if isinstance(present, exp.Not):
            return is_null(self._column)
        return exp.Or(this=is_null(self._column), expression=exp.Not(this=present))

    def _in(self, categories: Iterable[Category]) -> exp.Expression:
        return exp.In(this=self._column.copy(), expressions=[self._value(item) for item in categories])

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
    """A text; T-SQL reads any but the plainest letters only behind an N."""
    national = dialect == "tsql" and not text.isascii()
    return exp.National(this=text) if national else exp.Literal.string(text)


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


def is_null(column: exp.Expression) -> exp.Expression:
    """Whether there is no value."""
    return exp.Is(this=column.copy(), expression=exp.Null())
