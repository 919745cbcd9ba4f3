"""Rules in words: every printed rule reads back as itself, and what cannot be read says why."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clausal import Booleanizer, RuleSet, parse_rule
from clausal.encoding.columns import condition_name, is_typed, number_text
from clausal.rules.parse import encoding_for, parse_literals
from clausal.rules.rule import Literal, Rule
from clausal.rules.simplify import simplify
from tests.support.rule_models import POLICIES, TABLE, literals, setting

WIDE = pd.DataFrame(
    {
        "x": [1.0, 2, 40, 50, None],
        "age": [54.0, 61, 70, 54, 54],
        "petal length (cm)": [1.0, 2, 3, 4, 5],
        "thal": ["fixed", "normal", "reversible", "normal", "New York"],
        "pain": ["mild", "nil", None, "severe", "mild"],
        "grade": pd.Categorical(["low", "mid", "top", "low", "mid"], ["low", "mid", "top"], ordered=True),
        "smoker": [True, False, True, False, True],
        "retired": pd.array([True, False, None, False, True], "boolean"),
    }
)
AUTO = Booleanizer().fit(WIDE).encoding_
BITS = AUTO.bits(WIDE)

HOSTILE = [
    "and",
    "a",
    "b",
    "a and b",
    "not a",
    "is",
    "a is b",
    "a is missing",
    "'a'",
    '"',
    "(a)",
    "a)",
    "(",
    "x <= 3",
]
HOSTILE += [
    "a or missing",
    "missing",
    "always",
    "a in {b}",
    "3",
    "-1",
    "nan",
    "true",
    " a",
    "",
    "ä",
    "\n",
    "a, b",
    "\\",
]
PIECES = st.lists(
    st.sampled_from([*HOSTILE, " ", "<", ">", "=", "or", "not", "in", "{", "}", "'"]), max_size=4
)
NAMES = st.sampled_from(HOSTILE) | PIECES.map(" ".join) | st.text(max_size=4)


@pytest.mark.parametrize("feature", TABLE.columns)
@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_every_set_of_literals_on_one_feature_reads_back(policy, feature):
    own = setting(feature, *policy)
    encoding = own.booleanizer.encoding_
    n_literals = 2 * own.n_columns
    for size in range(min(n_literals, 3) + 1):
        for chosen in combinations(range(n_literals), size):
            rule = Rule(literals(own.booleanizer, chosen), 1)
            again = parse_rule(str(rule), encoding)
            holds = rule.holds(own.bits)
            assert again.holds(own.bits).tolist() == holds.tolist()
            assert str(again) == str(rule) or not holds.any()


@st.composite
def models(draw):
    """A table whose names and categories are hostile, and the simplified rules of a model on it."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    categories = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    made = {}
    for name in names:
        kind = draw(st.sampled_from(["number", "category", "order", "boolean"]))
        values = {
            "number": rng.choice([-1.5, 0.0, 1e-7, 3.0, 1e20], 30),
            "category": np.array(categories, object)[rng.integers(0, len(categories), 30)],
            "order": pd.Categorical.from_codes(
                rng.integers(0, len(categories), 30), categories, ordered=True
            ),
            "boolean": rng.random(30) < 0.5,
        }[kind]
        column = pd.Series(values)
        if draw(st.booleans()):
            column = column.astype("boolean") if kind == "boolean" else column
            column[::7] = pd.NA if kind == "boolean" else None
        made[name] = column
    unknown = draw(st.sampled_from(["no_rule", "no_match", "error"]))
    encoding = (
        Booleanizer(draw(st.sampled_from(["auto", "paper"])), handle_unknown=unknown)
        .fit(pd.DataFrame(made))
        .encoding_
    )
    columns = encoding.columns
    position = st.integers(0, max(len(columns) - 1, 0))
    chosen = st.lists(st.tuples(position, st.booleans()), min_size=1, max_size=5, unique=True)
    rules = draw(st.lists(chosen, min_size=1, max_size=4)) if columns else []
    made_rules = [Rule(tuple(Literal(columns[k], k, sign) for k, sign in each), 1) for each in rules]
    return simplify(RuleSet(made_rules, encoding, ["bad", "good"]))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(models())
