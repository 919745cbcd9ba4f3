"""Small models made of rules, and the values their features can take, for tests of explanations."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from clausal import Booleanizer
from clausal.rules.rule import Literal, Override, Rule
from clausal.rules.rule_set import RuleSet

# Numbers with and without missing values, categories, ordered ones, a boolean.
TABLE = pd.DataFrame(
    {
        "n": [1.0, 2, 3, 4, 5, 6],
        "m": [1.0, 2, 3, np.nan, 2, 1],
        "c": ["a", "b", "c", "a", None, "d"],
        "o": pd.Categorical(list("xyzxyz"), ordered=True),
        "b": [True, False, True, False, True, False],
    }
)
BOOLEANIZER = Booleanizer(max_columns=3).fit(TABLE)
COLUMNS = BOOLEANIZER.columns_
CUTS = {
    name: [column.value for column in COLUMNS if column.feature == name and column.kind == "le"]
    for name in "nm"
}
ORDER = ["x", "y", "z"]
# Each possible pattern of columns comes from exactly one of these values; `d` has no column.
VALUES: dict[str, list[Any]] = {
    "n": [1, 3, 4, 5],
    "m": [1, 2, 3, None],
    "c": ["a", "b", "c", "d", None],
    "o": ORDER,
    "b": [True, False],
}
ROWS = [dict(zip(VALUES, row, strict=True)) for row in product(*VALUES.values())]


def frame(*rows: dict[str, Any]) -> pd.DataFrame:
    """Rows as a table for the booleanizer."""
    return pd.DataFrame({name: [row[name] for row in rows] for name in VALUES})


def named(text: str) -> Literal:
    """The literal with this text."""
    for index, column in enumerate(COLUMNS):
        for negated in (False, True):
            if column.text(negated) == text:
                return Literal(column, index, negated)
    raise KeyError(text)


def model(*rules: tuple[Any, ...], constants: Any = None, classes: Any = ("no", "yes")) -> RuleSet:
    """A model of rules given as (points, condition, ..., bank if it is not 0)."""
    made = []
    for points, *texts in rules:
        bank = texts.pop() if isinstance(texts[-1], int) else 0
        made.append(Rule(tuple(map(named, texts)), points, bank=bank))
    return RuleSet(made, BOOLEANIZER, np.array(classes), constants)


@st.composite
def rule_sets(draw: st.DrawFn, most_rules: int = 6) -> RuleSet:
    """Models of two or three classes with rules of one to four conditions, some of which never hold."""
    classes = ("no", "yes") if draw(st.booleans()) else ("low", "mid", "top")
    n_banks = 1 if len(classes) == 2 else 3
    drawn = draw(
        st.lists(
            st.tuples(
                st.integers(-4, 4).filter(bool),
                st.integers(0, n_banks - 1),
                st.sets(st.integers(0, 2 * len(COLUMNS) - 1), min_size=1, max_size=4),
            ),
            max_size=most_rules,
        )
    )
    rules = [Rule(_literals(indices), points, bank=bank) for points, bank, indices in drawn]
    constants = draw(st.tuples(*[st.integers(-4, 4)] * n_banks))
    return RuleSet(rules, BOOLEANIZER, np.array(classes), constants)


@st.composite
def deciding_rule_sets(draw: st.DrawFn, most_rules: int = 6) -> RuleSet:
    """Models as `rule_sets` draws them, with a cut-off and overrides."""
    rules = draw(rule_sets(most_rules))
    if rules.n_banks == 1:
        rules = rules.with_cut_off(draw(st.integers(-5, 5)))
    drawn = draw(
        st.lists(
            st.tuples(
                st.sampled_from(rules.classes.tolist()),
                st.sets(st.integers(0, 2 * len(COLUMNS) - 1), min_size=1, max_size=2),
            ),
            max_size=3,
        )
    )
    return rules.with_overrides(Override(_literals(indices), label) for label, indices in drawn)


def _literals(indices: set[int]) -> tuple[Literal, ...]:
    """By their numbers: columns first, then their negations."""
    n = len(COLUMNS)
    return tuple(Literal(COLUMNS[k % n], k % n, k >= n) for k in sorted(indices))
