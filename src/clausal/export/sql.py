"""A model of rules as one SQL query, in any dialect that sqlglot can write.

Here: how a feature's values are tested in SQL, exactly as the encoding reads them, and the query, one rule
per line. NULL is missing, and so is NaN. A test that holds is true; one that does not may be false or NULL.
sqlglot is optional, so this file is imported when a query is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from clausal.encoding.columns import Category
from clausal.export.document import Calibration, ColumnRecord, FeatureRecord, RuleDocument, RuleRecord
from clausal.export.sql_quoting import check_names, check_texts, needs_hex
from clausal.outcome import Comparison

try:
    from sqlglot import Dialect, exp
except ImportError as error:
    raise ImportError(
        "Writing SQL needs sqlglot, which is not installed; install it with: pip install clausal[sql]"
    ) from error


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
        index = int(column.value)
        after = self._categories[index + 1 :]
        others = after if column.kind == "upto" else (*self._categories[:index], *after)
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
            return exp.LTE(this=self._column.copy(), expression=number_literal(column.value))
        index = int(column.value)
        if column.kind == "upto":
            return self._in(self._categories[: index + 1])
        return exp.EQ(this=self._category(), expression=self._value(self._categories[index]))

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


_LINE = "\n    "
_GROUP = 50  # terms in one sum: databases walk down a sum level by level and allow no more than some hundred


def to_sql(
    document: RuleDocument,
    dialect: str = "duckdb",
    table: str = "data",
    keep: str | Sequence[str] = "*",
    vote: str = "vote",
    prediction: str = "prediction",
    probability: str | None = None,
) -> str:
    """A SELECT that gives each row of a table votes, class and probabilities; see `RuleSet.to_sql`."""
    if Dialect.get(dialect) is None:
        raise ValueError(
            "The 'dialect' parameter of to_sql must be one that sqlglot knows, such as 'duckdb', 'sqlite' or "
            f"'postgres'. Got {dialect!r}."
        )
    kept, votes = _checked_keep(keep), document.outcome.vote_names(vote)
    shares = () if probability is None else document.outcome.vote_names(probability)
    _refuse_clashes(document, kept, [*votes, prediction, *shares])
    writer = _QueryWriter(document, dialect)
    writer.check_quoting([*(kept or ()), *votes, prediction, *shares])
    source, scored = writer.sql(identifier("source")), writer.sql(identifier("scored"))
    sums = [f"{writer.vote(bank)}{_LINE}AS {writer.sql(identifier(name))}" for bank, name in enumerate(votes)]
    computed = [writer.decision(votes), *(writer.probabilities(votes) if shares else ())]
    named = zip(computed, (prediction, *shares), strict=True)
    decision = ",\n  ".join(f"{term} AS {writer.sql(identifier(name))}" for term, name in named)
    if kept is None:  # what is computed comes first: of two columns of one name, databases read the first
        inner, outer = [*sums, f"{source}.*"], [decision, f"{scored}.*"]
    else:
        inner = [*(writer.sql(writer.column(name)) for name in kept), *sums]
        outer = [f"{scored}.*", decision]
    new_line = ",\n  "
    return (
        f"SELECT {new_line.join(outer)}\nFROM (\n  SELECT {f',{_LINE}'.join(inner)}\n"
        f"  FROM {writer.table(table)} {source}\n) {scored}"
    )


class _QueryWriter:
    """The parts of the query as text in one dialect."""

    def __init__(self, document: RuleDocument, dialect: str) -> None:
        self._document, self._dialect = document, dialect
        numbers = (*document.constants, *(rule.points for rule in document.rules))
        self._wide = sum(map(abs, numbers)) >= 2**31
        self._tests = [
            FeatureTests(self.column(feature.name), feature, dialect) for feature in document.features
        ]

    def check_quoting(self, names: Iterable[str]) -> None:
        """Refuse names and texts, these and those of the document, that the dialect cannot quote."""
        features = self._document.features
        texts = [*self._document.outcome.classes.tolist(), *(c for f in features for c in f.categories or ())]
        check_names(
            [*names, *(feature.name for feature in features)],
            self._dialect,
            lambda name: self.sql(identifier(name)),
        )
        check_texts(
            [text for text in texts if isinstance(text, str)],
            self._dialect,
            lambda text: self.sql(text_literal(text, self._dialect)),
        )

    def sql(self, expression: exp.Expression) -> str:
        """The text of an expression, which is not used again."""
        return str(expression.sql(dialect=self._dialect, copy=False))

    def table(self, name: str) -> str:
        """The table, whose name may have a catalog and a schema before it."""
        parts = name.split(".") if isinstance(name, str) else []
        if not (1 <= len(parts) <= 3 and all(parts)):
            raise ValueError(
                "The 'table' parameter of to_sql must be a table's name, with at most a catalog and a schema "
                f"and dots before it. Got {name!r}."
            )
        check_names(parts, self._dialect, lambda part: self.sql(identifier(part)))
        return ".".join(self.sql(identifier(part)) for part in parts)

    def column(self, name: str) -> exp.Expression:
        """A column of the table."""
        # SQLite takes a quoted name that it does not know for a text, unless it is said whose column it is.
        owner = identifier("source") if self._dialect == "sqlite" else None
        return exp.Column(this=identifier(name), table=owner)

    def vote(self, bank: int) -> str:
        """The constant, or NULL for a row that the model refuses, and the points of the rules that hold."""
        constant = self._points(self._document.constants[bank])
        guards = [guard for tests in self._tests if (guard := tests.accepted()) is not None]
        first = _case(all_of(guards), constant) if guards else constant
        held = (self._points_of(rule) for rule in self._document.rules if rule.bank == bank)
        return _sum([self.sql(term) for term in (first, *held)])

    def decision(self, votes: Sequence[str]) -> str:
        """The class that follows from the votes, NULL where they are."""
        labels = [_label(label, self._dialect) for label in self._document.labels]
        columns = [exp.Column(this=identifier(name)) for name in votes]
        case = exp.Case()
        for class_index, tests in self._document.outcome.decision_list():
            holds = [_compared(test, columns) for test in tests] or [is_not_null(columns[-1])]
            case = case.when(all_of(holds), labels[class_index])
        return self.sql(case)

    def probabilities(self, votes: Sequence[str]) -> list[str]:
        """The probability of each class that has a vote, NULL where the votes are."""
        method, names = self._document.probability, [self.sql(identifier(name)) for name in votes]
        if method is None:
            raise ValueError("The 'probability' parameter of to_sql must be None for a RuleSet. Got a name.")
        if isinstance(method, Calibration):
            slope, offset = (self.sql(number_literal(number)) for number in (method.slope, method.offset))
            if len(names) == 1:
                return [f"1e0 / (1e0 + {_power(f'(0 - {slope} * {names[0]} - ({offset}))')})"]
            powers = [[_power(f"({slope} * ({other} - {name}))") for other in names] for name in names]
            return [f"1e0 / ({' + '.join(terms)})" for terms in powers]
        if len(names) == 1:
            aim = self.sql(number_literal(method.threshold + 0.5))
            share = f"((1e0 + ({names[0]} * {method.scale} + 0.5e0) / {aim}) / 2e0)"
            return [f"CASE WHEN {share} < 0 THEN 0e0 WHEN {share} > 1 THEN 1e0 ELSE {share} END"]
        aim = self.sql(number_literal(method.threshold / method.scale))
        sizes = [f"CASE WHEN ABS({name}) > {aim} THEN ABS({name}) ELSE {aim} END" for name in names]
        qs = [f"((1e0 + {name} / ({size} + 1e0)) / 2e0)" for name, size in zip(names, sizes, strict=True)]
        shares = [f"({q} / ({q} + {len(names) - 1} * (1e0 - {q})))" for q in qs]
        return [f"{share} / ({' + '.join(shares)})" for share in shares]

    def _points_of(self, rule: RuleRecord) -> exp.Expression:
        if not rule.literals:
            return self._points(rule.points)
        conditions = [
            self._tests[column.feature].holds(column, negated)
            for column, negated in map(self._document.signed_column, rule.literals)
        ]
        return _case(all_of(conditions), self._points(rule.points), self._points(rule.points * 0))

    def _points(self, points: int | float) -> exp.Expression:
        """Points, every digit of them: some databases take any number written out for a decimal one."""
        if isinstance(points, int):
            return exp.cast(_whole(points), "bigint") if self._wide else _whole(points)
        exact = exp.Literal.number(f"{Decimal(abs(points)):f}e0")
        return exp.Neg(this=exact) if points < 0 else exact


def _case(test: exp.Expression, then: exp.Expression, default: exp.Expression | None = None) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=test, true=then)], default=default)


def _sum(terms: list[str]) -> str:
    """One term per line; many of them in groups, so that no sum is too long to be read."""
    while len(terms) > _GROUP:
        groups = [terms[start : start + _GROUP] for start in range(0, len(terms), _GROUP)]
        terms = [f"({f'{_LINE}+ '.join(group)})" for group in groups]
    return f"{_LINE}+ ".join(terms)


def _power(exponent: str) -> str:
    """The exponential function, of at most 700: a database may refuse to compute a number out of range."""
    return f"EXP(CASE WHEN {exponent} > 700 THEN 700 ELSE {exponent} END)"


def _whole(number: int) -> exp.Expression:
    literal = exp.Literal.number(abs(number))
    return exp.Neg(this=literal) if number < 0 else literal


def _label(label: object, dialect: str) -> exp.Expression:
    """A class label as a literal."""
    if isinstance(label, str):
        return text_literal(label, dialect)
    if isinstance(label, bool) and dialect == "tsql":  # it has no literal for a truth value
        return exp.cast(exp.Literal.number(int(label)), "boolean")
    if isinstance(label, bool):
        return exp.Boolean(this=label)
    if isinstance(label, int):
        return _whole(label)
    assert isinstance(label, float)
    return number_literal(label)


def _compared(test: Comparison, votes: Sequence[exp.Expression]) -> exp.Expression:
    """A test of votes."""
    other = exp.Literal.number(0) if test.other is None else votes[test.other]
    compare = exp.LT if test.below else exp.GTE
    return compare(this=votes[test.bank], expression=other)


def _checked_keep(keep: str | Sequence[str]) -> list[str] | None:
    """The names of the columns to keep, None for all."""
    if isinstance(keep, str) and keep == "*":
        return None
    if isinstance(keep, str) or not all(isinstance(name, str) for name in keep):
        raise ValueError(
            f"The 'keep' parameter of to_sql must be '*' or a list of names of columns. Got {keep!r}."
        )
    return list(keep)


def _refuse_clashes(document: RuleDocument, kept: Sequence[str] | None, added: Sequence[str]) -> None:
    """Refuse a result with two columns of one name."""
    seen = {name.casefold() for name in (document.names if kept is None else kept)}
    for name in added:
        if name.casefold() in seen:
            raise ValueError(
                "The 'vote' and 'prediction' parameters of to_sql must name columns that the result does not "
                f"have already. Got {name!r}."
            )
        seen.add(name.casefold())
