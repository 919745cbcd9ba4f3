"""A model of rules as one SQL query, in any dialect that sqlglot can write, with one rule per line.

sqlglot is optional, so this file is imported when a query is asked for. Not here: conditions (sql_tests.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import isfinite

from clausal.export.document import Calibration, RuleDocument, RuleRecord
from clausal.export.sql_quoting import check_case, check_names, check_texts
from clausal.export.sql_tests import (
    FeatureTests,
    all_of,
    identifier,
    is_not_null,
    number_literal,
    text_literal,
)
from clausal.frames import not_installed
from clausal.outcome import Comparison

try:
    from sqlglot import Dialect, exp
except ImportError as error:
    raise not_installed("Writing SQL", "sqlglot", "clausal[sql]") from error


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
    overriding = [f"{prediction}_override"] if document.overrides else []
    _refuse_clashes(document, kept, [*votes, prediction, *shares, *overriding])
    writer = _QueryWriter(document, dialect)
    writer.check_quoting([*(kept or ()), *votes, prediction, *shares, *overriding])
    source, scored = writer.sql(identifier("source")), writer.sql(identifier("scored"))
    sums = [f"{writer.vote(bank)}{_LINE}AS {writer.sql(identifier(name))}" for bank, name in enumerate(votes)]
    sums += [f"{writer.override()}{_LINE}AS {writer.sql(identifier(name))}" for name in overriding]
    computed = [writer.decision(votes, *overriding), *(writer.probabilities(votes) if shares else ())]
    named = zip(computed, (prediction, *shares), strict=True)
    decision = ",\n  ".join(f"{term} AS {writer.sql(identifier(name))}" for term, name in named)
    if kept is None:  # what is computed comes first: of two columns of one name, databases read the first
        inner, outer = [*sums, f"{source}.*"], [decision, f"{scored}.*"]
    else:
        inner = [*(writer.sql(writer.column(name)) for name in kept), *sums]
        outer = [f"{scored}.*", decision]
        if overriding:
            outer = [*(writer.sql(identifier(name)) for name in (*kept, *votes)), decision]
            outer += [writer.sql(identifier(name)) for name in overriding]
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
        texts = [*self._document.labels, *(c for f in features for c in f.categories or ())]
        check_case([feature.name for feature in features], self._dialect)
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
        constant, guards = self._points(self._document.constants[bank]), self._guards()
        first = _case(all_of(guards), constant) if guards else constant
        held = (self._points_of(rule) for rule in self._document.rules if rule.bank == bank)
        return _sum([self.sql(term) for term in (first, *held)])

    def _guards(self) -> list[exp.Expression]:
        """Tests that all hold for a row that the model does not refuse."""
        return [guard for tests in self._tests if (guard := tests.accepted()) is not None]

    def override(self) -> str:
        """The number of the override that decides, from 1; NULL where none does."""
        case = exp.Case()
        for number, override in enumerate(self._document.overrides, 1):
            case = case.when(all_of([*self._guards(), *self._conditions(override.literals)]), _whole(number))
        return self.sql(case)

    def decision(self, votes: Sequence[str], override: str = "") -> str:
        """The class that follows from the override and the votes, or the number; NULL where these are."""
        if self._document.outcome.is_numeric:
            return self._number(votes[0])
        labels = [_label(label, self._dialect) for label in self._document.labels]
        columns = [exp.Column(this=identifier(name)) for name in votes]
        case, number = exp.Case(), exp.Column(this=identifier(override))
        for index, record in enumerate(self._document.overrides, 1):
            case = case.when(exp.EQ(this=number.copy(), expression=_whole(index)), labels[record.class_index])
        for class_index, tests in self._document.outcome.decision_list():
            holds = [self._compared(test, columns) for test in tests] or [is_not_null(columns[-1])]
            case = case.when(all_of(holds), labels[class_index])
        return self.sql(case)

    def _number(self, vote: str) -> str:
        """The number for a vote."""
        numbers = self._document.outcome.numbers
        texts = {name: self.sql(self._points(float(n))) for name, n in numbers.items() if isfinite(n)}
        total = f"{texts['offset']} + {texts['unit']} * {self.sql(identifier(vote))}"
        cases = [
            f"WHEN {total} {sign} {texts[name]} THEN {texts[name]}"
            for name, sign in (("low", "<"), ("high", ">"))
            if name in texts
        ]
        return f"CASE {' '.join(cases)} ELSE {total} END" if cases else total

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
        points, nothing = self._points(rule.points), self._points(rule.points * 0)
        return _case(all_of(self._conditions(rule.literals)), points, nothing)

    def _conditions(self, literals: Iterable[int]) -> list[exp.Expression]:
        return [
            self._tests[column.feature].holds(column, negated)
            for column, negated in map(self._document.signed_column, literals)
        ]

    def _compared(self, test: Comparison, votes: Sequence[exp.Expression]) -> exp.Expression:
        """A test of votes."""
        other = self._points(test.cut_off) if test.other is None else votes[test.other]
        compare = exp.LT if test.below else exp.GTE
        return compare(this=votes[test.bank], expression=other)

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
