"""A model as narwhals expressions, which data frames, polars, DuckDB, Dask, PySpark and Ibis compute lazily.

Not here: tables that this package reads itself (encoding/stream.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add, and_, or_
from typing import Any

import narwhals as nw

from clausal.export.document import Calibration, ColumnRecord, FeatureRecord, Probability, RuleDocument
from clausal.outcome import Comparison

_TEMPORARY = "clausal: rule"
_LARGEST = 1.7976931348623157e308  # the largest float64; NaN is above it, where it is compared at all


def to_expressions(document: RuleDocument) -> dict[str, nw.Expr]:
    """The expressions by name; RuleSet.to_expressions says which."""
    rules = [_holds(document, rule.literals) for rule in document.rules]
    overrides = [_holds(document, override.literals) for override in document.overrides]
    votes = _votes(document, rules)
    result = dict(zip(_vote_names(document), votes, strict=True)) | _results(document, votes, overrides)
    result |= {f"rule {number}": rule for number, rule in enumerate(rules, 1)}
    result |= {f"override {number}": override for number, override in enumerate(overrides, 1)}
    refused = _any_refused(document)
    return result if refused is None else {name: _unless(refused, e) for name, e in result.items()}


def with_predictions(document: RuleDocument, table: Any) -> Any:
    """The table with columns for votes, prediction and probabilities, computed in steps.

    Each step reads the columns of the one before. A single expression would repeat every rule for every use
    of a vote, which takes some databases very long with several classes. Partitions of Dask are data frames;
    as expressions, the largest of several votes would move rows between them.
    """
    if nw.dependencies.is_dask_dataframe(table):
        return table.map_partitions(partial(with_predictions, document))
    frame = nw.from_native(table)
    names, n_rules = _vote_names(document), len(document.rules)
    temporary = [f"{_TEMPORARY} {number}" for number in range(n_rules + len(document.overrides) + 1)]
    overrides = [nw.col(name) for name in temporary[n_rules:-1]]
    results = _results(document, [nw.col(name) for name in names], overrides)
    added = [*names, *results, *temporary]
    existing = [name for name in added if name in frame.collect_schema().names()]
    if existing:
        raise ValueError(f"The table must not have a column {existing[0]!r}, which is added. Got one.")
    refused = _any_refused(document)
    listed = [each.literals for each in document.rules] + [each.literals for each in document.overrides]
    tests = [_holds(document, literals) for literals in listed]
    tests.append(nw.lit(False) if refused is None else refused)
    votes = _votes(document, [nw.col(name) for name in temporary[:n_rules]])
    is_refused = nw.col(temporary[-1])
    return (
        frame.with_columns(**dict(zip(temporary, tests, strict=True)))
        .with_columns(**{name: _unless(is_refused, e) for name, e in zip(names, votes, strict=True)})
        .with_columns(**{name: _unless(is_refused, e) for name, e in results.items()})
        .drop(temporary)
        .to_native()
    )


def _vote_names(document: RuleDocument) -> list[str]:
    return ["vote"] if len(document.constants) == 1 else [f"vote {label}" for label in document.labels]


def _votes(document: RuleDocument, rules: Sequence[nw.Expr]) -> list[nw.Expr]:
    """The vote of each bank from whether each rule holds."""
    votes = []
    for bank, constant in enumerate(document.constants):
        points = [
            nw.when(rule).then(nw.lit(record.points)).otherwise(nw.lit(0))
            for rule, record in zip(rules, document.rules, strict=True)
            if record.bank == bank
        ]
        votes.append(_joined(add, [nw.lit(constant), *points]))
    return votes


def _joined(operation: Callable[[nw.Expr, nw.Expr], nw.Expr], parts: Sequence[nw.Expr]) -> nw.Expr:
    """The parts joined in halves: one after the other, a thousand of them would be nested too deeply."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return operation(_joined(operation, parts[:middle]), _joined(operation, parts[middle:]))


def _results(
    document: RuleDocument, votes: Sequence[nw.Expr], overrides: Sequence[nw.Expr]
) -> dict[str, nw.Expr]:
    """What follows from the votes: the predicted class and, if the model has them, probabilities."""
    if document.outcome.is_numeric:
        return {"prediction": _number(document, votes[0])}
    result = {"prediction": _decided(document, votes, overrides)}
    if document.probability is not None:
        shares = _probabilities(document.probability, votes)
        result |= {f"probability {label}": e for label, e in zip(document.labels, shares, strict=True)}
    return result


def _unless(refused: nw.Expr, value: nw.Expr) -> nw.Expr:
    """The value, null where the row is refused."""
    return nw.when(~refused).then(value)


def _any_refused(document: RuleDocument) -> nw.Expr | None:
    """Whether the model refuses the row; None if it refuses none."""
    tests = [test for test in map(_refused, document.features) if test is not None]
    return _joined(or_, tests) if tests else None


def _holds(document: RuleDocument, literals: Sequence[int]) -> nw.Expr:
    """Whether all conditions of a rule hold, never null."""
    tests = []
    for literal in literals:
        column, negated = document.signed_column(literal)
        tests.append(_test(document.features[column.feature], column, negated))
    return _joined(and_, tests) if tests else nw.lit(True)


