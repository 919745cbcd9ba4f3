"""A missing value or an unknown category that makes a rule hold is told, and only then."""

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer
from clausal.explain import explain_rows
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

GRADES = pd.CategoricalDtype(["low", "mid", "top"], ordered=True)
TABLE = pd.DataFrame(
    {
        "oldpeak": [1.0, 2.1, 3.0],
        "grade": pd.Series(["low", "mid", "top"], dtype=GRADES),
        "site": ["a", "b", "c"],
        "smokes": [True, False, True],
        "dose": [1.0, 2.0, None],
        "kind": ["a", "b", None],
    }
)
ROW = {"oldpeak": 2.1, "grade": "low", "site": "a", "smokes": True, "dose": 1.0, "kind": "a"}


def explained(text, **changed):
    """Of a model whose one rule has the one condition that reads so."""
    policies = {name: changed.pop(name) for name in ("handle_missing", "handle_unknown") if name in changed}
    booleanizer = Booleanizer(**{"handle_missing": "as_false", "handle_unknown": "no_match"} | policies)
    booleanizer.fit(TABLE)
    literals = [
        Literal(column, place, negated)
        for place, column in enumerate(booleanizer.columns_)
        for negated in (False, True)
        if column.text(negated) == text
    ]
    assert len(literals) == 1
    rules = RuleSet([Rule(tuple(literals), 1, "yes")], booleanizer, np.array(["no", "yes"]), (-1,))
    row = pd.DataFrame({name: [value] for name, value in (ROW | changed).items()}).astype({"oldpeak": float})
    row = row.astype({"dose": float, "smokes": "boolean", "grade": object})
    (one,) = explain_rows(rules, row)
    return one


NEVER, UNSEEN = "it was never missing in training.", "not seen in training."


@pytest.mark.parametrize(
    ("text", "changed", "note"),
    [
        ("oldpeak > 2", {"oldpeak": None}, f"oldpeak = missing counts as above every cut point: {NEVER}"),
        ("grade > mid", {"grade": None}, f"grade = missing counts as above all others: {NEVER}"),
        ("site is not a", {"site": None}, f"site = missing counts as none of the listed categories: {NEVER}"),
        ("not smokes", {"smokes": None}, f"smokes = missing counts as not true: {NEVER}"),
        ("grade > mid", {"grade": "odd"}, f"grade = odd counts as above all others: {UNSEEN}"),
        (
            "grade > mid",
            {"grade": "odd", "handle_unknown": "missing"},
            f"grade = odd counts as missing, and so as above all others: {UNSEEN}",
        ),
        (
            "kind is missing",
            {"kind": "odd", "handle_unknown": "missing"},
            f"kind = odd counts as missing: {UNSEEN}",
        ),
    ],
)
def test_a_value_that_makes_a_rule_hold_by_policy_is_told(text, changed, note):
    one = explained(text, **changed)
    assert len(one.fired) == 1
    assert one.notes == (note,)
    assert str(one).splitlines()[3:5] == [f"  +1  if {text}", f"  Note: {note}"]
    assert f"<p>Note: {note}</p>" in one._repr_html_()
    assert one.to_dict()["notes"] == [note]


@pytest.mark.parametrize(
    ("text", "changed", "holds"),
    [
        ("oldpeak > 2", {}, True),
        ("oldpeak <= 2", {"oldpeak": None}, False),
        ("grade > mid", {"grade": "top"}, True),
        ("site is not a", {"site": "odd"}, True),
        ("kind is missing", {"kind": None}, True),
        ("kind is not a or missing", {"kind": None}, True),
        ("dose > 1 or missing", {"dose": None}, True),
    ],
)
def test_a_value_that_its_own_words_explain_is_not(text, changed, holds):
    one = explained(text, **changed)
    assert len(one.fired) == holds
    assert one.notes == ()
    assert "Note" not in str(one)
