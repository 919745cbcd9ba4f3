"""What an expert knows of features holds everywhere: in words, rules, explanations, model files and streams.

Exports are compared in test_exports.py, whose models have the same knowledge; the command line and files of
knowledge are in command_line/test_knowledge_options.py.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausal import Booleanizer, RuleClassifier, TsetlinClassifier, load, parse_rule
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import NEITHER
from clausal.encoding.values import NO_RULE
from clausal.engine.native import encode
from clausal.engine.protocol import pack_bits
from clausal.explain import explain_rows
from clausal.rules.rule import Literal, conditions_text
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import simplify
from clausal.scorecard.points_table import points_table
from clausal.scorecard.read import read_rows
from clausal.scorecard.refit import GivenRows
from tests.support.known_features import (
    KNOWLEDGE,
    NEVER_SEEN,
    ROWS,
    TABLE,
    as_read,
    encoding,
    frame,
    rule_sets,
)
from tests.support.read_conditions import text_holds

pytestmark = pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")
ALL = frame(ROWS)
BITS = encoding().plain_bits(ALL, NO_RULE)
MANY = pd.DataFrame(
    {
        "age": np.arange(300) % 70 + 18.0,
        "income": [(-1.0, 999999.0, 20.0 + row % 7, 50.0 + row % 11)[row * 7 % 4] for row in range(300)],
        "state": [("NY", "MA", "TX", "CA", "FL")[row * 3 % 5] for row in range(300)],
        "other": [row * 5 % 13 for row in range(300)],
    }
)
AUTO = Booleanizer(max_columns="auto")
LABELS = ((MANY.age > 40) * 2 + (MANY.income == -1) * 2 + MANY.state.isin(["NY", "MA"]) > 2).to_numpy()
KNOWN = Booleanizer(
    cut_points={"age": [25, 40, 60]},
    special_values={"income": [-1, 999999]},
    groups={"state": {"north": ["NY", "MA"], "south": ["TX", "AL"]}},
)


def literals_of_all() -> list[Literal]:
    columns = list(enumerate(encoding().columns))
    return [Literal(column, k, negated) for k, column in columns for negated in (False, True)]


@given(st.sets(st.integers(0, len(literals_of_all()) - 1), min_size=1, max_size=5))
@settings(max_examples=150, deadline=None)
def test_words_say_what_literals_do_and_are_read_back(chosen: set[int]) -> None:
    literals = [literals_of_all()[k] for k in sorted(chosen)]
    text = conditions_text((literal.column, literal.negated) for literal in literals)
    holds = np.all([literal.holds(BITS) for literal in literals], axis=0)
    assert [text_holds(text, as_read(row), {}) for row in ROWS] == holds.tolist()
    again = parse_rule(text, encoding())
    np.testing.assert_array_equal(again.holds(BITS), holds)
    assert str(parse_rule(str(again), encoding())) == str(again)


@given(rule_sets())
@settings(max_examples=60, deadline=None)
def test_simplified_rules_have_the_same_votes(rules: RuleSet) -> None:
    simple = simplify(rules)
    assert simple.n_literals <= rules.n_literals
    np.testing.assert_array_equal(simple.votes(ALL), rules.votes(ALL))
    for rule in simple:
        assert parse_rule(str(rule), encoding()).holds(BITS).tolist() == rule.holds(BITS).tolist()


TO_SPECIAL = 1000


def size_of(name: str, old: Any, new: Any) -> int:
    """How large a change is: cut points crossed, 1 for a category and from what has no order."""
    special = [None, *KNOWLEDGE["special_values"].get(name, [])]
    if old == new:
        return 0
    if new in special:
        return 1 + TO_SPECIAL
    if old in special or name in "gk":
        return 1
    cuts = [column.value for column in encoding().columns if column.feature == name and column.kind == "le"]
    return sum(min(old, new) <= cut < max(old, new) for cut in cuts)


@given(rule_sets(most_rules=4), st.integers(0, len(ROWS) - 1))
@settings(max_examples=40, deadline=None)
def test_counterfactuals_are_the_smallest_and_avoid_special_values(rules: RuleSet, place: int) -> None:
    row, labels = ROWS[place], rules.predict(ALL)
    (explained,) = explain_rows(rules, frame([row]))
    found = explained.counterfactual
    sizes = [
        sorted(size for name, value in ROWS[other].items() if (size := size_of(name, row[name], value)))
        for other in np.flatnonzero(labels != labels[place])
        if not any(value in NEVER_SEEN[name] and value != row[name] for name, value in ROWS[other].items())
    ]
    if not sizes:
        assert found is None
        return
    assert found is not None
    changed = {**row, **{change.feature: change.new for change in found.changes}}
    assert rules.predict(frame([changed])).tolist() == [found.label] != [labels[place]]
    own = [size_of(change.feature, change.old, change.new) for change in found.changes]
    assert (len(own), sum(own)) == min((len(each), sum(each)) for each in sizes)


@pytest.mark.parametrize("missing", ["no_rule", "as_false"])
@pytest.mark.parametrize("unknown", ["no_rule", "no_match", "missing"])
def test_the_compiled_encoder_gives_the_same_bits(unknown: str, missing: str) -> None:
    own = encoding(unknown, missing)
    known = ALL[~(own.bits(ALL) == NEITHER).any(axis=1)]
    literals = encode(own.batches(own.read(known), own.policy))
    bits = own.bits(known)
    np.testing.assert_array_equal(literals, pack_bits(np.hstack([bits, 1 - bits]).astype(bool)))


def test_old_encodings_are_read_and_new_ones_return() -> None:
    plain = Booleanizer().fit(TABLE[["n", "g"]]).encoding_
    stored = plain.to_dict()
    assert not set(stored["params"]) & {"cut_points", "special_values", "groups"}
    assert not any({"special", "groups"} & set(feature) for feature in stored["features"])
    assert Encoding.from_dict(json.loads(json.dumps(stored))) == plain
    assert Encoding.from_dict(json.loads(json.dumps(encoding().to_dict()))) == encoding()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["features"][0].update(special=[2.0]), "must be numbers that are no cut points. Got 2"),
        (lambda d: d["features"][0].update(special=[1, 1]), "sorted without repeats"),
        (lambda d: d["features"][2].update(groups=[["up", 9]]), "an integer from 1 to"),
        (lambda d: d["features"][2].update(groups=[["up", 2], ["up", 2]]), "names that differ"),
        (lambda d: d["features"][2].update(groups=[["t", 2]]), "names that differ"),
        (lambda d: d["features"][2].update(groups=[["up"]]), "a name and a number of categories"),
        (lambda d: d["params"].update(groups=[["g", [["up", [1, "p"]]]]]), "all text or all numbers"),
        (lambda d: d["params"].update(cut_points=[["a", [1]], ["a", [2]]]), "different features"),
        (lambda d: d["params"].update(cut_points=[["z", [1]]]), "must list names of columns of X. Got 'z'"),
        (lambda d: d["params"].update(special_values=[["a", "b"]]), "must be a list. Got 'b'"),
    ],
)
def test_a_spoiled_encoding_is_refused(change: Any, message: str) -> None:
    spoiled = json.loads(json.dumps(encoding().to_dict()))
    change(spoiled)
    with pytest.raises(ValueError, match=message):
        Encoding.from_dict(spoiled)


def card() -> RuleClassifier:
    return RuleClassifier(
        booleanizer=KNOWN,
        max_literals=6,
        cv=2,
        fixed_rules=["income is -1", "state is south"],
        random_state=0,
    )


def machine() -> TsetlinClassifier:
    return TsetlinClassifier(10, n_epochs=3, booleanizer=KNOWN, random_state=0)


@pytest.mark.parametrize("make", [card, machine])
def test_a_model_keeps_what_it_was_told(make: Any, tmp_path: Path) -> None:
    clf = make().fit(MANY, LABELS)
    cuts = {c.value for rule in clf.rules_ for c in (each.column for each in rule.literals) if c.kind == "le"}
    assert cuts & {25.0, 40.0, 60.0}
    ages = [each.column for rule in clf.rules_ for each in rule.literals if each.column.feature == "age"]
    assert {column.value for column in ages} <= {25.0, 40.0, 60.0}
    path = tmp_path / "model.json"
    clf.save(path)
    again = load(path)
    rows = pd.DataFrame(
        {"age": [30, 70], "income": [-1, 999999], "state": ["AL", "north"], "other": [1, 2]}
    ).astype({"age": float, "income": float})
    np.testing.assert_array_equal(again.votes(rows), clf.votes(rows))
    np.testing.assert_array_equal(clf.rules_.votes(MANY), clf.votes(MANY))
    assert again.booleanizer.cut_points == {"age": [25, 40, 60]}
    assert again.booleanizer.groups == {"state": {"north": ["MA", "NY"], "south": ["AL", "TX"]}}
    assert again.encoding_ == clf.encoding_


@pytest.mark.parametrize("make", [card, machine])
def test_a_streamed_table_gives_the_same_model(make: Any, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    MANY.assign(label=LABELS).to_parquet(path, row_group_size=37)
    streamed, in_memory = make().fit(path, "label"), make().fit(MANY, LABELS)
    assert str(streamed.rules_) == str(in_memory.rules_)
    assert streamed.encoding_ == in_memory.encoding_


def test_a_special_value_is_never_in_an_interval_of_a_streamed_number(tmp_path: Path) -> None:
    numbers = np.concatenate([np.arange(70_000.0), [-1.0, 35_000.5, np.nan]])
    table = pd.DataFrame({"n": numbers, "label": np.arange(len(numbers)) % 2})
    path = tmp_path / "table.parquet"
    table.to_parquet(path)
    clf = TsetlinClassifier(
        2, n_epochs=1, booleanizer=Booleanizer(special_values={"n": [-1, 35_000.5]}), random_state=0
    )
    feature = clf.fit(path, "label").encoding_.features[0]
    assert feature.special == (-1.0, 35_000.5)
    assert min(feature.cuts) > 0
    assert len(feature.cuts) == 16


def test_a_monotonic_constraint_is_about_ordinary_values() -> None:
    clf = RuleClassifier(
        booleanizer=KNOWN, max_literals=10, parsimony=0, cv=2, monotonic_cst={"income": 1}, random_state=0
    ).fit(MANY, LABELS)
    rows = MANY.iloc[:40]
    ascending = [clf.votes(rows.assign(income=income)) for income in (1.0, 22.5, 27.0, 52.5, 60.0, 1e9)]
    assert all((low <= high).all() for low, high in pairwise(ascending))
    assert "income is -1" in str(clf.rules_)


@pytest.mark.parametrize("n_rows", [300, 700])
def test_with_auto_the_other_features_are_as_without_a_booleanizer(n_rows: int) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"known": rng.normal(size=n_rows), "other": rng.normal(size=n_rows)})
    y = X.sum(axis=1) + rng.normal(size=n_rows) > 0
    settings = {"max_literals": 4, "cv": 2, "random_state": 0}
    plain = RuleClassifier(**settings).fit(X, y)
    auto = RuleClassifier(booleanizer=AUTO, **settings).fit(X, y)
    assert auto.rules_.to_dict() == plain.rules_.to_dict()
    cuts = [-0.5, 0.25]
    known = Booleanizer(max_columns="auto", cut_points={"known": cuts})
    own = read_rows(*with_machine(RuleClassifier(booleanizer=known, **settings)), X, y, None, 0)
    others = read_rows(*with_machine(RuleClassifier(**settings)), X, y, None, 0)
    assert own.rows.encoding.features[0].cuts == tuple(cuts)
    assert own.rows.encoding.features[1] == others.rows.encoding.features[1]
    assert (len(own.rows.encoding.features[1].cuts) > 24) == (n_rows > 500)
    for epochs in ("auto", 1):  # with "auto", the machine chooses its settings and columns
        machines = [TsetlinClassifier(n_epochs=epochs, booleanizer=b, random_state=0) for b in ("auto", AUTO)]
        one, other = (machine.fit(X[:60], y[:60]).encoding_ for machine in machines)
        assert one == other


def with_machine(clf: RuleClassifier) -> tuple[Any, Any]:
    return clf, clf._machine()


def test_special_values_are_bins_of_the_classic_table() -> None:
    clf = card().fit(MANY, LABELS)
    rule = parse_rule("income > 26 or in {-1, 999999}", clf.encoding_, points=2)
    rules = clf.rules_.with_rules([rule])
    bins = points_table(rules, GivenRows.read(MANY, LABELS, None, clf.rules_.outcome)).bins
    counts = {line.bin: line.rows for line in bins if line.feature == "income"}
    assert counts == {
        "income <= 26": ((MANY.income > 0) & (MANY.income <= 26)).sum(),
        "income > 26": ((MANY.income > 26) & (MANY.income < 999)).sum(),
        "income is -1": (MANY.income == -1).sum(),
        "income is 999999": (MANY.income == 999999).sum(),
    }


def test_an_edited_card_knows_special_values_and_groups_that_no_rule_tests() -> None:
    clf = RuleClassifier(
        booleanizer=KNOWN, max_literals=1, cv=2, forbidden_features=["income", "state"], random_state=0
    ).fit(MANY, LABELS)
    lifted = clf.to_scorecard().edit(MANY, LABELS).lift("forbidden_features")
    edit = lifted.add_rule("income > 30", 2).add_rule("state is north", 1)
    rules = {str(rule): rule for rule in edit.keep("who", "why").rules_}
    bits = edit.after.encoding_.bits(MANY)
    ordinary = (MANY.income > 30) & (MANY.income < 999)
    np.testing.assert_array_equal(rules["income > 30"].holds(bits), ordinary)
    np.testing.assert_array_equal(rules["state is north"].holds(bits), MANY.state.isin(["NY", "MA"]))
    with pytest.raises(ValueError, match="special value of income with `is`"):
        edit.add_rule("income > -1", 2)
    with pytest.raises(ValueError, match="Got NY, which is in the group north"):
        edit.add_rule("state is NY", 2)
