"""Rule sets on paper: how to decide, the rules, footnotes; in text, Markdown and HTML, and always as text."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer
from clausal.rules.render import to_html
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

TABLE = pd.DataFrame({"age": [54.0, 55.0, 54.0, 54.0], "dose": [0.25, 0.25, 0.75, None]})
BOOLEANIZER = Booleanizer().fit(TABLE)
AGE, DOSE, _ = BOOLEANIZER.columns_


def rule(points, *literals, bank=0):
    return Rule(tuple(Literal(*literal) for literal in literals), points, "", bank)


def two(*rules, constant=0):
    return RuleSet(rules, BOOLEANIZER, ["well", "sick"], [constant])


SCORECARD = two(rule(12, (AGE, 0, False)), rule(-3, (DOSE, 1, True), (AGE, 0, True)), constant=-4)


def test_text_says_how_to_decide_and_then_the_rules():
    assert SCORECARD.to_text().splitlines() == [
        "Points are for sick. Start at -4 and add the points of each rule that holds. "
        "Predicts sick if the total is 0 or more, else well.",
        "+12  if age <= 54",
        " -3  if (dose > 0.5 or missing) and age > 54",
    ]
    assert str(SCORECARD) == SCORECARD.to_text()


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (
            two(rule(3), constant=-2.5),
            "Points are for sick. Start at -2.5 and add the points of each rule that holds. Predicts sick if",
        ),
        (two(rule(-1)), "Points are for sick. Add the points of each rule that holds. Predicts sick if"),
        (two(), "Always predicts sick: the total is never below 0."),
        (two(constant=3), "Always predicts sick: the total is never below 0."),
    ],
)
def test_only_what_there_is_is_said(rules, words):
    assert str(rules).startswith(words)


@pytest.mark.parametrize(
    ("points", "constant", "always"),
    [
        ((3, -2), 2, "sick"),
        ((3, -2), 1, None),
        ((3, -2), -3, None),
        ((3, -2), -4, "well"),
        ((), -0.5, "well"),
        ((0.1, 0.2), -0.3, None),  # 0.1 + 0.2 is a little more than 0.3
    ],
)
def test_a_decision_that_never_changes_is_said_to(points, constant, always):
    rules = two(*(rule(each, (AGE, 0, False)) for each in points), constant=constant)
    words = None if always is None else f"Always predicts {always}: the total is "
    for each in (rules.to_text(), rules.to_markdown(), rules._repr_html_()):
        assert ("Always" in each) == (words is not None)
        assert words is None or words in each


@pytest.mark.parametrize(
    ("constants", "always"),
    [((2, 0, 0), "a"), ((1, 0, 0), None), ((0, 5, 4), "b"), ((0, 4, 5), "c"), ((0, 4, 4), "b")],
)
def test_of_more_classes_one_may_be_out_of_reach_of_the_others(constants, always):
    rules = [rule(1, (AGE, 0, False), bank=2), rule(-1, (AGE, 0, True), bank=0)]
    text = str(RuleSet(rules[(always or "a") != "a" :], BOOLEANIZER, ["a", "b", "c"], constants))
    assert ("Always" in text) == (always is not None)
    assert always is None or f"Always predicts {always}: no other class can get more points." in text


def test_no_rules():
    assert str(two()).splitlines()[1:] == ["(no rules)"]
    assert "(no rules)" in two().to_markdown()
    assert "(no rules)" in two()._repr_html_()


def test_a_rule_without_conditions_always_holds():
    assert str(two(rule(3))).splitlines()[1:] == ["+3  always"]
    assert "| +3 | always |" in two(rule(3)).to_markdown()


def test_whole_points_are_printed_in_full_and_others_to_four_digits():
    assert "+123456789  always" in str(two(rule(123_456_789)))
    assert "-1.235  always" in str(two(rule(-1.2345678)))


def test_a_number_as_a_label_never_stands_beside_points():
    numbers = RuleSet(SCORECARD, BOOLEANIZER, [1, 0])
    assert str(numbers).splitlines()[:2] == [
        "Points are for class 0. Add the points of each rule that holds. "
        "Predicts class 0 if the total is 0 or more, else class 1.",
        "+12  if age <= 54",
    ]
    several = RuleSet([rule(5, (AGE, 0, False), bank=0)], BOOLEANIZER, [0, 1, 2])
    assert str(several).splitlines()[1] == "+5 for class 0  if age <= 54"
    assert "| +5 | class 0 | `age <= 54` |" in several.to_markdown()
    assert "<td>class 0</td>" in several._repr_html_()


def test_more_classes_add_up_one_total_each():
    rules = [rule(2, (AGE, 0, False)), rule(-1, (AGE, 0, True), bank=2)]
    rules.append(rule(1, (AGE, 0, True), bank=1))
    plain = RuleSet(rules, BOOLEANIZER, ["a", "b", "c"])
    assert str(plain).splitlines() == [
        "Add the points of each rule that holds to its class. "
        "Predicts the class with the most points, the first of a, b, c on a tie.",
        "+2 for a  if age <= 54",
        "-1 for c  if age > 54",
        "+1 for b",
    ]
    assert "| -1, +1 | c, b | `age > 54` |" in plain.to_markdown()
    assert plain._repr_html_().count("age &gt; 54") == 1
    assert "<td>-1, +1</td>" in plain._repr_html_().replace(' style="text-align: right"', "")


def test_rules_with_the_same_conditions_in_one_bank_stay_apart():
    rules = [rule(2, (AGE, 0, False)), rule(3, (AGE, 0, False)), rule(1, (AGE, 0, False), bank=1)]
    assert str(RuleSet(rules, BOOLEANIZER, ["a", "b", "c"])).splitlines()[1:] == [
        "+2 for a  if age <= 54",
        "+1 for b",
        "+3 for a  if age <= 54",
    ]
    started = str(RuleSet(rules[:1], BOOLEANIZER, ["a", "b", "c"], [0, 1, -2]))
    assert started.startswith("Start b at 1, c at -2, others at 0. Add the points of each rule that holds to")
    many = RuleSet([rule(1, (AGE, 0, False), bank=9)], BOOLEANIZER, np.arange(100))
    assert "the first in their order on a tie" in str(many)


def test_markdown_is_a_table():
    assert SCORECARD.to_markdown().splitlines() == [
        "Points are for sick. Start at -4 and add the points of each rule that holds. "
        "Predicts sick if the total is 0 or more, else well.",
        "",
        "| points | if |",
        "| ---: | --- |",
        "| +12 | `age <= 54` |",
        "| -3 | `(dose > 0.5 or missing) and age > 54` |",
    ]


# --- names are text ---


def odd():
    table = pd.DataFrame({"<script>alert(1)</script>": [1, 2], "a|b`c``d": [1, 2]})
    fitted = Booleanizer().fit(table)
    rules = [rule(2, (column, place, False)) for place, column in enumerate(fitted.columns_)]
    return RuleSet(rules, fitted, ["*no* <b>", "&amp;"], [-1])


def test_html_shows_names_as_they_are():
    class Reader(HTMLParser):
        def __init__(self):
            super().__init__(convert_charrefs=True)
            self.tags, self.texts = set(), []

        def handle_starttag(self, tag, attrs):
            self.tags.add(tag)

        def handle_data(self, data):
            self.texts.append(data)

    reader = Reader()
    reader.feed(odd()._repr_html_())
    assert reader.tags == {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert "<script>alert(1)</script> <= 1" in reader.texts
    assert "a|b`c``d <= 1" in reader.texts
    assert (
        "Points are for '&amp;'. Start at -1 and add the points of each rule that holds. "
        "Predicts '&amp;' if the total is 0 or more, else '*no* <b>'." in reader.texts
    )


def test_markdown_shows_names_as_they_are():
    lines = odd().to_markdown().splitlines()
    assert (
        lines[0] == r"Points are for '\&amp;'. Start at -1 and add the points of each rule that holds. "
        r"Predicts '\&amp;' if the total is 0 or more, else '\*no\* \<b\>'."
    )
    assert lines[4] == r"| +2 | `<script>alert(1)</script> <= 1` |"
    assert lines[5] == r"| +2 | ``` a\|b`c``d <= 1 ``` |"
    several = RuleSet(odd(), odd().encoding, ["<b>", "b", "c"]).to_markdown()
    assert r"| +2 | '\<b\>' | `<script>alert(1)</script> <= 1` |" in several


def test_html_shows_the_weightiest_rules_of_many():
    rules = two(*(rule(100 - k, (AGE, 0, False)) for k in range(60)))
    html = to_html(rules)
    assert html.count("<tr>") == 51
    assert "... and 10 rules of fewer points." in html


# --- footnotes ---


def notes(handle_unknown, handle_missing, negated=True):
    table = pd.DataFrame(
        {
            "x": [1, 2, 1],
            "o": pd.Categorical(["low", "mid", "low"], ordered=True),
            "m": ["a", "b", None],
        }
    )
    fitted = Booleanizer(handle_unknown=handle_unknown, handle_missing=handle_missing).fit(table)
    rules = [rule(1, (column, place, negated)) for place, column in enumerate(fitted.columns_)]
    everything = RuleSet(rules, fitted, ["no", "yes"])
    found = str(everything).splitlines()[1 + len(rules) :]
    for each in (everything.to_markdown(), everything._repr_html_()):
        assert all(note in each for note in found)
    return [note.split(" counts as ")[1] for note in found], everything


def test_footnotes_say_what_the_words_do_not():
    above = "above every cut point, as none of the listed categories, and as not true."
    assert notes("error", "error")[0] == []
    assert notes("error", "as_false")[0] == [above]
    assert notes("error", "as_false", negated=False)[0] == []
    assert notes("no_match", "error")[0] == ["above all others."]
    assert notes("no_match", "error", negated=False)[0] == []
    assert notes("missing", "error")[0] == ["missing."]
    assert notes("missing", "as_false")[0] == [above, "missing."]


def test_footnotes_are_only_of_features_that_rules_use():
    _, rules = notes("missing", "as_false")
    assert (
        len(str(rules[:1]).splitlines()) == 3
    )  # x <= 1 of a feature that is neither a category nor nullable
    assert "never missing in training" in str(rules[:1])
    assert "counts as missing" not in str(rules[:1])
    assert len(str(rules[:0]).splitlines()) == 2
