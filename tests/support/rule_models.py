"""Small tables of every kind of feature, all rows that matter, and machines on them, for tests of rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from clausal import Booleanizer
from clausal.machine.clause_model import ClauseModel
from clausal.rules.rule import Literal, Rule
from tests.support.read_conditions import UNSEEN, text_holds

NAMES = {2: ["no", "yes"], 3: ["high", "low", "mid"]}
TABLE = pd.DataFrame(
    {
        "n": [1.0, 2, 3, 4, 1, 2],
        "m": [1.5, 2.5, 3.5, np.nan, 1.5, 2.5],
        "c": ["a", "b", "c", "a", "b", "c"],
        "d": ["a", "b", "c", "a", None, "b"],
        "o": pd.Categorical(list("xyzxyz"), ["w", "x", "y", "z", "zz"], ordered=True),
        "b": [True, False, True, False, True, False],
        "t": pd.array([True, False, None, False, True, False], "boolean"),
    }
)
ORDERS = {"o": ["w", "x", "y", "z", "zz"]}
POLICIES = [  # (mode, handle_unknown, handle_missing)
    ("auto", "error", "error"),
    ("auto", "no_match", "as_false"),
    ("auto", "missing", "error"),
    ("auto", "missing", "as_false"),
    ("paper", "error", "error"),
    ("paper", "no_match", "error"),
    ("paper", "error", "as_false"),
    ("auto", "no_rule", "no_rule"),
    ("auto", "missing", "no_rule"),
    ("auto", "no_rule", "error"),
    ("paper", "no_rule", "no_rule"),
    ("paper", "no_match", "no_rule"),
]


@dataclass(frozen=True, eq=False)
class Setting:
    """A fitted booleanizer and every combination of accepted values that it could distinguish.

    `bits` are their columns, `read` their values as the footnotes under a list of rules say that they count.
    """

    booleanizer: Booleanizer
    X: pd.DataFrame
    bits: np.ndarray
    read: list[dict[str, Any]]

    @property
    def n_columns(self) -> int:
        return len(self.booleanizer.columns_)


@cache
def setting(features: str, mode: str, unknown: str, missing: str) -> Setting:
    """Fitted on some features of the table, each named by a letter."""
    fitted = Booleanizer(mode, handle_unknown=unknown, handle_missing=missing).fit(TABLE[list(features)])
    lists = [values(fitted, feature) for feature in fitted.features_]
    records = [dict(zip(features, row, strict=True)) for row in product(*lists)]
    X = pd.DataFrame({name: pd.Series([row[name] for row in records], dtype=object) for name in features})
    encoding = fitted.encoding_
    bits = encoding.plain_bits(X, encoding.policy)
    return Setting(fitted, X, bits, [as_read(fitted, row) for row in records])


def values(fitted: Booleanizer, feature: Any) -> list[Any]:
    """Values on both sides of each cut point, each category, an unknown and a missing value if accepted."""
    if feature.kind == "numeric":
        found = [feature.cuts[0] - 1, *feature.cuts, feature.cuts[-1] + 1]
    elif feature.kind == "boolean":
        found = [True, False]
    else:
        found = list(feature.categories)
        takes_missing = feature.nullable or fitted.handle_missing != "error"
        if fitted.handle_unknown in ("no_match", "no_rule") or (
            fitted.handle_unknown == "missing" and takes_missing
        ):
            found.append("other")
    if feature.nullable or fitted.handle_missing != "error":
        found.append(None)
    return found


def as_read(fitted: Booleanizer, row: dict[str, Any]) -> dict[str, Any]:
    """A row as the footnotes of a list of rules describe it."""
    result = {}
    for (name, value), feature in zip(row.items(), fitted.features_, strict=True):
        if value == "other" and fitted.handle_unknown == "missing":
            value = None
        if (value == "other" and fitted.handle_unknown == "no_rule") or (
            value is None and not feature.nullable and fitted.handle_missing == "no_rule"
        ):
            value = UNSEEN
        if value is None and not feature.nullable:
            assert fitted.handle_missing == "as_false"
            value = {"numeric": 1e300, "boolean": False}.get(feature.kind, "other")
        result[name] = value
    return result


def assert_text_is_true(rule: Rule, given: Setting) -> None:
    """Check that the text of a rule is true for exactly the rows on which the rule holds."""
    text = str(rule)
    assert rule.holds(given.bits).tolist() == [text_holds(text, row, ORDERS) for row in given.read], text


def literals(fitted: Booleanizer, numbers: Iterable[int]) -> tuple[Literal, ...]:
    """By their numbers: columns first, then their negations."""
    n_columns = len(fitted.columns_)
    return tuple(Literal(fitted.columns_[k % n_columns], k % n_columns, k >= n_columns) for k in numbers)


def machine(clauses: list[list[tuple[set[int], int]]], n_columns: int, scale: int = 1) -> ClauseModel:
    """A model whose clauses, by bank, include these literals and have these points in units of 1 / scale.

    Clauses vote for and against by turns.
    """
    states = np.zeros((len(clauses), len(clauses[0]), 2 * n_columns), np.uint8)
    for bank, own in enumerate(clauses):
        for clause, (included, _) in enumerate(own):
            states[bank, clause, sorted(included)] = 3
    points = np.array([[points for _, points in own] for own in clauses], np.int32)
    return ClauseModel(states, points, points, n_states=2, threshold=5, scale=scale, seed=0, step=0)


def votes(model: ClauseModel, bits: np.ndarray) -> np.ndarray:
    """The votes from the arrays, clause by clause: (n,) for one bank, (n, banks) for more."""
    literals = np.c_[bits == 1, bits == 0]
    total = np.zeros((len(bits), model.n_banks), model.weights.dtype)
    for bank in range(model.n_banks):
        for clause in range(model.n_clauses):
            included = model.include[bank, clause]
            fires = literals[:, included].all(axis=1) & included.any()
            total[:, bank] += fires * model.polarity[clause] * model.weights[bank, clause]
    return total[:, 0] if model.n_banks == 1 else total
