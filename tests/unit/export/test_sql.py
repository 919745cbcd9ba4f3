"""Rules as SQL: what databases compute is what Python computes, row by row."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sqlglot

from clausal import Booleanizer
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from tests.support.sql_scoring import DATABASES, Columns, run_sql, score_in_python, score_in_sql
from tests.support.sql_values import values_in

DIALECTS = ["duckdb", "sqlite", "postgres", "snowflake", "bigquery", "mysql", "tsql"]
databases = pytest.mark.parametrize("database", DATABASES)
both_databases = pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])


def rules_over(
    booleanizer: Booleanizer, *rules: tuple[Any, ...], classes: Any = ("no", "yes"), constants: Any = None
) -> RuleSet:
    """Rules given as (points, [texts of literals]) or (points, [texts of literals], bank)."""
    literals = {
        column.text(negated): Literal(column, place, negated)
        for place, column in enumerate(booleanizer.columns_)
        for negated in (False, True)
    }
    built = [
        Rule(tuple(literals[text] for text in texts), points, "", *bank) for points, texts, *bank in rules
    ]
    return RuleSet(built, booleanizer, np.asarray(classes), constants)


def assert_same(rules: RuleSet, database: str, columns: Columns) -> list[tuple[Any, ...]]:
    """Every row scored alike; returns the scores."""
    scored = score_in_sql(rules, database, columns)
    assert scored == score_in_python(rules, columns)
    return scored


AGES = Booleanizer(handle_missing="error").fit(pd.DataFrame({"age": [54, 55, 61]}))
DOSES = Booleanizer().fit(pd.DataFrame({"dose": [0.1, 0.2, 0.4]}))  # cuts 0.15 and 0.3


def test_the_query_has_one_line_per_rule() -> None:
    rules = rules_over(AGES, (2, ["age > 54", "age <= 55"]), (-3, ["age <= 54"]), constants=[1])
    assert rules.to_sql("sqlite") == (
        'SELECT CASE WHEN "vote" >= 0 THEN \'yes\' WHEN "vote" < 0 THEN \'no\' END AS "prediction",\n'
        '  "scored".*\n'
        "FROM (\n"
        '  SELECT CASE WHEN "source"."age" IS NOT NULL THEN 1 END\n'
        '    + CASE WHEN "source"."age" > 54 AND "source"."age" <= 55 THEN 2 ELSE 0 END\n'
        '    + CASE WHEN "source"."age" <= 54 THEN -3 ELSE 0 END\n'
        '    AS "vote",\n'
        '    "source".*\n'
        '  FROM "data" "source"\n'
        ') "scored"'
    )


@both_databases
def test_columns_of_the_table_with_the_names_of_the_result_do_not_count(dialect: str) -> None:
    rules = rules_over(AGES, (2, ["age > 54"]), (-3, ["age <= 54"]))
    columns: Columns = {"vote": ("INTEGER", [5]), "Prediction": ("VARCHAR", ["x"]), "age": ("INTEGER", [55])}
    assert run_sql(dialect, rules.to_sql(dialect), columns)[0][:2] == ("yes", 2)
    columns["age"], columns["vote"] = ("INTEGER", [54]), ("INTEGER", [-5])
    assert run_sql(dialect, rules.to_sql(dialect), columns)[0][:2] == ("no", -3)


@databases
@pytest.mark.parametrize("kind", ["DOUBLE", "REAL", "INTEGER", "BIGINT", "DECIMAL(6, 2)"])
def test_numbers_of_any_type_are_compared(database: str, kind: str) -> None:
    rules = rules_over(AGES, (2, ["age > 54"]), (-1, ["age <= 55"]))
    assert assert_same(rules, database, {"age": (kind, [0, 54, 55, 56, None])})[-1] == (None, None)


@databases
def test_a_value_on_a_cut_point_and_one_beside_it_fall_where_python_says(database: str) -> None:
    cuts = [column.value for column in DOSES.columns_]
    values = [value for cut in cuts for value in (math.nextafter(cut, 0), cut, math.nextafter(cut, 1))]
    rules = rules_over(DOSES, (2, ["dose <= 0.15"]), (3, ["dose > 0.3"]))
    scored = assert_same(rules, database, {"dose": ("DOUBLE", values)})
    assert [vote for vote, _ in scored] == [2, 2, 0, 0, 0, 3]


@databases
def test_every_digit_of_a_cut_point_counts(database: str) -> None:
    rng = np.random.default_rng(0)
    levels = np.sort(
        np.concatenate([rng.normal(size=20), 10.0 ** rng.uniform(-300, 300, 20), [5e-324, 1e-310]])
    )
    neighbours = np.sort(np.concatenate([levels, np.nextafter(levels, np.inf)]))
    paper = Booleanizer(mode="paper").fit(pd.DataFrame({"x": levels}))  # cuts at the values, of 17 digits
    rules = rules_over(
        paper, *((2**place % 1009, [str(column)]) for place, column in enumerate(paper.columns_))
    )
    assert_same(rules, database, {"x": ("DOUBLE", neighbours.tolist())})


@databases
def test_float32_columns_are_compared_as_float64(database: str) -> None:
    tenth = float(np.float32(0.1))  # a little more than 0.1
    paper = Booleanizer(mode="paper").fit(pd.DataFrame({"x": [0.1, 2.0**24 + 1]}))
    rules = rules_over(paper, (2, ["x <= 0.1"]), (1, ["x <= 16777217"]))
    scored = assert_same(rules, database, {"x": ("FLOAT", [tenth, 0.0625, 2.0**24, 2.0**24 + 2])})
    assert [vote for vote, _ in scored] == [1, 3, 1, 0]


@databases
def test_both_zeros_are_zero(database: str) -> None:
    booleanizer = Booleanizer().fit(pd.DataFrame({"x": [-1.5, 1.5]}))
    rules = rules_over(booleanizer, (1, ["x <= 0"]))
    assert assert_same(rules, database, {"x": ("DOUBLE", [-0.0, 0.0])}) == [(1, "yes")] * 2


@databases
@pytest.mark.parametrize("handle_missing", ["error", "as_false"])
@pytest.mark.parametrize("seen_missing", [True, False])
def test_null_and_nan_are_missing(database: str, seen_missing: bool, handle_missing: str) -> None:
    training = [0.25, 0.75, None if seen_missing else 0.25]
    booleanizer = Booleanizer(handle_missing=handle_missing).fit(pd.DataFrame({"x": training}))
    le, *missing = booleanizer.columns_
    literals = [(5, [le.text()]), (7, [le.text(negated=True)])]
    literals += [(100, [missing[0].text()]), (1000, [missing[0].text(negated=True)])] if missing else []
    rules = rules_over(booleanizer, *literals)
    votes = [
        vote for vote, _ in assert_same(rules, database, {"x": ("DOUBLE", [0.25, 0.75, None, math.nan])})
    ]
    if seen_missing:
        assert votes == [1005, 1007, 107, 107]
    else:
        assert votes == [5, 7, *([7, 7] if handle_missing == "as_false" else [None, None])]


@databases
@pytest.mark.parametrize("handle_unknown", ["error", "no_match", "missing"])
@pytest.mark.parametrize("handle_missing", ["error", "as_false"])
@pytest.mark.parametrize("seen_missing", [True, False])
@pytest.mark.parametrize("ordered", [True, False])
def test_unseen_categories_are_treated_as_in_python(
    database: str, handle_unknown: str, handle_missing: str, seen_missing: bool, ordered: bool
) -> None:
    categories = ["c", "it's", 'a"b', "d"]
    training = pd.Categorical(
        ["c", "it's", 'a"b', None if seen_missing else "c"], categories, ordered=ordered
    )
    options = {"handle_unknown": handle_unknown, "handle_missing": handle_missing}
    booleanizer = Booleanizer(**options).fit(pd.DataFrame({"x": training}))
    rules = RuleSet(
        [
            Rule((Literal(column, place, negated),), 2 ** (2 * place + negated), "")
            for place, column in enumerate(booleanizer.columns_)
            for negated in (False, True)
        ],
        booleanizer,
        ["no", "yes"],
    )
    scored = assert_same(rules, database, {"x": ("VARCHAR", [*categories, "new", "C", "", None])})
    refused = handle_unknown == "error" or (
        handle_unknown == "missing" and handle_missing == "error" and not seen_missing
    )
    assert (scored[4] == (None, None)) == refused
    assert (None not in scored[3]) == (None not in scored[0])  # declared, so known


@databases
def test_categories_may_be_numbers(database: str) -> None:
    booleanizer = Booleanizer(categorical_features=["code"], handle_unknown="error").fit(
        pd.DataFrame({"code": [1, 2.5, 0.1, 2**24 + 1, -3, None]})
    )
    rules = rules_over(
        booleanizer,
        *((2**place, [column.text()]) for place, column in enumerate(booleanizer.columns_)),
        (1000, ["code is not 2.5 or missing"]),
    )
    values = [1, 2.5, 0.1, 2**24 + 1, -3, None, math.nan, 7, 2**24]
    scored = assert_same(rules, database, {"code": ("DOUBLE", values)})
    assert scored[-2:] == [(None, None)] * 2


@databases
@pytest.mark.parametrize("kind", ["BOOLEAN", "INTEGER", "DOUBLE"])
@pytest.mark.parametrize("seen_missing", [True, False])
def test_booleans_may_be_stored_as_such_or_as_0_and_1(database: str, kind: str, seen_missing: bool) -> None:
    training = pd.DataFrame({"ok": pd.Series([True, False, None if seen_missing else True], dtype=object)})
    booleanizer = Booleanizer().fit(training)
    shown, *missing = booleanizer.columns_
    rules = rules_over(
        booleanizer,
        (5, [shown.text()]),
        (7, [shown.text(negated=True)]),
        *((place, [column.text(place > 50)]) for column in missing for place in (10, 100)),
    )
    values: list[Any] = [True, False, None]
    if kind == "DOUBLE":
        values.append(math.nan)
    assert_same(rules, database, {"ok": (kind, values)})


@databases
def test_a_boolean_feature_refuses_other_numbers(database: str) -> None:
    booleanizer = Booleanizer(handle_missing="error").fit(pd.DataFrame({"ok": [True, False]}))
    scored = assert_same(rules_over(booleanizer, (1, ["ok"])), database, {"ok": ("INTEGER", [2, 1])})
    assert scored == [(None, None), (1, "yes")]


@databases
def test_a_vote_of_exactly_0_speaks_for_the_second_class(database: str) -> None:
    rules = rules_over(AGES, (3, ["age > 54"]), (-1, ["age > 55"]), constants=[-2])
    scored = assert_same(rules, database, {"age": ("INTEGER", [54, 55, 56])})
    assert scored == [(-2, "no"), (1, "yes"), (0, "yes")]


@databases
def test_of_several_highest_votes_the_first_class_wins(database: str) -> None:
    rules = rules_over(
        AGES,
        (1, ["age <= 54"], 0),
        (2, ["age <= 55"], 1),
        (3, ["age > 54"], 2),
        classes=["a", "b", "c"],
        constants=[0, 0, -1],
    )
    columns: Columns = {"age": ("INTEGER", [54, 55, 56, None])}
    scored = assert_same(rules, database, columns)
    assert scored == [(1, 2, -1, "b"), (0, 2, 2, "b"), (0, 0, 2, "c"), (None, None, None, None)]
    level = rules_over(AGES, classes=["a", "b", "c"], constants=[1, 1, 1])
    assert assert_same(level, database, {"age": ("INTEGER", [54])}) == [(1, 1, 1, "a")]


@databases
@pytest.mark.parametrize(
    "classes",
    [["it's", "\\"], ["it's", "\\", "ü"], [7, -1], [7, -1, 2**40], [0.5, -2.25, 1e300], [True, False]],
    ids=str,
)
def test_labels_come_back_as_they_are(database: str, classes: list[Any]) -> None:
    constants = [0] if len(classes) == 2 else [0, 1, 0]
    rules = RuleSet([], AGES, np.array(classes), constants)
    assert assert_same(rules, database, {"age": ("INTEGER", [54])})[0][-1] == classes[1]


@databases
def test_real_points_add_up_exactly(database: str) -> None:
    step = 2.0**-16
    rules = rules_over(
        AGES,
        (123456 + step, ["age > 54"]),
        (-123456 - 2 * step, ["age > 55"]),
        (step, ["age > 54"]),
        constants=[0.0],
    )
    scored = assert_same(rules, database, {"age": ("DOUBLE", [54, 55, 56])})
    assert scored == [(0.0, "yes"), (123456 + 2 * step, "yes"), (0.0, "yes")]
    assert all(isinstance(vote, float) for vote, _ in scored)


@databases
def test_large_points_do_not_overflow(database: str) -> None:
    rules = rules_over(AGES, *((2**30, ["age > 54"]) for _ in range(120)), (-(2**61), ["age > 55"]))
    scored = assert_same(rules, database, {"age": ("INTEGER", [54, 55, 56])})
    assert scored == [(0, "yes"), (120 * 2**30, "yes"), (120 * 2**30 - 2**61, "no")]


@both_databases
def test_a_rule_set_without_rules_has_its_constant(dialect: str) -> None:
    rules = rules_over(AGES, constants=[-4])
    scored = run_sql(dialect, rules.to_sql(dialect), {"other": ("INTEGER", [1, None])})
    assert scored == [("no", -4, 1), ("no", -4, None)]
    assert assert_same(rules_over(AGES, (3, [])), dialect, {"age": ("INTEGER", [1])}) == [(3, "yes")]


@databases
@pytest.mark.parametrize(
    "name", ['a"b', "select", "ä ö`ß]", "'", "x.y", "--", "日本", "source", "scored", "data"]
)
def test_any_name_of_a_column_is_taken_literally(database: str, name: str) -> None:
    booleanizer = Booleanizer().fit(pd.DataFrame({name: [1, 2]}))
    rules = RuleSet([Rule((Literal(booleanizer.columns_[0], 0, True),), 3, "")], booleanizer, ["no", "yes"])
    assert assert_same(rules, database, {name: ("INTEGER", [1, 2])}) == [(0, "yes"), (3, "yes")]


@databases
def test_texts_with_line_breaks_and_odd_characters_match(database: str) -> None:
    texts = ["a\nb", "a\\nb", "%", "a\tb", "''", "é", "e\u0301", "🙂"]
    booleanizer = Booleanizer().fit(pd.DataFrame({"x": texts}))
    rules = rules_over(booleanizer, *((2**place, [str(c)]) for place, c in enumerate(booleanizer.columns_)))
    scored = assert_same(rules, database, {"x": ("VARCHAR", texts)})
    assert sorted(vote for vote, _ in scored) == [2**place for place in range(8)]


@both_databases
def test_columns_can_be_kept_and_named(dialect: str) -> None:
    rules = rules_over(AGES, (1, ["age > 54"]))
    columns: Columns = {"id": ("INTEGER", [7]), "age": ("INTEGER", [55])}
    run = {"columns": columns, "table": "my table"}
    assert run_sql(dialect, rules.to_sql(dialect, "my table"), **run) == [("yes", 1, 7, 55)]
    assert run_sql(dialect, rules.to_sql(dialect, "main.my table", keep=["id"]), **run) == [(7, 1, "yes")]
    assert run_sql(dialect, rules.to_sql(dialect, "my table", keep=[]), **run) == [(1, "yes")]
    query = rules.to_sql(dialect, "my table", keep=["id"], vote="points", prediction="class")
    selects = sqlglot.parse_one(query, dialect=dialect).selects
    assert [column.alias_or_name for column in selects] == ["*", "class"]
    assert run_sql(dialect, f'SELECT "points" FROM ({query}) q', **run) == [(1,)]


def test_votes_are_named_after_their_classes() -> None:
    def names(classes: list[str]) -> list[str]:
        query = RuleSet([], AGES, classes).to_sql(keep=[])
        return sqlglot.parse_one(query, dialect="duckdb").find(sqlglot.exp.Subquery).named_selects

    assert names(["setosa", "versi color", "v"]) == ["vote_setosa", "vote_versi color", "vote_v"]
    assert names(["a", "A", "b"]) == ["vote_0", "vote_1", "vote_2"]  # names in SQL ignore case


@databases
def test_many_rules_are_not_too_deep_a_sum(database: str) -> None:
    rules = rules_over(AGES, *((1, ["age > 54"]) for _ in range(1100)))
    assert score_in_sql(rules, database, {"age": ("INTEGER", [54, 55])}) == [(0, "yes"), (1100, "yes")]


def test_many_conditions_are_not_too_deep_a_chain() -> None:
    wide = Booleanizer(mode="boolean").fit(np.array([[0] * 1100]))
    every = tuple(Literal(column, place, False) for place, column in enumerate(wide.columns_))
    columns: Columns = {f"x{place}": ("INTEGER", [0, 1]) for place in range(1100)}
    scored = score_in_sql(RuleSet([Rule(every, 1, "")], wide, ["no", "yes"]), "sqlite", columns)
    assert scored == [(0, "yes"), (1, "yes")]


def test_sqlite_notices_a_column_that_is_not_there() -> None:
    rules = rules_over(AGES, (1, ["age > 54"]))
    with pytest.raises(Exception, match="no such column"):
        run_sql("sqlite", rules.to_sql("sqlite"), {"years": ("INTEGER", [55])})


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("classes", [["no", "yés"], [False, True], ["a", "b", "c"]], ids=str)
def test_the_query_can_be_read_back_in_every_dialect(dialect: str, classes: list[Any]) -> None:
    table = pd.DataFrame(
        {
            'a"b`c]': [-0.25, -0.5, 1e300, None],
            "select": ["it's", "\\", "ü\n", "plain"],
            "ok": [True, False, True, True],
        }
    )
    booleanizer = Booleanizer().fit(table)
    rules = RuleSet(
        [
            Rule((Literal(column, place, negated),), -2 if negated else 3, "", 0)
            for place, column in enumerate(booleanizer.columns_)
            for negated in (False, True)
        ],
        booleanizer,
        classes,
    )
    query = rules.to_sql(dialect, "catalog.schema.table")
    tree = sqlglot.parse_one(query, dialect=dialect)
    assert {'a"b`c]', "select", "ok", "it's", "\\", "ü\n", "plain"} <= values_in(query, dialect)
    assert sqlglot.parse_one(tree.sql(dialect=dialect), dialect=dialect) == tree


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"dialect": "klingon"},
            "The 'dialect' parameter of to_sql must be one that sqlglot knows.*'klingon'",
        ),
        ({"table": ""}, "The 'table' parameter of to_sql must be a table's name.*Got ''"),
        ({"table": "a..b"}, "Got 'a..b'"),
        ({"table": "a.b.c.d"}, "Got 'a.b.c.d'"),
        ({"keep": "age"}, r"The 'keep' parameter of to_sql must be '\*' or a list.*Got 'age'"),
        ({"keep": [1]}, r"Got \[1\]"),
        ({"vote": "AGE"}, "must name columns that the result does not have already. Got 'AGE'"),
        ({"prediction": "Vote"}, "Got 'Vote'"),
        ({"keep": ["vote"]}, "Got 'vote'"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules_over(AGES, (1, ["age > 54"])).to_sql(**options)


def test_labels_that_sql_does_not_know_are_refused() -> None:
    rules = RuleSet([], AGES, np.array([(1,), "b"], dtype=object))
    with pytest.raises(ValueError, match="Class labels of an export must be .* booleans. Got tuple"):
        rules.to_sql()


def test_without_sqlglot_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    monkeypatch.delitem(sys.modules, "clausal.export.sql", raising=False)
    with pytest.raises(ImportError, match=r'pip install "clausal\[sql\]"'):
        RuleSet([], AGES, ["no", "yes"]).to_sql()
