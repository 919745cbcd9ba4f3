"""The form has a field for every feature that rules test, and holds rows of any table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from clausal import Booleanizer
from clausal.html_report.form import MOST_CATEGORIES, Field, FormRows, make_fields
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from tests.support.report_models import HOSTILE_CATEGORY, HOSTILE_NAME, lenient, mixed_model, mixed_table


def rules_on(booleanizer, *positions):
    """One rule of one literal for each of these columns."""
    columns = booleanizer.columns_
    rules = [Rule((Literal(columns[p], p, False),), 1, "1") for p in positions]
    return RuleSet(rules, booleanizer, [0, 1])


def test_only_tested_features_have_a_field_and_only_tested_cuts_are_named():
    booleanizer = Booleanizer().fit(
        pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [5.0, 6, 7, 8], "c": [1.0, 2, 1, 2]})
    )
    places = [i for i, column in enumerate(booleanizer.columns_) if column.feature == "b"]
    (field,) = make_fields(rules_on(booleanizer, places[1], places[0]))
    assert (field.index, field.name, field.kind, field.nullable) == (1, "b", "numeric", False)
    assert field.cuts == (5.5, 6.5) or field.cuts == tuple(booleanizer.columns_[p].value for p in places[:2])
    assert len(field.cut_texts) == 2


def test_every_kind_of_feature_has_its_field():
    fields = {field.name: field for field in make_fields(mixed_model().rules_)}
    assert {name: field.kind for name, field in fields.items()} == {
        "age": "numeric",
        HOSTILE_NAME: "numeric",
        "kind": "nominal",
        "grade": "ranked",
        "smokes": "boolean",
        "site": "nominal",
    }
    assert fields["grade"].texts == ("low", "middle", "high", "top")
    assert fields["smokes"].texts == ("False", "True")
    assert fields["kind"].nullable
    assert not fields["age"].nullable


def test_a_row_is_held_as_numbers_codes_and_nothing_where_missing():
    clf = mixed_model()
    X = mixed_table(3)
    X["kind"] = [None, "plain", HOSTILE_CATEGORY]
    X[HOSTILE_NAME] = [0.25, np.nan, 1.0]
    rows = FormRows(clf.encoding_, make_fields(clf.rules_), X)
    first, second = rows.row(0), rows.row(1)
    assert first[:3] == [X["age"][0], 0.25, None]
    assert second[1] is None
    categories = clf.encoding_.features[2].categories
    assert [categories[rows.row(place)[2]] for place in (1, 2)] == ["plain", HOSTILE_CATEGORY]
    assert first[3] == X["grade"].cat.codes[0]
    assert first[4] == X["smokes"][0]


def test_an_unknown_category_is_held_as_such():
    clf = mixed_model(booleanizer=lenient())
    X = mixed_table(1).assign(site=["elsewhere"])
    assert FormRows(clf.encoding_, make_fields(clf.rules_), X).row(0)[5] == -1


@pytest.mark.parametrize("convert", [pl.from_pandas, lambda X: X], ids=["polars", "pandas"])
def test_typical_values_are_middle_numbers_and_most_frequent_categories(convert):
    booleanizer = Booleanizer().fit(
        pd.DataFrame(
            {"n": [1.0, 2.0, 3.0, np.nan], "c": ["a", "b", "c", "c"], "m": [1.0, 2.0, np.nan, np.nan]}
        )
    )
    rules = rules_on(booleanizer, *range(len(booleanizer.columns_)))
    X = convert(pd.DataFrame({"n": [3.0, 1.0, 9.0, np.nan], "c": ["c", "b", "b", "a"], "m": [np.nan] * 4}))
    assert FormRows(booleanizer.encoding_, make_fields(rules), X).typical() == [3.0, 1, None]


def test_sparse_rows_are_held_as_zero_and_one():
    X = sparse.csr_array(np.array([[0, 1, 0], [1, 1, 0], [0, 1, 1]], np.uint8))
    booleanizer = Booleanizer().fit(X)
    rows = FormRows(booleanizer.encoding_, make_fields(rules_on(booleanizer, 0, 2)), X)
    assert [rows.row(place) for place in range(3)] == [[0, 0], [1, 0], [0, 1]]
    assert rows.typical() == [0, 0]


def many_categories(ordered):
    names = [f"c{i:04d}" for i in range(MOST_CATEGORIES + 50)]
    values = pd.Categorical(names * 2, names, ordered=True) if ordered else names * 2
    booleanizer = Booleanizer(max_columns=8, handle_unknown="no_match").fit(pd.DataFrame({"c": values}))
    return names, booleanizer


def test_of_very_many_categories_those_that_rules_tell_apart_are_offered():
    names, booleanizer = many_categories(ordered=False)
    (field,) = make_fields(rules_on(booleanizer, 1, 3))
    assert len(field.codes) == 3
    assert field.texts[-1] == "another category seen in training"
    assert field.n_left_out == len(names) - 3
    tested = [booleanizer.columns_[p].value for p in (1, 3)]
    assert list(field.texts[:2]) == tested
    X = pd.DataFrame({"c": [*tested, names[-1], "unseen"]})
    rows = FormRows(booleanizer.encoding_, [field], X)
    assert [rows.row(place)[0] for place in range(4)] == [*field.codes, -1]


def test_of_very_many_ordered_categories_the_cut_points_are_offered():
    names, booleanizer = many_categories(ordered=True)
    (field,) = make_fields(rules_on(booleanizer, 2))
    cut = len(booleanizer.columns_[2].value) - 1
    assert field.codes == (cut, len(names) - 1)
    assert [field.stand_in(code) for code in (0, cut, cut + 1, len(names) - 1, -1)] == [
        cut,
        cut,
        len(names) - 1,
        len(names) - 1,
        -1,
    ]


def test_few_categories_are_all_offered():
    assert Field(0, "c", "c", "nominal", False, (0, 1), ("a", "b"), 2).n_left_out == 0


def test_special_values_are_named_and_members_of_a_group_are_offered_with_its_name():
    known = {"special_values": {"n": [-1]}, "groups": {"c": {"up": ["a", "b"]}}}
    X = pd.DataFrame({"n": [1.0, -1, 3], "c": ["a", "d", "c"]})
    booleanizer = Booleanizer(**known).fit(X)
    number, category = make_fields(rules_on(booleanizer, 0, len(booleanizer.columns_) - 1))
    assert number.special_texts == ("-1",)
    assert category.texts == ("a (up)", "b (up)", "c", "d")
    rows = FormRows(booleanizer.encoding_, (number, category), X)
    assert [rows.row(place) for place in range(3)] == [[1.0, 0], [-1.0, 3], [3.0, 2]]


def test_of_very_many_categories_each_tested_group_offers_one():
    names = [f"c{k:03}" for k in range(MOST_CATEGORIES + 50)]
    groups = {"c": {"first": names[:120], "last": names[150:]}}
    booleanizer = Booleanizer(groups=groups, max_columns=8).fit(pd.DataFrame({"c": names}))
    texts = [str(column) for column in booleanizer.columns_]
    tested = [texts.index("c is first"), 2]  # the other one is a category in no group
    (field,) = make_fields(rules_on(booleanizer, *tested))
    feature = booleanizer.encoding_.features[0]
    offered = [feature.label_of(code) for code in field.codes]
    assert offered[:2] == ["first", feature.labels[feature.own[2]]]
    assert len(offered) == 3
    assert field.texts[-1] == "another category seen in training"
    rows = FormRows(booleanizer.encoding_, (field,), pd.DataFrame({"c": [names[3], names[200], "new"]}))
    assert [feature.label_of(rows.row(place)[0]) for place in (0,)] == ["first"]
    assert rows.row(1)[0] == field.codes[-1]
    assert rows.row(2)[0] == -1