def test_rules_of_models_with_hostile_names_read_back_as_themselves(rules):
    for rule in rules:
        read = parse_rule(str(rule), rules, rule.points)
        assert replace(read, literals=()) == replace(rule, literals=())
        assert read == rule, str(rule)


@given(st.floats(-1e300, 1e300), st.sampled_from(["<", "<=", ">", ">="]))
@example(0.0, "<")
@example(20.0, ">=")
@example(0.1 + 0.2, "<")
@example(float(np.nextafter(0, -1)), "<=")
def test_a_bound_keeps_its_exact_meaning_and_reads_back_as_printed(number, sign):
    text = f"x {sign} {number!r}"
    encoding = encoding_for(text, AUTO)
    rule = parse_rule(text, encoding)
    (literal,) = rule.literals[:1]
    beside = np.nextafter(number, [-np.inf, np.inf])
    expected = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}[sign]
    for value in (number, *beside.tolist()):
        assert ((value <= literal.column.value) != literal.negated) == expected(value, number)
    assert parse_rule(str(rule), encoding) == rule
    if is_typed(number) and abs(number) > 1e-290:
        assert str(rule).removesuffix(" or missing") == f"x {sign} {number_text(number)}"


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("AGE", None),
        ("age > 54 AND smoker", "age > 54 and smoker"),
        ("  ( age>54 )  and  Not smoker ", "age > 54 and not smoker"),
        ("54 < age <= 61", "54 < age <= 61"),
        ("age <= 61 and smoker and age > 54", "54 < age <= 61 and smoker"),
        ("age <= 61 and age <= 54", "age <= 54"),
        ("54 < age", "age > 54"),
        ("age \u2264 54", "age <= 54"),
        ("petal length (cm) > 2.5", "petal length (cm) > 2.5"),
        ("(petal length (cm) > 2.5)", "petal length (cm) > 2.5"),
        ("x > 1.5", "x > 1.5"),
        ("x < 2.5", "x < 2.5"),
        ("x >= 2.5", "x >= 2.5"),
        ("x >= 2.5 or missing", "x >= 2.5 or missing"),
        ("x < 0", "x < 0"),
        ("age < 20", "age < 20"),
        ("20 <= age < 30", "20 <= age < 30"),
        ("20 <= age <= 30 and age < 25.25", "20 <= age < 25.25"),
        ("x > 1.5 or missing", "x > 1.5 or missing"),
        ("(x > 1.5 OR Missing) and smoker", "(x > 1.5 or missing) and smoker"),
        ("x is missing", "x is missing"),
        ("x Is Not Missing and age > 54", "x is not missing and age > 54"),
        ("thal = New York", "thal is 'New York'"),
        ("thal is 'New York'", "thal is 'New York'"),
        ("thal == fixed", "thal is fixed"),
        ("thal != fixed", "thal is not fixed"),
        ("thal not in {fixed,normal}", "thal not in {fixed, normal}"),
        ("thal in {fixed, New York, reversible}", "thal is not normal"),
        ("thal is not in {normal}", "thal is not normal"),
        ("grade > low", "grade > low"),
        ("grade >= mid", "grade > low"),
        ("grade < top", "grade <= mid"),
        ("low < grade <= mid", "low < grade <= mid"),
        ("grade is mid", "low < grade <= mid"),
        ("smoker is true", "smoker"),
        ("smoker is 0", "not smoker"),
        ("not retired", "not retired"),
        ("not retired or missing", "not retired or missing"),
        ("always", "always"),
    ],
)
def test_harmless_variants_are_read(text, printed):
    if printed is None:
        with pytest.raises(ValueError, match=r"Got 'AGE'. Did you mean 'age'\?"):
            parse_rule(text, AUTO)
    else:
        assert str(parse_rule(text, encoding_for(text, AUTO))) == printed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("aeg > 40", r"must test features of the table. Got 'aeg'. Did you mean 'age'\?"),
        ("20 < aeg <= 40", r"Got 'aeg'. Did you mean 'age'\?"),
        ("thal is fixd", r"must name known categories of thal. Got fixd. Did you mean fixed\?"),
        ("thal is 7", r"known categories of thal. Got 7. It has 'New York', fixed, normal, reversible."),
        ("age > 41.5", r"a cut point of the model, the nearest of which are 54, 61. Got 41.5"),
        ("age > forty", r"must compare age with a number. Got forty"),
        ("age is 54", r"must test age, which holds numbers, with `<=` or `>`. Got `in 54`"),
        ("age > 1e999", r"finite number"),
        ("thal > fixed", r"must test thal, which holds categories without an order, with `is` or `is not`"),
        ("thal in {fixed, normal} or missing", "no missing values"),
        ("pain is mild or missing", "one of `>`, `is not`, `not in` and `not`"),
        ("grade in {low, top}", "neighbors in its order"),
        ("grade < low", "for some categories of grade only"),
        ("smoker > 3", "which is boolean, as `smoker` or `not smoker`"),
        ("age", r"must test age, which holds numbers"),
        ("age is missing", "only if it had missing values"),
        ("age > 54 or missing", "no missing values in training"),
        ("age > 54 or smoker", "here with `and` or the end. Got ' or smoker'"),
        ("age >", "here with a number, a word or a text in quotes. Got the end of 'age >'"),
        ("(age > 54", "here with `and` or `\\)`"),
        ("age > 54)", "`and` or the end. Got '\\)'"),
        ("thal in {fixed", "here with `,` or `}`"),
        ("", "with a feature. Got the end of ''"),
        ("and", "Got 'and'|with a feature"),
        ("thal is 'fix", "a number, a word or a text in quotes"),
        ("(" * 60 + "smoker" + ")" * 60, "at most 50 brackets"),
    ],
)
def test_what_cannot_be_read_says_why(text, said):
    with pytest.raises(ValueError, match=said):
        parse_rule(text, AUTO)


