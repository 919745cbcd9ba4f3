"""What conditions mean for an encoding: the literals they are, and the columns that they test.

A condition wants marks of its feature: a cut point, a special value, the position of a category in an order,
a category, or TRUE. With the columns `age <= 30` and `age <= 50`, `30 < age <= 50` wants the marks 30,
negated, and 50. Not here: reading conditions in words (parse.py), new columns (new_columns.py), the text of
literals (rule.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.columns import Category, category_text, condition_name
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import BooleanFeature, EmptyFeature, Feature, NumericFeature
from clausal.rules.patterns import patterns_of_features
from clausal.rules.rule import Literal

_MAX_SHOWN = 5  # cut points or categories in an error


@dataclass(frozen=True)
class Condition:
    """A condition on one feature.

    Attributes
    ----------
    feature : index of the feature
    operator : `<=`, `<`, `>`, `>=`, `in`, `not in`, `true`, `false`, `missing` or `not missing`
    values : what it is compared with
    or_missing : whether it also holds where the value is missing
    or_special : the special values for which it also holds
    """

    feature: int
    operator: str
    values: tuple[Category, ...] = ()
    or_missing: bool = False
    or_special: tuple[Category, ...] = ()


class Want(NamedTuple):
    """A mark of a feature, whose column must hold, or not hold if `negated`."""

    mark: Any
    negated: bool


class Special(NamedTuple):
    """The mark of the column for a special value."""

    value: float


MISSING: Any = object()  # the mark of the column for missing values


def literals_of(conditions: Iterable[Condition], encoding: Encoding) -> tuple[Literal, ...]:
    """The literals of conditions, whose columns the encoding must have; features in the order of the text."""
    by_feature: dict[int, list[Condition]] = {}
    for condition in conditions:
        by_feature.setdefault(condition.feature, []).append(condition)
    literals: list[Literal] = []
    for index, own in by_feature.items():
        found = [_literal(encoding, index, want) for want in wants_of(encoding, index, own)]
        literals += _fewest(encoding, index, found)
    return tuple(literals)


# --- the marks that a condition wants ---


def wants_of(encoding: Encoding, index: int, conditions: Sequence[Condition]) -> list[Want]:
    """The marks of conditions on one feature, in the order of the text."""
    feature, name = encoding.features[index], condition_name(encoding.feature_names[index])
    wants: list[Want] = []
    for condition in conditions:
        if condition.or_special:
            _check_or_special(feature, name, condition)
        own = _wants_of_one(encoding, feature, name, condition)
        if condition.or_missing:
            _check_or_missing(feature, name, own)
        elif feature.nullable and all(want.negated for want in own):
            own = [
                *own,
                Want(MISSING, True),
            ]  # the negation of a column also holds where the value is missing
        wants += own
    wants = list(dict.fromkeys(wants))
    if any(want.mark is not MISSING and not want.negated for want in wants):
        wants = [want for want in wants if want != (MISSING, True)]  # a column holds for no missing value
    if any(isinstance(want.mark, float) and not want.negated for want in wants):  # and for no special one
        wants = [want for want in wants if not (isinstance(want.mark, Special) and want.negated)]
    return wants


def _check_or_missing(feature: Feature, name: str, own: Sequence[Want]) -> None:
    if not feature.nullable:
        raise ValueError(
            f"A rule must not say `or missing` of {name}, which had no missing values in training. Got it."
        )
    if not all(want.negated for want in own):
        raise ValueError(
            "A condition with `or missing` must be one of `>`, `is not`, `not in` and `not`, as a rule is an "
            f"AND of conditions. Got another one on {name}; write a second rule for missing values."
        )


def _wants_of_one(encoding: Encoding, feature: Feature, name: str, condition: Condition) -> list[Want]:
    """The marks of a condition, without the one for missing values unless the condition is about that."""
    operator = condition.operator
    if operator in ("missing", "not missing"):
        if not feature.nullable or isinstance(feature, EmptyFeature):
            raise ValueError(
                f"A rule must test whether {name} is missing only if it had missing values in training. Got "
                "a rule about that."
            )
        return [Want(MISSING, operator == "not missing")]
    if isinstance(feature, NumericFeature):
        return _numeric(feature, name, condition)
    if isinstance(feature, BooleanFeature):
        return _boolean(name, condition)
    if isinstance(feature, NominalFeature):
        return _nominal(encoding, feature, name, condition)
    if isinstance(feature, RankedFeature):
        return _ranked(encoding, feature, name, condition)
    raise ValueError(
        f"A rule must test features that have columns. Got {name}, which has none: its values did not "
        "differ in training, or no rule of the model tests it."
    )


def _numeric(feature: NumericFeature, name: str, condition: Condition) -> list[Want]:
    operator = condition.operator
    if feature.special and operator in ("in", "not in"):
        return _special(feature, name, condition)
    if operator not in ("<=", "<", ">", ">="):
        raise _wrong_operator(name, "numbers", "<=` or `>", condition)
    value = condition.values[0]
    if isinstance(value, str):
        raise ValueError(f"A rule must compare {name} with a number. Got {category_text(value)}.")
    if value in feature.special:
        raise ValueError(
            f"A rule must test a special value of {name} with `is`, since it is on no side of a cut point. "
            f"Got {shown(condition)}."
        )
    cut = float(value)
    if operator in ("<", ">="):  # of all float64, those below `cut` are those up to the next smaller one
        cut = float(np.nextafter(cut, -np.inf))
    if not math.isfinite(cut):
        raise ValueError(f"A rule must compare {name} with a finite number. Got {cut}.")
    if operator in ("<", "<="):
        return [Want(cut, False)]
    others = [value for value in feature.special if value not in condition.or_special]
    return [Want(cut, True), *(Want(Special(value), True) for value in others)]


def _special(feature: NumericFeature, name: str, condition: Condition) -> list[Want]:
    """The marks of a condition on special values."""
    listed = dict.fromkeys(condition.values)
    strange = [value for value in listed if value not in feature.special]
    if strange:
        known = ", ".join(map(category_text, feature.special[:_MAX_SHOWN]))
        raise ValueError(
            f"A rule must test {name} with `is` for its special values only, which are {known}. "
            f"Got {category_text(strange[0])}."
        )
    if condition.operator == "in" and len(listed) > 1:
        raise ValueError(
            f"A rule must name one special value of {name} with `is`, as a rule is an AND of conditions. "
            f"Got {shown(condition)}; write one rule for each."
        )
    return [Want(Special(float(value)), condition.operator == "not in") for value in listed]


def _check_or_special(feature: Feature, name: str, condition: Condition) -> None:
    known = feature.special if isinstance(feature, NumericFeature) else ()
    strange = [value for value in condition.or_special if value not in known]
    if strange or condition.operator not in (">", ">="):
        got = f"{category_text(strange[0])}" if strange else shown(condition)
        raise ValueError(
            f"A condition with `or is` must be `>` with special values of a feature. Got {got} for {name}."
        )


def _boolean(name: str, condition: Condition) -> list[Want]:
    operator, values = condition.operator, condition.values
    if operator in ("in", "not in") and values in ((0.0,), (1.0,)):
        operator = "true" if (values == (1.0,)) == (operator == "in") else "false"
    if operator not in ("true", "false"):
        raise ValueError(
            f"A rule must test {name}, which is boolean, as `{name}` or `not {name}`. Got {shown(condition)}."
        )
    return [Want(True, operator == "false")]


def _nominal(encoding: Encoding, feature: NominalFeature, name: str, condition: Condition) -> list[Want]:
    if condition.operator not in ("in", "not in"):
        raise _wrong_operator(name, "categories without an order", "is` or `is not", condition)
    labels = feature.labels
    _refuse_members(feature, name, condition.values)
    listed = _known(labels, name, condition.values)
    with_column = {labels[code] for code in feature.own}
    others = [category for category in labels if category not in listed]
    closed = feature.complete and encoding.policy.handle_unknown != "no_match"  # no other category can match
    if condition.operator == "in":
        if len(listed) == 1 and (listed[0] in with_column or not (closed and with_column.issuperset(others))):
            return [Want(listed[0], False)]
        if not closed or not others:
            raise ValueError(
                f"A rule must name one category with `is`, or those that are left out with `not in`. Got "
                f"{len(listed)} categories of {name}; write one rule for each."
            )
        return [Want(category, True) for category in others]
    lacks_columns = not with_column.issuperset(listed)
    if (
        closed
        and len(others) == 1
        and others[0] in with_column
        and lacks_columns
        and not condition.or_missing
    ):
        return [Want(others[0], False)]
    return [Want(category, True) for category in sorted(listed, key=labels.index)]


def _refuse_members(feature: NominalFeature, name: str, values: Iterable[Category]) -> None:
    """Refuse categories that rules know by their group only."""
    for value in values:
        if value in feature.categories and value not in feature.labels:
            index = feature.categories.index(value)
            (group,) = (group for group, _ in feature.groups if index in feature.members(group))
            raise ValueError(
                f"A rule must name groups of categories of {name} where there are some. Got "
                f"{category_text(value)}, which is in the group {category_text(group)}."
            )


def _ranked(encoding: Encoding, feature: RankedFeature, name: str, condition: Condition) -> list[Want]:
    known, last = feature.categories, len(feature.categories) - 1
    if not condition.values or (condition.operator not in ("in", "not in") and not feature.ordered):
        raise _wrong_operator(name, "categories", "is` or `not in", condition)
    positions = sorted(known.index(value) for value in _known(known, name, condition.values))
    low, high, operator = positions[0], positions[-1], condition.operator
    apart = operator.endswith("in") and positions != list(range(low, high + 1))
    if apart or (operator == "not in" and low > 0):
        wanted = "neighbors in its order" if operator == "in" else "its first ones"
        raise ValueError(f"A rule must list categories of {name} that are {wanted}. Got {shown(condition)}.")
    if operator in ("not in", ">"):
        return [Want(high, True)]
    if operator == ">=" and low > 0:
        return [Want(low - 1, True)]
    if operator in ("<", "<="):
        low, high = 0, high - (operator == "<")
    if high < 0 or operator == ">=":
        raise ValueError(f"A rule must hold for some categories of {name} only. Got {shown(condition)}.")
    ends = high == last and high not in feature.cuts and encoding.policy.handle_unknown != "no_match"
    above = [Want(low - 1, True)] if low > 0 else []
    return above if above and ends else [*above, Want(high, False)]


def _known(categories: Sequence[Category], name: str, values: Sequence[Category]) -> list[Category]:
    """The values as categories of the feature, without repeats."""
    found = []
    for value in dict.fromkeys(values):
        if value not in categories:
            texts = [category_text(category) for category in categories]
            close = get_close_matches(category_text(value), texts, n=1) or [
                text
                for text in texts
                if text.strip("'\"").casefold() == category_text(value).strip("'\"").casefold()
            ]
            shown = ", ".join(texts[:_MAX_SHOWN]) + (", ..." if len(texts) > _MAX_SHOWN else "")
            hint = f" Did you mean {close[0]}?" if close else f" It has {shown}." if shown else ""
            raise ValueError(
                f"A rule must name known categories of {name}. Got {category_text(value)}.{hint}"
            )
        found.append(categories[list(categories).index(value)])
    return found


def _wrong_operator(name: str, kind: str, wanted: str, condition: Condition) -> ValueError:
    return ValueError(
        f"A rule must test {name}, which holds {kind}, with `{wanted}`. Got {shown(condition)}."
    )


def shown(condition: Condition) -> str:
    """A condition without its feature, for errors."""
    listed = ", ".join(category_text(value) for value in condition.values)
    return f"`{condition.operator} {listed}`" if listed else f"`{condition.operator}`"


# --- columns ---


def _literal(encoding: Encoding, index: int, want: Want) -> Literal:
    """The column with a mark, or its negation."""
    own = encoding.column_slice(index)
    feature = encoding.features[index]
    marks = marks_of(feature)
    if want.mark is MISSING:
        position = own.stop - 1
    elif want.mark in marks:
        position = own.start + marks.index(want.mark)
    else:
        raise _no_column(feature, condition_name(encoding.feature_names[index]), want.mark)
    return Literal(encoding.columns[position], position, want.negated)


def marks_of(feature: Feature) -> tuple[Any, ...]:
    """The mark of each column of a feature, except the one for missing values."""
    if isinstance(feature, NominalFeature):
        return tuple(feature.labels[code] for code in feature.own)
    if isinstance(feature, BooleanFeature):
        return (True,) if feature.shown else ()
    if isinstance(feature, NumericFeature):
        return (*feature.cuts, *map(Special, feature.special))
    return feature.marks


def _no_column(feature: Feature, name: str, mark: Any) -> ValueError:
    if isinstance(feature, NumericFeature):
        near = sorted(sorted(feature.cuts, key=lambda cut: abs(cut - mark))[:_MAX_SHOWN])
        shown = ", ".join(map(category_text, near)) or "none"
        return ValueError(
            f"A rule must compare {name} with a cut point of the model, the nearest of which are {shown}. "
            f"Got {category_text(mark)}."
        )
    if isinstance(feature, RankedFeature):
        cuts = ", ".join(category_text(feature.categories[cut]) for cut in feature.cuts) or "none"
        mark = feature.categories[mark]
        return ValueError(
            f"A rule must divide the categories of {name} after one of {cuts}. Got {category_text(mark)}."
        )
    shown = "that" if mark is True else category_text(mark)
    return ValueError(f"A rule must test a column of the model. Got {name}, which has no column for {shown}.")


def _fewest(encoding: Encoding, index: int, literals: list[Literal]) -> list[Literal]:
    """The literals on one feature without those that others imply, negations first.

    If they contradict each other, they stay as they are.
    """
    patterns = patterns_of_features(encoding)[index]
    meaning = patterns.meaning(literals)
    fewest = patterns.literals(meaning)
    if meaning and (fewest is None or not 0 < len(fewest) < len(literals)):
        return sorted(
            literals, key=lambda each: (each.column.kind == "missing", not each.negated, each.position)
        )
    if not meaning or fewest is None:
        return literals
    return [Literal(encoding.columns[position], position, negated) for position, negated in fewest]
