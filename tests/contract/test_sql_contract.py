"""SQL as users rely on it: whatever the table, policies and rules, databases score rows as Python does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausal import Booleanizer, TsetlinClassifier
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from tests.support.sql_scoring import DATABASES, OTHER_MODE, SERVERS, Columns, score_in_python, score_in_sql

pytestmark = pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")

servers = pytest.mark.parametrize("database", SERVERS)
databases = pytest.mark.parametrize("database", DATABASES)

numbers = st.sampled_from([-2.5, -1.0, 0.1, 0.2, 0.30000000000000004, 7.0, 16777217.0, 1e-310, -1.7e308])
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4)
codes = st.sampled_from([-1, 0, 1, 2.5, 16777217])
COLORS = ["red", "it's", 'gr"een', "blue"]


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "number": numbers,
    "text": texts,
    "code": codes,
    "bool": st.booleans(),
    "ordered": st.sampled_from(COLORS),
}


@st.composite
def training_values(draw: st.DrawFn, kind: str) -> list[Any]:
    """Four values of one feature, at least two of them different, so that it gets a column."""
    column = draw(st.lists(VALUES[kind], min_size=2, max_size=4, unique=True))
    rest = [draw(st.sampled_from([None, column[0]])), column[0]]
    return [*column, *rest][:4]


def series(kind: str, values: list[Any]) -> Any:
    if kind == "ordered":
        return pd.Categorical(values, COLORS, ordered=True)
    return pd.Series(values, dtype=object)


def asked_values(kind: str, training: list[Any], cuts: list[float]) -> list[Any]:
    """Values seen in training, at cut points and next to them, unseen and missing ones."""
    match kind:
        case "number":
            beside = [math.nextafter(cut, end) for cut in cuts for end in (-math.inf, math.inf)]
            return [*training, *cuts, *beside, -0.0, None, math.nan]
        case "code":
            return [*training, -1, 3, 2.5000000000000004, None, math.nan]
        case "bool":
            return [True, False, None]
        case _:
            return [*training, *COLORS, "RED", "", "unseen", None]


@st.composite
def problems(draw: st.DrawFn) -> tuple[RuleSet, Columns]:
    """Rules over the columns of a random table, and other rows of such a table."""
    kinds = draw(
        st.lists(st.sampled_from(["number", "text", "code", "bool", "ordered"]), min_size=1, max_size=3)
    )
    names = [f"{kind} {place}" for place, kind in enumerate(kinds)]
    training = [draw(training_values(kind)) for kind in kinds]
    booleanizer = Booleanizer(
        mode="auto" if "bool" in kinds else draw(st.sampled_from(["auto", "paper"])),
        max_columns=draw(st.sampled_from([2, 16])),
        categorical_features=[name for name in names if not name.startswith(("number", "bool"))],
        handle_unknown=draw(st.sampled_from(["error", "no_match", "missing"])),
        handle_missing=draw(st.sampled_from(["error", "as_false"])),
    ).fit(pd.DataFrame({n: series(k, t) for n, k, t in zip(names, kinds, training, strict=True)}))
    asked = [
        asked_values(kind, values, list(getattr(feature, "cuts", ())) if kind == "number" else [])
        for kind, values, feature in zip(kinds, training, booleanizer.features_, strict=True)
    ]
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, asked)), min_size=1, max_size=12))
    types = {"number": "DOUBLE", "code": "DOUBLE", "bool": "BOOLEAN"}
    columns: Columns = {
        name: (types.get(kind, "VARCHAR"), [row[place] for row in rows])
        for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
    }
    return draw(rule_sets(booleanizer)), columns


@st.composite
def rule_sets(draw: st.DrawFn, booleanizer: Booleanizer) -> RuleSet:
    """Some rules, among them one per feature: Python also refuses values of features that no rule tests."""
    classes: list[Any] = draw(st.sampled_from([["no", "yes"], [0, 1], ["a", "b", "c"], [1.5, 2.5, 3.5, 4.5]]))
    n_banks = 1 if len(classes) == 2 else len(classes)
    scale = draw(st.sampled_from([1, 2.0**-16]))
    points = st.integers(-3, 3).map(lambda whole: whole * scale)
    places = range(len(booleanizer.columns_))
    literals = st.builds(
        lambda place, negated: Literal(booleanizer.columns_[place], place, negated),
        st.sampled_from(places),
        st.booleans(),
    )
    sides, banks = st.lists(literals, max_size=3).map(tuple), st.integers(0, n_banks - 1)
    rules = draw(st.lists(st.builds(Rule, sides, points, st.just(""), banks), max_size=6))
    every = {
        column.feature_index: Literal(column, place, True)
        for place, column in enumerate(booleanizer.columns_)
    }
    rules += [Rule((literal,), scale, "") for literal in every.values()]
    return RuleSet(rules, booleanizer, classes, [draw(points) for _ in range(n_banks)])


@databases
@given(problem=problems())
@settings(max_examples=40)
def test_every_row_is_scored_as_in_python(database: str, problem: tuple[RuleSet, Columns]) -> None:
    rules, columns = problem
    assert score_in_sql(rules, database, columns) == score_in_python(rules, columns)


@databases
def test_a_fitted_classifier_can_be_moved_into_a_database(database: str) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"dose": rng.normal(size=200).round(2), "color": rng.choice(COLORS, 200)})
    table.loc[::17, "dose"] = None
    y = np.where((table["dose"] > 0.3) & (table["color"] != "red"), "sick", "well")
    classifier = TsetlinClassifier(n_clauses=20, n_epochs=5, random_state=0).fit(table, y)
    dose = [None if math.isnan(value) else value for value in table["dose"].tolist()]
    columns: Columns = {"dose": ("DOUBLE", dose), "color": ("VARCHAR", table["color"].tolist())}
    scored = score_in_sql(classifier.rules_, database, columns)
    assert [vote for vote, _ in scored] == classifier.votes(table).tolist()
    assert [label for _, label in scored] == classifier.predict(table).tolist()


@servers
@given(problem=problems())
@settings(max_examples=40)
def test_the_mode_of_mysql_changes_nothing(database: str, problem: tuple[RuleSet, Columns]) -> None:
    rules, columns = problem
    assert score_in_sql(rules, database, columns, sql_mode=OTHER_MODE) == score_in_python(rules, columns)


@servers
@pytest.mark.parametrize("encoding", ["utf8mb4", "latin1"])
@pytest.mark.parametrize("connection", ["utf8mb4", "latin1"])
def test_mysql_compares_texts_exactly(database: str, encoding: str, connection: str) -> None:
    texts = ["red", "RED", "red ", "réd", "rèd", "straße", "strasse", "a\\b", "a\tb"]
    booleanizer = Booleanizer(handle_unknown="no_match").fit(pd.DataFrame({"x": texts}))
    rules = RuleSet(
        [Rule((Literal(c, place, False),), 2**place, "") for place, c in enumerate(booleanizer.columns_)],
        booleanizer,
        ["à", "b"],
    )
    columns: Columns = {"x": (f"VARCHAR(9) CHARACTER SET {encoding}", [*texts, "Red", "a b", "", None])}
    scored = score_in_sql(rules, database, columns, charset=connection)
    assert scored == score_in_python(rules, columns)
    assert len({vote for vote, _ in scored}) == len(texts) + 1


@servers
def test_mysql_takes_no_number_for_a_text(database: str) -> None:
    booleanizer = Booleanizer(handle_unknown="no_match").fit(pd.DataFrame({"x": ["abc", "7"]}))
    literals = {
        str(column): Literal(column, place, False) for place, column in enumerate(booleanizer.columns_)
    }
    rules = RuleSet([Rule((literals["x is abc"],), 1, "")], booleanizer, ["no", "yes"], [-1])
    assert score_in_sql(rules, database, {"x": ("INTEGER", [0, 7])}) == [(-1, "no")] * 2
