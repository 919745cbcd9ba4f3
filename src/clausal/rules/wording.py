"""The wording of a rule: literals on one feature are said as one condition, such as `12.5 < x <= 40`.

Whatever literals stand together, the text is true of exactly the rows on which all of them hold.
Not here: a single column's text (encoding/columns.py), making rules shorter (simplify.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from clausal.encoding.columns import Column, category_text, name_text

Signed = tuple[Column, bool]  # a column, and whether it is negated

ALWAYS = "always"
_OR_MISSING = " or missing"


def conditions_text(literals: Iterable[Signed]) -> str:
    """All literals in words, joined by `and`; features in the order in which they come up first."""
    by_feature: dict[int, list[Signed]] = {}
    for column, negated in literals:
        by_feature.setdefault(column.feature_index, []).append((column, negated))
    conditions = [condition for own in by_feature.values() for condition in _conditions(own)]
    if len(conditions) == 1:
        return "".join(conditions[0])
    return " and ".join(f"({text}{end})" if end else text for text, end in conditions) or ALWAYS


def _conditions(literals: Sequence[Signed]) -> list[tuple[str, str]]:
    """The literals on one feature as one text and what comes behind it; as several where they contradict."""
    missing = {negated for column, negated in literals if column.kind == "missing"}
    holds = [column for column, negated in literals if column.kind != "missing" and not negated]
    fails = [column for column, negated in literals if column.kind != "missing" and negated]
    if (False in missing and (holds or True in missing)) or _contradict(holds, fails):
        return [_apart(column, negated) for column, negated in literals]
    if not holds and (False in missing or not fails):
        column = literals[0][0]
        return [(f"{name_text(column.feature)} is {'missing' if False in missing else 'not missing'}", "")]
    text = _WORDINGS[(holds or fails)[0].kind](holds, fails)
    only_present = holds or missing or not fails[0].nullable
    return [(text, "" if only_present else _OR_MISSING)]


def _apart(column: Column, negated: bool) -> tuple[str, str]:
    """A literal's own text, with ` or missing` taken off its end."""
    or_missing = column.nullable and negated and column.kind != "missing"
    return _plain(column, negated), _OR_MISSING if or_missing else ""


def _contradict(holds: Sequence[Column], fails: Sequence[Column]) -> bool:
    """Whether no value that is there can do both."""
    if not holds:
        return False
    if holds[0].kind in ("le", "upto"):
        return bool(fails) and max(map(_rank, fails)) >= min(map(_rank, holds))
    return len(set(holds)) > 1 or holds[0] in fails


def _plain(column: Column, negated: bool) -> str:
    """The column's text with missing values left out of account."""
    return column.text(negated) if column.kind == "missing" else replace(column, nullable=False).text(negated)


def _rank(column: Column) -> Any:
    """What orders columns each of which implies the next: the cut point, or how many categories it lists."""
    return len(column.value) if isinstance(column.value, tuple) else column.value


def _bounds(holds: Sequence[Column], fails: Sequence[Column]) -> str:
    """Between two bounds, or to one side of one; the tightest count.

    Coded categories, whose order means nothing to a reader, are listed.
    """
    upper, lower = min(holds, key=_rank, default=None), max(fails, key=_rank, default=None)
    if upper is None or lower is None:
        return _plain(upper or lower or fails[0], upper is None)
    if isinstance(upper.value, tuple) and not upper.ordered:
        return _plain(replace(upper, value=upper.value[_rank(lower) :]), False)
    return f"{_bound_text(lower)} < {name_text(upper.feature)} <= {_bound_text(upper)}"


def _bound_text(column: Column) -> str:
    value = column.value[-1] if isinstance(column.value, tuple) else column.value
    assert value is not None
    return category_text(value)


def _category(holds: Sequence[Column], fails: Sequence[Column]) -> str:
    """One category, or none of some."""
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
