"""A model of rules as one SQL query, in any dialect that sqlglot can write.

Here: the query, one rule per line. Not here: how a feature's values are tested in SQL (sql_features.py), the
model itself (rule_set.py). sqlglot is optional, so this file is imported when a query is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from clausal.rules.rule import Rule
from clausal.rules.rule_set import RuleSet

try:
    from sqlglot import Dialect, exp
except ImportError as error:
    raise ImportError(
        "Writing SQL needs sqlglot, which is not installed; install it with: pip install clausal[sql]"
    ) from error

from clausal.rules.sql_features import FeatureTests, all_of, identifier, is_null, number_literal, text_literal

_LINE = "\n    "
_GROUP = 50  # terms in one sum: databases walk down a sum level by level and allow no more than some hundred


def rules_to_sql(
    rules: RuleSet,
    dialect: str = "duckdb",
    table: str = "data",
    keep: str | Sequence[str] = "*",
    vote: str = "vote",
    prediction: str = "prediction",
) -> str:
    """A SELECT that gives each row of a table its vote and its class; see `RuleSet.to_sql`."""
    if Dialect.get(dialect) is None:
        raise ValueError(
            "The 'dialect' parameter of to_sql must be one that sqlglot knows, such as 'duckdb', 'sqlite' or "
            f"'postgres'. Got {dialect!r}."
        )
    kept, votes = _checked_keep(keep), _vote_names(rules, vote)
    _refuse_clashes(rules, kept, [*votes, prediction])
    writer = _QueryWriter(rules, dialect)
    source, scored = writer.sql(identifier("source")), writer.sql(identifier("scored"))
    columns = [f"{source}.*"] if kept is None else [writer.sql(writer.column(name)) for name in kept]
    sums = [f"{writer.vote(bank)}{_LINE}AS {writer.sql(identifier(name))}" for bank, name in enumerate(votes)]
    return (
        f"SELECT {scored}.*,\n  {writer.decision(votes)} AS {writer.sql(identifier(prediction))}\n"
        f"FROM (\n  SELECT {f',{_LINE}'.join([*columns, *sums])}\n"
        f"  FROM {writer.table(table)} {source}\n) {scored}"
    )


class _QueryWriter:
    """The parts of the query as text in one dialect."""

    def __init__(self, rules: RuleSet, dialect: str) -> None:
        self._rules, self._dialect = rules, dialect
        self._wide = (
            sum(abs(number) for number in (*rules.constants, *(rule.points for rule in rules))) >= 2**31
        )
        self._tests: dict[int, FeatureTests] = {}
        for column in (literal.column for rule in rules for literal in rule.literals):
            place = column.feature_index
            if place not in self._tests:
                tested = self.column(column.feature)
                self._tests[place] = FeatureTests(tested, place, rules.booleanizer, dialect)

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
        return ".".join(self.sql(identifier(part)) for part in parts)

    def column(self, name: str) -> exp.Expression:
        """A column of the table."""
        # SQLite takes a quoted name that it does not know for a text, unless it is said whose column it is.
        owner = identifier("source") if self._dialect == "sqlite" else None
        return exp.Column(this=identifier(name), table=owner)

    def vote(self, bank: int) -> str:
        """The constant, or NULL for a row that the model refuses, and the points of the rules that hold."""
        constant = self._points(self._rules.constants[bank])
        guards = [guard for tests in self._tests.values() if (guard := tests.accepted()) is not None]
        first = _case(all_of(guards), constant) if guards else constant
        held = (self._points_of(rule) for rule in self._rules if rule.bank == bank)
        return _sum([self.sql(term) for term in (first, *held)])

    def decision(self, votes: Sequence[str]) -> str:
        """The class that follows from the votes, NULL where they are."""
        labels = [_label(label, self._dialect) for label in self._rules.classes.tolist()]
        columns = [exp.Column(this=identifier(name)) for name in votes]
        case, zero = exp.Case(), exp.Literal.number(0)
        if len(votes) == 1:
            case = case.when(exp.GTE(this=columns[0], expression=zero), labels[1])
            return self.sql(case.when(exp.LT(this=columns[0], expression=zero), labels[0]))
        for place, (column, label) in enumerate(zip(columns, labels, strict=True)):
            # The classes before are out: each of them had a lower vote than one behind it.
            highest = [exp.GTE(this=column, expression=other) for other in columns[place + 1 :]]
            case = case.when(all_of(highest) if highest else exp.Not(this=is_null(column)), label)
        return self.sql(case)

    def _points_of(self, rule: Rule) -> exp.Expression:
        if not rule.literals:
            return self._points(rule.points)
        conditions = [self._tests[literal.column.feature_index].holds(literal) for literal in rule.literals]
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
    if isinstance(label, float):
        return number_literal(label)
    raise ValueError(
        f"Class labels must be text, numbers or booleans to be written in SQL. Got {type(label).__name__}."
    )


def _vote_names(rules: RuleSet, vote: str) -> list[str]:
    """One name per bank: that of its class behind, or its place where two classes look alike to SQL."""
    if rules.n_banks == 1:
        return [vote]
    labels = [str(label) for label in rules.classes.tolist()]
    alike = len({label.casefold() for label in labels}) < len(labels)
    return [f"{vote}_{place if alike else label}" for place, label in enumerate(labels)]


def _checked_keep(keep: str | Sequence[str]) -> list[str] | None:
    """The names of the columns to keep, None for all."""
    if isinstance(keep, str) and keep == "*":
        return None
    if isinstance(keep, str) or not all(isinstance(name, str) for name in keep):
        raise ValueError(
            f"The 'keep' parameter of to_sql must be '*' or a list of names of columns. Got {keep!r}."
        )
    return list(keep)


def _refuse_clashes(rules: RuleSet, kept: Sequence[str] | None, added: Sequence[str]) -> None:
    """Refuse a result with two columns of one name."""
    unnamed = [column.feature for column in rules.columns]
    features = getattr(rules.booleanizer, "feature_names_in_", unnamed)
    seen = {name.casefold() for name in (features if kept is None else kept)}
    for name in added:
        if name.casefold() in seen:
            raise ValueError(
                "The 'vote' and 'prediction' parameters of to_sql must name columns that the result does not "
                f"have already. Got {name!r}."
            )
        seen.add(name.casefold())
