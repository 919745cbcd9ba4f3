"""The text of a rule: literals on the same feature become one condition, such as `12.5 < x <= 40`.

The text is true for exactly the rows on which all literals hold, whatever the literals are.
Not here: the text of a single column (encoding/columns.py), simplification of rules (simplify.py).
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
    if (False in missing and (holds or True in missing)) or _contradict(holds, fails):
        return [_single(column, negated) for column, negated in literals]
    if not holds and (False in missing or not fails):
        column = literals[0][0]
        return [(f"{name_text(column.feature)} is {'missing' if False in missing else 'not missing'}", "")]
    text = _WORDINGS[(holds or fails)[0].kind](holds, fails)
    excludes_missing = holds or missing or not fails[0].nullable
    return [(text, "" if excludes_missing else _OR_MISSING)]


def _single(column: Column, negated: bool) -> tuple[str, str]:
    """The text of one literal, with ` or missing` as the suffix."""
    or_missing = column.nullable and negated and column.kind != "missing"
    return _plain(column, negated), _OR_MISSING if or_missing else ""


def _contradict(holds: Sequence[Column], fails: Sequence[Column]) -> bool:
    """Whether no value satisfies all of `holds` and none of `fails`."""
    if not holds:
        return False
    if holds[0].kind in ("le", "upto"):
        return bool(fails) and max(map(_rank, fails)) >= min(map(_rank, holds))
    return len(set(holds)) > 1 or holds[0] in fails


def _plain(column: Column, negated: bool) -> str:
    """The text of the column, ignoring missing values."""
    return column.text(negated) if column.kind == "missing" else replace(column, nullable=False).text(negated)


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
    return f"{_bound_text(lower)} < {name_text(upper.feature)} <= {_bound_text(upper)}"


def _bound_text(column: Column) -> str:
    value = column.value[-1] if isinstance(column.value, tuple) else column.value
    assert value is not None
    return category_text(value)


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
