"""A table of which an expert knows cut points, special values and groups, and random rules on it.

`as_read` is a row as a person reads conditions: a member of a group by the group's name, and a special value
as a text, since it has no order.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from clausal import Booleanizer
from clausal.encoding.encoding import Encoding
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from tests.support.read_conditions import UNSEEN

KNOWLEDGE: dict[str, Any] = {
    "cut_points": {"a": [2, 4, 7]},
    "special_values": {"a": [3, -1], "n": [-1, 99]},
    "groups": {"g": {"up": ["p", "q"], "down": ["r", "s"]}, "k": {"some": [1, 4]}},
}
TABLE = pd.DataFrame(
    {
        "a": [1.0, 3, 5, -1, 8, 2],
        "n": [1.0, 99, None, 4, 2, 99],
        "g": ["p", "q", "r", "t", "u", "p"],
        "k": [1.0, 2, 3, None, 4, 2],
    }
)
VALUES: dict[str, list[Any]] = {
    "a": [2.0, 4, 7, 9, 3, -1, None],
    "n": [1.0, 2, 50, -1, 99, None],
    "g": ["p", "q", "s", "t", "u", "up", None],
    "k": [1.0, 2, 3, 4, 5, None],
}
ROWS = [dict(zip(VALUES, row, strict=True)) for row in product(*VALUES.values())]
GROUP_OF = {"p": "up", "q": "up", "r": "down", "s": "down", 1.0: "some", 4.0: "some"}
NEVER_SEEN: dict[str, list[Any]] = {"a": [None], "n": [], "g": ["up", None], "k": [5]}


@cache
def encoding(unknown: str = "no_rule", missing: str = "no_rule", max_columns: int = 3) -> Encoding:
    """What is learned from the table."""
    booleanizer = Booleanizer(
        max_columns=max_columns, handle_unknown=unknown, handle_missing=missing, **KNOWLEDGE
    )
    return booleanizer.fit(TABLE).encoding_


def frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Rows as a table."""
    return pd.DataFrame({name: [row[name] for row in rows] for name in VALUES})


def as_read(row: dict[str, Any]) -> dict[str, Any]:
    """A row as a person reads conditions, with the policy "no_rule"."""
    read = {}
    for name, value in row.items():
        special = [float(number) for number in KNOWLEDGE["special_values"].get(name, [])]
        if value in NEVER_SEEN[name]:
            read[name] = UNSEEN
        elif value in special:
            read[name] = SpecialValue(f"{value:g}")
        elif name in "gk" and value is not None:
            read[name] = GROUP_OF.get(value, value if name == "g" else f"{value:g}")
        else:
            read[name] = value
    return read


class SpecialValue(str):
    """A number that is on no side of a bound."""

    def __float__(self) -> float:
        return np.nan


@st.composite
def rule_sets(draw: st.DrawFn, most_rules: int = 6, **policy: Any) -> RuleSet:
    """Models of two or three classes with rules of one to four conditions."""
    own = encoding(**policy)
    classes = ("no", "yes") if draw(st.booleans()) else ("low", "mid", "top")
    n_banks, n = 1 if len(classes) == 2 else 3, own.n_columns
    drawn = draw(
        st.lists(
            st.tuples(
                st.integers(-4, 4).filter(bool),
                st.integers(0, n_banks - 1),
                st.sets(st.integers(0, 2 * n - 1), min_size=1, max_size=4),
            ),
            min_size=1,
            max_size=most_rules,
        )
    )
    rules = [
        Rule(tuple(Literal(own.columns[k % n], k % n, k >= n) for k in sorted(indices)), points, bank=bank)
        for points, bank, indices in drawn
    ]
    return RuleSet(rules, own, np.array(classes), draw(st.tuples(*[st.integers(-4, 4)] * n_banks)))
