"""One rule: its conditions, its points, the class that it speaks for, and its text; and an override.

In the text, literals on the same feature become one condition, such as `12.5 < x <= 40`. It is true for
exactly the rows on which all literals hold.

Also here: the checks that rules and constants match their encoding and outcome. Not here: a model made of
rules (rule_set.py), the text of a single column (encoding/columns.py), rules of a machine
(machine/clause_model.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Category, Column, condition_name, or_others
from clausal.outcome import Outcome
from clausal.untrusted import short_repr, wrong
from clausal.wording import Number


@dataclass(frozen=True)
class Literal:
    """A column or its negation; it can be printed and evaluated."""

    column: Column
    position: int
    negated: bool

    def holds(self, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether the literal is true, for each row of boolean columns [n, columns]."""
        result: NDArray[np.bool_] = bits[:, self.position] == (not self.negated)
        return result

    def __str__(self) -> str:
        return self.column.text(self.negated)


@dataclass(frozen=True)
class Conjunction:
    """An AND of literals.

    Attributes
    ----------
    literals : the conditions, all of which must hold
    """

    literals: tuple[Literal, ...]

    @property
    def features(self) -> tuple[int, ...]:
        """Indices of the features that the conditions test, ascending."""
        return tuple(sorted({literal.column.feature_index for literal in self.literals}))

    def holds(self, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether all conditions hold, for each row of boolean columns [n, columns]."""
        result = np.ones(len(bits), bool)
        for literal in self.literals:
            result &= literal.holds(bits)
        return result

    def __str__(self) -> str:
        return conditions_text((literal.column, literal.negated) for literal in self.literals)


@dataclass(frozen=True)
class Rule(Conjunction):
    """An AND of literals with signed points for or against a class.

    Attributes
    ----------
    literals : the conditions, all of which must hold
    points : what the rule adds to the vote of its bank; of two classes, to that of the positive class
    speaks_for : the class in favor of which this is, as text: the other class, or `not` the class of the
        bank, for points below 0; set by the RuleSet
    bank : index of the bank
    """

    points: int | float
    speaks_for: str = ""
    bank: int = 0


@dataclass(frozen=True)
class Override(Conjunction):
    """An AND of literals that decides for a class wherever it holds, whatever the votes.

    Attributes
    ----------
    literals : the conditions, all of which must hold; at least one
    label : the label of the class that is decided
    """

    label: Any


_MAX_INTEGER = 2**62  # votes are int64


def checked_constants(constants: Sequence[Number] | None, n_banks: int) -> tuple[Number, ...]:
    """One number per bank; zeros for None."""
    if constants is None:
        return (0,) * n_banks
    numbers = tuple(checked_number(constant, "constants") for constant in constants)
    if len(numbers) != n_banks:
        raise ValueError(f"constants must have one number per bank ({n_banks}). Got {len(numbers)}.")
    return numbers


def checked_rules(rules: Iterable[Rule], columns: Sequence[Column], outcome: Outcome) -> tuple[Rule, ...]:
    """The rules, checked, with points as Python numbers and with `speaks_for` set.

    Parameters
    ----------
    rules : the rules in order
    columns : the columns that literals may test
    outcome : what votes mean
    """
    names = [(outcome.speaks_for(bank, -1), outcome.speaks_for(bank, 1)) for bank in range(outcome.n_banks)]
    return tuple(_checked_rule(rule, f"rules[{index}]", columns, names) for index, rule in enumerate(rules))


MAX_OVERRIDES = 30


def checked_overrides(
    overrides: Iterable[Override], columns: Sequence[Column], outcome: Outcome
) -> tuple[Override, ...]:
    """The overrides, checked, with labels as Python values."""
    listed = tuple(overrides)
    if not listed:
        return ()
    outcome.require_classes("An override")
    labels = outcome.classes.tolist()
    if len(listed) > MAX_OVERRIDES:
        raise wrong("overrides", f"at most {MAX_OVERRIDES}", len(listed))
    checked = []
    for index, override in enumerate(listed):
        where = f"overrides[{index}]"
        if not isinstance(override, Override):
            raise wrong(where, "an Override", override)
        if not override.literals:
            raise wrong(f"{where}.literals", "at least one condition", "none")
        _check_literals(override.literals, where, columns)
        label = override.label.item() if isinstance(override.label, np.generic) else override.label
        if label not in labels:
            raise wrong(f"{where}.label", f"one of the classes {labels}", label)
        checked.append(replace(override, label=labels[labels.index(label)]))
    return tuple(checked)


def check_votes(rules: Iterable[Rule], constants: Iterable[Number]) -> None:
    """Refuse points whose sum could exceed the range of a vote."""
    total = sum(abs(rule.points) for rule in rules) + sum(map(abs, constants))
    if not total <= (_MAX_INTEGER if isinstance(total, int) else np.finfo(np.float64).max):
        raise ValueError("The points of all rules must add up to less than 2**62 in size. Got more.")


def _checked_rule(
    rule: Rule, where: str, columns: Sequence[Column], names: Sequence[tuple[str, str]]
) -> Rule:
    if not isinstance(rule, Rule):
        raise wrong(where, "a Rule", rule)
    if not 0 <= rule.bank < len(names):
        raise wrong(f"{where}.bank", f"from 0 to {len(names) - 1}", rule.bank)
    _check_literals(rule.literals, where, columns)
    points = checked_number(rule.points, f"{where}.points")
    speaks_for = names[rule.bank][points > 0]
    if points is rule.points and speaks_for == rule.speaks_for:
        return rule
    return replace(rule, points=points, speaks_for=speaks_for)


def _check_literals(literals: Iterable[Literal], where: str, columns: Sequence[Column]) -> None:
    """Raise a ValueError unless the literals are of the encoding's columns."""
    for literal in literals:
        index = literal.position
        if not 0 <= index < len(columns):
            raise wrong(f"{where}.literals", f"at positions from 0 to {len(columns) - 1}", index)
        if literal.column is not columns[index] and literal.column != columns[index]:
            expected, found = short_repr(str(columns[index])), short_repr(str(literal.column))
            raise ValueError(
                f"{where}.literals must have the encoding's column at position {index}, {expected}. "
                f"Got {found}."
            )


def checked_number(value: Any, where: str) -> Number:
    """The value as a Python int or finite float."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, int) and not isinstance(number, bool):
        if abs(number) > _MAX_INTEGER:
            raise wrong(where, "at most 2**62 in size", number)
        return number
    if not isinstance(number, float) or not math.isfinite(number):
        raise wrong(where, "a finite number", number)
    return number


Signed = tuple[Column, bool]  # a column, and whether it is negated

ALWAYS = "always"


def conditions_text(literals: Iterable[Signed]) -> str:
    """The text of all literals, joined by `and`; features in the order of their first literal."""
    by_feature: dict[int, list[Signed]] = {}
    for column, negated in literals:
        by_feature.setdefault(column.feature_index, []).append((column, negated))
    conditions = [condition for group in by_feature.values() for condition in _conditions(group)]
    if len(conditions) == 1:
        return "".join(conditions[0])
    return " and ".join(f"({text}{suffix})" if suffix else text for text, suffix in conditions) or ALWAYS


def _conditions(literals: Sequence[Signed]) -> list[tuple[str, str]]:
    """The literals on one feature as (text, suffix): one condition, or several if they contradict."""
    missing = {negated for column, negated in literals if column.kind == "missing"}
    holds = [column for column, negated in literals if column.kind != "missing" and not negated]
    fails = [column for column, negated in literals if column.kind != "missing" and negated]
    special: tuple[Category, ...] = ()  # that a lower bound alone does not exclude
    if any(column.kind == "le" for column in (*holds, *fails)) and not _contradict(holds, fails):
        holds, fails, special = _bounds_only(holds, fails)
    if (False in missing and (holds or True in missing)) or _contradict(holds, fails):
        return [_single(column, negated) for column, negated in literals]
    if not holds and (False in missing or not fails):
        column = literals[0][0]
        return [
            (f"{condition_name(column.feature)} is {'missing' if False in missing else 'not missing'}", "")
        ]
    text = _WORDINGS[(holds or fails)[0].kind](holds, fails)
    return [(text, "" if holds else or_others(special, not missing and fails[0].nullable))]


def _bounds_only(
    holds: Sequence[Column], fails: Sequence[Column]
) -> tuple[list[Column], list[Column], tuple[Category, ...]]:
    """The columns with cut points, or a special value that holds, and special values that are not excluded.

    They are of a feature with cut points and do not contradict each other.
    """
    is_special = [column for column in holds if column.kind == "is"]
    if is_special:
        return is_special, [], ()
    bounds = [column for column in fails if column.kind == "le"]
    excluded = {column.value for column in fails if column.kind == "is"}
    known = (*holds, *bounds)[0].special
    return list(holds), bounds, tuple(value for value in known if value not in excluded)


def _single(column: Column, negated: bool) -> tuple[str, str]:
    """The text of one literal, with what it also holds for, such as ` or missing`, as the suffix."""
    if not negated or column.kind == "missing":
        return _plain(column, negated), ""
    return _plain(column, negated), or_others(column.special, column.nullable)


def _contradict(holds: Sequence[Column], fails: Sequence[Column]) -> bool:
    """Whether no value satisfies all of `holds` and none of `fails`."""
    if not holds:
        return False
    if len({column.kind for column in holds}) > 1:  # a special value is on no side of a cut point
        return True
    if holds[0].kind in ("le", "upto"):
        ranks = [_rank(column) for column in fails if column.kind == holds[0].kind]
        return bool(ranks) and max(ranks) >= min(map(_rank, holds))
    return len(set(holds)) > 1 or holds[0] in fails


def _plain(column: Column, negated: bool) -> str:
    """The text of the column, ignoring special and missing values."""
    if column.kind == "missing":
        return column.text(negated)
    return replace(column, nullable=False, special=()).text(negated)


def _rank(column: Column) -> Any:
    """A key that sorts columns each of which implies the next: the cut point, or the number of categories."""
    return len(column.value) if isinstance(column.value, tuple) else column.value


def _bounds(holds: Sequence[Column], fails: Sequence[Column]) -> str:
    """One or two bounds, the tightest ones.

    Categories that were coded in sorted order are listed, because that order has no meaning for a reader.
    """
    upper, lower = min(holds, key=_rank, default=None), max(fails, key=_rank, default=None)
    if upper is None or lower is None:
        return _plain(upper or lower or fails[0], upper is None)
    if isinstance(upper.value, tuple) and not upper.ordered:
        return _plain(replace(upper, value=upper.value[_rank(lower) :]), False)
    (low_sign, low), (high_sign, high) = lower.bound, upper.bound
    return f"{low} {'<=' if low_sign == '<' else '<'} {condition_name(upper.feature)} {high_sign} {high}"


def _category(holds: Sequence[Column], fails: Sequence[Column]) -> str:
    """One category, or none of several categories."""
    if holds:
        return _plain(holds[0], False)
    values = tuple(dict.fromkeys(column.value for column in fails))
    return _plain(replace(fails[0], kind="upto", value=values), True)  # type: ignore[arg-type]


def _truth(holds: Sequence[Column], fails: Sequence[Column]) -> str:
    return _plain((holds or fails)[0], not holds)


_WORDINGS: dict[str, Callable[[Sequence[Column], Sequence[Column]], str]] = {
    "le": _bounds,
    "upto": _bounds,
    "is": _category,
    "true": _truth,
}
