"""Values that were not seen in training and satisfy no condition: where they are, and the warning about them.

Not here: which values these are (values.py, features.py), and what a rule does with them (rules, machine).
"""

from __future__ import annotations

import inspect
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import name_text
from clausal.encoding.values import FeatureValues, Mask, UnseenValueWarning, plain_category

_MAX_SHOWN_FEATURES = 5
_MAX_SHOWN_VALUES = 3
_MAX_SHOWN_CHARACTERS = 40


@dataclass(frozen=True, eq=False)
class Unseen:
    """The rows in which one feature has a value that was not seen in training.

    Attributes
    ----------
    feature : index of the feature
    name : its name
    rows : int [k], ascending
    values : the values in these rows, None if missing
    """

    feature: int
    name: str
    rows: NDArray[np.intp]
    values: tuple[object, ...]

    @classmethod
    def of(cls, feature: int, values: FeatureValues, unseen: Mask) -> Unseen:
        """Those rows of a feature that are marked in `unseen`."""
        taken = values.take(unseen)
        items = zip(taken.values.tolist(), taken.missing.tolist(), strict=True)
        plain = tuple(None if missing else plain_category(item) for item, missing in items)
        return cls(feature, values.name, np.flatnonzero(unseen), plain)

    def __str__(self) -> str:
        counts = Counter(self.values)
        shown = [f"{_text(value)} ({_rows(count)})" for value, count in counts.most_common(_MAX_SHOWN_VALUES)]
        if len(counts) > len(shown):
            shown.append(f"{len(counts) - len(shown)} more")
        return f"{name_text(self.name)} {', '.join(shown)}"


def rows_of(unseen: Sequence[Unseen]) -> NDArray[np.intp]:
    """The rows with any unseen value, ascending."""
    return np.unique(np.concatenate([np.empty(0, np.intp), *(each.rows for each in unseen)]))


def warn_of(unseen: Sequence[Unseen]) -> None:
    """One warning that names the features, their values and the number of rows; none if nothing is unseen."""
    if not unseen:
        return
    shown = [str(each) for each in unseen[:_MAX_SHOWN_FEATURES]]
    if len(unseen) > len(shown):
        shown.append(f"{len(unseen) - len(shown)} more features")
    warnings.warn(
        f"Values in {_rows(len(rows_of(unseen)))} were not seen in training, so no rule that tests their "
        f"feature holds there: {'; '.join(shown)}.",
        UnseenValueWarning,
        stacklevel=_level_of_user(),
    )


def _level_of_user() -> int:
    """The `stacklevel`, for the calling function, of the first caller outside clausal and scikit-learn."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("clausal.", "sklearn.")):
        level, frame = level + 1, frame.f_back
    return level - 1


def _rows(count: int) -> str:
    return f"{count:,} row{'s' if count != 1 else ''}"


def _text(value: object) -> str:
    return "missing" if value is None else repr(value)[:_MAX_SHOWN_CHARACTERS]