def _test(feature: FeatureRecord, column: ColumnRecord, negated: bool) -> nw.Expr:
    """Whether a column of a feature holds, or its negation, never null."""
    value, known = nw.col(feature.name), _known(feature)
    cases: list[nw.Expr] = []
    if column.kind == "missing":
        cases += [known] if negated else []
    elif feature.categories:
        cases.append(_is_in(feature, feature.matching(column, negated)))
    elif column.kind == "true":
        cases.append((value.cast(nw.Float64) == (0.0 if negated else 1.0)).fill_null(False))
    else:
        cut, number = column.value, value.cast(nw.Float64)  # else polars compares float32 as float32
        holds = (number == cut) if column.kind == "equal" else number <= cut
        if column.kind == "le" and feature.special:
            holds = holds & ~_is_in(feature, feature.special)
        cases.append(known & (~holds if negated else holds).fill_null(False))
    if feature.if_missing_holds(column, negated):
        cases.append(~_present(feature))
    if feature.categories and feature.if_unknown_holds(column, negated):
        cases.append(_present(feature) & ~known)
    return _joined(or_, cases) if cases else nw.lit(False)


def _present(feature: FeatureRecord) -> nw.Expr:
    """Whether there is a value: neither null nor NaN."""
    value = nw.col(feature.name)
    if feature.holds_text:
        return ~value.is_null()
    return (value.cast(nw.Float64) <= _LARGEST).fill_null(False)


def _known(feature: FeatureRecord) -> nw.Expr:
    """Whether there is a value that was known in training."""
    return _is_in(feature, feature.categories) if feature.categories else _present(feature)


def _is_in(feature: FeatureRecord, categories: Sequence[Any]) -> nw.Expr:
    """Whether the value is one of some categories, never null."""
    value = nw.col(feature.name)
    if not categories:
        return nw.lit(False)
    if not feature.holds_text:
        value, categories = value.cast(nw.Float64), [float(category) for category in categories]
    return value.is_in(list(categories)).fill_null(False)


def _refused(feature: FeatureRecord) -> nw.Expr | None:
    """Whether the model refuses the row for the value of a feature; None if it refuses none."""
    cases = []
    if feature.if_missing == "refused":
        cases.append(~_present(feature))
    if feature.categories and feature.if_unknown == "refused":
        cases.append(_present(feature) & ~_known(feature))
    return _joined(or_, cases) if cases else None


def _number(document: RuleDocument, vote: nw.Expr) -> nw.Expr:
    """The predicted number."""
    numbers = document.outcome.numbers
    result = vote.cast(nw.Float64) * numbers["unit"] + numbers["offset"]
    low, high = (number if math.isfinite(number) else None for number in (numbers["low"], numbers["high"]))
    return result if low is None and high is None else result.clip(low, high)


def _decided(document: RuleDocument, votes: Sequence[nw.Expr], overrides: Sequence[nw.Expr]) -> nw.Expr:
    """The predicted class: that of the first override that holds, else of the first case that applies."""

    def passes(test: Comparison) -> nw.Expr:
        other = nw.lit(test.cut_off) if test.other is None else votes[test.other]
        return votes[test.bank] < other if test.below else votes[test.bank] >= other

    cases = document.outcome.decision_list()
    decided = nw.lit(document.labels[cases[-1].class_index])
    for case in reversed(cases[:-1]):
        label = nw.lit(document.labels[case.class_index])
        decided = nw.when(_joined(and_, [passes(test) for test in case.tests])).then(label).otherwise(decided)
    for record, override in zip(reversed(document.overrides), reversed(overrides), strict=True):
        decided = nw.when(override).then(nw.lit(document.labels[record.class_index])).otherwise(decided)
    return decided


def _probabilities(method: Probability, votes: Sequence[nw.Expr]) -> list[nw.Expr]:
    """The probability of each class."""
    numbers = [vote.cast(nw.Float64) for vote in votes]
    if len(numbers) == 1:
        positive = _positive(method, numbers[0])
        return [1.0 - positive, positive]
    if isinstance(method, Calibration):
        # Older narwhals compares columns of different names only.
        scaled = [(number * method.slope).alias(f"{bank}") for bank, number in enumerate(numbers)]
        highest = nw.max_horizontal(*scaled)
        shares = [(number - highest).exp() for number in scaled]
    else:
        least, others = method.threshold / method.scale, len(numbers) - 1
        shares = []
        for number in numbers:
            q = (1.0 + number / (number.abs().clip(lower_bound=least) + 1.0)) / 2.0
            shares.append(q / (q + others * (1.0 - q)))
    total = reduce(add, shares)
    return [share / total for share in shares]


def _positive(method: Probability, vote: nw.Expr) -> nw.Expr:
    """The probability of the positive one of two classes."""
    if isinstance(method, Calibration):
        return 1.0 / (1.0 + (-method.slope * vote - method.offset).exp())
    return ((1.0 + (vote * method.scale + 0.5) / (method.threshold + 0.5)) / 2.0).clip(0.0, 1.0)
