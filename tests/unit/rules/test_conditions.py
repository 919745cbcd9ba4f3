"""Columns that a rule in words needs and an encoding lacks: what is added changes nothing else."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausal import Booleanizer, RuleClassifier, RuleSet
from clausal.encoding.encoding import Encoding
from clausal.rules.parse import encoding_for, parse_literals, parse_rule
from clausal.rules.rule import Literal, Rule
from clausal.rules.simplify import moved_rules, reduce_encoding

N = 60
_RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "x": np.where(_RNG.random(N) < 0.2, np.nan, _RNG.integers(0, 9, N)),
        "state": _RNG.choice(["east", "north", "south", "west"], N),
        "grade": pd.Categorical(_RNG.choice(["low", "mid", "top"], N), ["low", "mid", "top"], ordered=True),
        "member": _RNG.random(N) < 0.5,
        "income": _RNG.integers(0, 1000, N) / 7,
    }
)
ENCODING = Booleanizer(max_columns=2).fit(TABLE).encoding_
TEXTS = {
    "x > 3.25": TABLE.x > 3.25,
    "x >= 4": TABLE.x >= 4,
    "x < 4": TABLE.x < 4,
    "x > 3.25 or missing": ~(TABLE.x <= 3.25),
    "2.5 < x <= 6.125": (TABLE.x > 2.5) & (TABLE.x <= 6.125),
    "state is east": TABLE.state == "east",
    "state not in {east, west}": ~TABLE.state.isin(["east", "west"]),
    "state in {east, west, south}": TABLE.state != "north",
    "grade is top": TABLE.grade == "top",
    "grade >= mid": TABLE.grade >= "mid",
    "member and income <= 50": TABLE.member & (TABLE.income <= 50),
}


@pytest.mark.parametrize("text", TEXTS)
def test_an_extended_encoding_has_the_columns_of_the_words(text):
    extended = encoding_for(text, ENCODING)
    assert set(ENCODING.columns) <= set(extended.columns)
    rule = Rule(parse_literals(text, extended), 1)
    assert rule.holds(extended.bits(TABLE)).tolist() == TEXTS[text].tolist()
    assert encoding_for(text, extended) == extended
    assert Encoding.from_dict(extended.to_dict()) == extended


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(sorted(TEXTS)), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_moved_rules_hold_on_the_same_rows(texts, random):
    columns = ENCODING.columns
    literals = [Literal(columns[k], k, random.random() < 0.5) for k in random.sample(range(len(columns)), 2)]
    rules = RuleSet([Rule(tuple(literals), 3), Rule(tuple(literals[:1]), -1)], ENCODING, ["no", "yes"], [1])
    extended = ENCODING
    for text in texts:
        extended = encoding_for(text, extended)
    moved = moved_rules(rules, extended)
    assert [str(rule) for rule in moved] == [str(rule) for rule in rules]
    assert moved.votes(TABLE).tolist() == rules.votes(TABLE).tolist()


def test_a_feature_that_no_rule_tests_becomes_what_the_words_say():
    rules = reduce_encoding(RuleSet([parse_rule("member", ENCODING)], ENCODING, [0, 1]))
    with pytest.raises(ValueError, match="has none: its values did not differ in training, or no rule"):
        parse_rule("income <= 50", rules)
    with pytest.raises(ValueError, match="in {|one category with `is`"):
        encoding_for("state in {east, west}", rules.encoding)
    texts = {
        text: rows
        for text, rows in TEXTS.items()
        if not any(word in text for word in ("miss", "grade", "in {"))
    }
    for text, expected in (texts | {"state is not 'New York'": np.ones(N, bool)}).items():
        extended = encoding_for(text, rules.encoding)
        with_rule = moved_rules(rules, extended).with_rules([parse_rule(text, extended)])
        present = TABLE[TABLE.x.notna()]
        assert with_rule.fires(present)[:, 0].tolist() == expected[TABLE.x.notna()].tolist()
        assert RuleSet.from_json(with_rule.to_json()) == with_rule


def test_rules_about_missing_values_need_some_in_training():
    rules = reduce_encoding(RuleSet([parse_rule("member", ENCODING)], ENCODING, [0, 1]))
    with pytest.raises(ValueError, match="which has no columns in the model"):
        encoding_for("x is missing", rules.encoding)


def test_a_category_that_a_reduced_model_does_not_know_is_added():
    north = encoding_for("state is north", ENCODING)
    rules = reduce_encoding(RuleSet([parse_rule("state is north", north)], north, [0, 1]))
    extended = encoding_for("state is west", rules.encoding)
    both = moved_rules(rules, extended).with_rules([parse_rule("state is west", extended)])
    assert both.fires(TABLE)[:, 0].tolist() == (TABLE.state == "west").tolist()
    with pytest.raises(ValueError, match=r"known categories of state. Got wets. Did you mean west\?"):
        parse_rule("state is wets", rules)


def test_rules_of_a_fitted_scorecard_read_back():
    y = (TABLE.income > 60) ^ TABLE.member
    clf = RuleClassifier(max_literals=6, random_state=0, cv=2).fit(TABLE, y)
    assert len(clf.rules_)
    assert [parse_rule(str(rule), clf, rule.points) for rule in clf.rules_] == list(clf.rules_)