def test_other_types_and_huge_texts_are_refused():
    with pytest.raises(TypeError, match="must be a str. Got int"):
        parse_rule(3, AUTO)
    with pytest.raises(ValueError, match="at most 1,000,000 characters"):
        parse_rule("smoker and " * 100_000, AUTO)


@given(
    st.lists(
        st.sampled_from([*HOSTILE, "age", "grade", "<=", "is", "not", "{", "}", "low", "40", ","]), max_size=9
    )
)
def test_any_text_is_read_or_refused(words):
    text = " ".join(words)
    try:
        rule = parse_rule(text, AUTO)
    except ValueError:
        return
    assert parse_rule(str(rule), AUTO).holds(BITS).tolist() == rule.holds(BITS).tolist()


def test_points_and_banks():
    rules = RuleSet((), AUTO, ["a", "b", "c"])
    rule = parse_rule("smoker", rules, -2, for_class="b")
    assert (rule.points, rule.bank, rule.speaks_for) == (-2, 1, "not b")
    assert rules.with_rules([rule])[0] == rule
    with pytest.raises(ValueError, match="must be one of a, b, c. Got None"):
        parse_rule("smoker", rules)
    assert parse_rule("smoker", RuleSet((), AUTO, [0, 1])).speaks_for == "class 1"
    with pytest.raises(ValueError, match="must be one of class 1. Got 0"):
        parse_rule("smoker", RuleSet((), AUTO, [0, 1]), for_class=0)


def test_names_that_read_as_conditions_are_quoted():
    for name in ("width (cm)", "sepal length in cm", "is smoker", "state=north", "a/b", "notes", "bob's"):
        assert condition_name(name) == name
    for name in (
        "a and b",
        "not a",
        "who is",
        "a <= 3",
        "(a)",
        "a)",
        "always",
        "a or missing",
        "'a'",
        "x in {y}",
    ):
        assert condition_name(name) == repr(name)


def test_conditions_join_in_the_order_of_the_text():
    found = parse_literals("smoker and age <= 61 and age > 54", AUTO)
    assert [str(each) for each in found] == ["smoker", "age > 54", "age <= 61"]
