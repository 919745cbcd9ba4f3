"""Warnings of numbers that count as something else: codes, booleans among them, and numbers beside groups."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from clausal import (
    Booleanizer,
    RuleClassifier,
    RuleRegressor,
    TableWarning,
    TsetlinClassifier,
    UnseenValueWarning,
    load_knowledge,
)
from tests.support.command_line import SCORECARD, done

N = 120
RNG = np.random.default_rng(3)
SCORE = RNG.normal(size=N).round(2)
LABELS = np.where(SCORE + 0.3 * RNG.normal(size=N) > 0, "yes", "no")


def quick(**params: Any) -> TsetlinClassifier:
    return TsetlinClassifier(10, n_epochs=5, random_state=0, **params)


def said_by(call: Any) -> list[str]:
    """The texts of all TableWarnings, which must point to this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TableWarning)
        call()
    assert {one.filename for one in caught} <= {__file__}
    return [str(one.message) for one in caught]


BOOLEANS = (
    "Column 'mixed' has booleans among numbers; True counts as 1, False as 0. Convert one to the other."
)


@pytest.mark.parametrize("listed", ["from_dtype", ["mixed"]])
def test_booleans_among_numbers_are_remarked_once(listed: Any):
    mixed = np.array([1, 2.5, True, None, False, 4] * (N // 6), object)
    known = Booleanizer(categorical_features=listed)
    for values, said in (
        (mixed, [BOOLEANS]),
        (np.where(mixed == 2.5, np.bool_(True), mixed), [BOOLEANS]),
        (np.array([True, False, None] * (N // 3), object), []),
        (np.array([1, 2.5, 0, None] * (N // 4), object), []),
        (np.array([True, False] * (N // 2)), []),
    ):
        X = pd.DataFrame({"score": SCORE, "mixed": values})
        assert said_by(lambda X=X: quick(booleanizer=known).fit(X, LABELS)) == said
    both = pd.DataFrame({"score": SCORE, "first": mixed, "second": mixed})
    for rows in (both, both.to_numpy(object)):
        (text,) = said_by(lambda rows=rows: RuleClassifier(max_literals=2, cv=2).fit(rows, LABELS))
        names = "'first', 'second'" if rows is both else "'x1', 'x2'"
        assert text.startswith(f"Columns {names} have booleans among numbers;")


CODES = pd.DataFrame({"score": SCORE, "code": np.arange(N) % 6})
IN_NO_GROUP = "Column 'code' has numbers in no group, such as {}. With groups, each of them is a category"


@pytest.mark.parametrize(
    ("table", "groups", "listed", "example"),
    [
        (CODES, {"low": [0, 2]}, "from_dtype", "1"),
        (CODES.assign(code=CODES["code"].replace(1, np.nan)), {"low": [0, 2]}, None, "3"),
        (CODES / 2, {"low": [0, 1], "high": [2]}, [], "0.5"),
        (pl.from_pandas(CODES).lazy(), {"low": [0, 2]}, "from_dtype", "1"),
        (CODES, {"low": [0, 1, 2], "high": [3, 4, 5]}, "from_dtype", None),
        (CODES, {"low": [0, 2]}, ["code"], None),
        (CODES.astype({"code": "category"}), {"low": [0, 2]}, "from_dtype", None),
        (CODES.assign(code=CODES["code"].astype(str)), {"low": ["0", "2"]}, "from_dtype", None),
    ],
)
def test_numbers_in_no_group_are_remarked(table: Any, groups: Any, listed: Any, example: str | None):
    """Groups make categories of all numbers of a column, of which the user may have thought as a scale."""
    known = Booleanizer(groups={"code": groups}, categorical_features=listed)
    y: Any = LABELS
    if isinstance(table, pl.LazyFrame):
        table, y = table.with_columns(pl.Series("class", LABELS)), "class"
    for estimator in (quick(booleanizer=known), RuleClassifier(booleanizer=known, max_literals=2, cv=2)):
        texts = said_by(lambda estimator=estimator: estimator.fit(table, y))
        texts = [text for text in texts if "group" in text]
        assert [text.startswith(IN_NO_GROUP.format(example)) for text in texts] == [True] * bool(example)


def test_the_command_line_remarks_numbers_in_no_group_of_a_file_of_knowledge(tmp_path: Path):
    table, words, numbers = (tmp_path / name for name in ("table.csv", "words.toml", "numbers.toml"))
    CODES.assign(label=LABELS).to_csv(table, index=False)
    numbers.write_text("[groups.code]\nlow = [0, 2]\n")
    words.write_text('[groups.code]\nlow = ["0", "2"]\n')
    start = ("fit", table, "--target", "label", *SCORECARD, "--knowledge")
    assert IN_NO_GROUP.format(1) in done(*start, numbers).output
    assert "in no group" not in done(*start, words, "--categorical", "code").output
    known = load_knowledge(numbers)
    texts = said_by(lambda: RuleClassifier(**known.parameters, max_literals=2, cv=2).fit(CODES, LABELS))
    assert [text for text in texts if text.startswith(IN_NO_GROUP.format(1))]


def coded_table(code: float, usual: Any, n_coded: int = 12) -> pd.DataFrame:
    return pd.DataFrame({"score": np.where(np.arange(N) < n_coded, code, usual), "other": SCORE})


@pytest.mark.parametrize("code", [-9, -999, 9999])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_numbers_that_may_be_codes_are_said(make: Any, code: int, tmp_path: Path):
    X = coded_table(code, np.arange(N) % 90)
    table = make(X.to_dict("list"))
    expected = (
        f"Column 'score' has {code} in 12 rows. If that is a code, such as for missing, say so: "
        f"Booleanizer(special_values={{'score': [{code}]}}), or clausal fit --special score={code}."
    )
    assert expected in said_by(lambda: quick().fit(table, LABELS))
    known = Booleanizer(special_values={"score": [code]})
    assert not any("code" in text for text in said_by(lambda: quick(booleanizer=known).fit(table, LABELS)))
    weights = np.where(np.arange(N) < 12, 2, 1)
    assert any("in 24 rows" in text for text in said_by(lambda: quick().fit(table, LABELS, weights)))
    path = tmp_path / "table.parquet"
    X.assign(label=LABELS).to_parquet(path)
    assert expected in said_by(lambda: quick().fit(str(path), "label"))


BUREAU = (
    "Column 'score' has {} in {} rows. If those are codes, such as for missing, say so: "
    "Booleanizer(special_values={{'score': [{}]}}), or clausal fit --special score={}."
)


@pytest.mark.parametrize("codes", [(-999, -998), (-999, -99), (-999, -998, -997), (-9, -8, -1)])
def test_several_codes_of_a_column_are_said_together(codes: tuple[int, ...], tmp_path: Path):
    """They hid each other."""
    usual = np.arange(N) % 90
    score = np.where(np.arange(N) < 12 * len(codes), np.resize(codes, N), usual)
    X = pd.DataFrame({"score": score, "other": SCORE})
    texts = [str(code) for code in codes]
    found = ", ".join(texts[:-1]) + " and " + texts[-1]
    expected = BUREAU.format(found, 12 * len(codes), ", ".join(texts), ",".join(texts))
    weights = np.full(N, 2.0)
    assert expected in said_by(lambda: quick().fit(X, LABELS))
    assert any(found in text for text in said_by(lambda: quick().fit(X, LABELS, weights)))
    path = tmp_path / "table.csv"
    X.assign(label=LABELS).to_csv(path, index=False)
    command = ("fit", path, "--target", "label", "--no-test", *SCORECARD)
    assert expected in " ".join(done(*command).stderr.split())
    option = expected.rsplit("clausal fit ", 1)[1].removesuffix(".").split()
    assert "code" not in done(*command, *option).stderr


def test_a_scale_that_goes_below_0_has_no_codes():
    """Even if one of its numbers is -9."""
    for step in (1, 3):
        degrees = np.resize(np.arange(-9, 12, step), 400)
        X = pd.DataFrame({"degrees": degrees, "other": np.resize(SCORE, 400)})
        labels = np.resize(LABELS, 400)
        assert not any("code" in text for text in said_by(lambda X=X, y=labels: quick().fit(X, y)))


@pytest.mark.parametrize(
    ("code", "usual", "n_coded"),
    [
        (-999, np.arange(N) % 90, 9),  # too few rows
        (-9, np.arange(N) % 90 - 5, 12),  # others are below 0
        (99, np.arange(N) % 90, 12),  # may be an age
        (999, np.arange(N) * 10 % 990, 12),  # not far from others
        (-8, np.arange(N) % 90, 12),  # no nines
        (-999, -999, 12),  # no other number
    ],
)
def test_other_numbers_are_not(code: int, usual: Any, n_coded: int):
    said = said_by(lambda: quick().fit(coded_table(code, usual, n_coded), LABELS))
    assert not any("code" in text for text in said)


def test_codes_of_a_feature_that_no_rule_may_test_are_not_said():
    X = coded_table(-999, np.arange(N) % 90)
    for forbidden in (["score"], [0], [True, False]):
        for made in (
            quick(forbidden_features=forbidden),
            RuleClassifier(forbidden_features=forbidden, max_literals=2, cv=2),
        ):
            assert not any("code" in text for text in said_by(lambda made=made: made.fit(X, LABELS)))
    assert any("code" in text for text in said_by(lambda: quick(forbidden_features=["other"]).fit(X, LABELS)))


NEARLY = (
    "Column 'score' holds float32 numbers. Some are nearly, but not exactly, the cut point or special value"
)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cut_points_of_rules_in_words_that_float32_cannot_equal_are_said(dtype: str, tmp_path: Path):
    score = np.resize([3.3, 4.4, 5.5, 1.5], N)
    X = pd.DataFrame({"score": score, "other": SCORE}).astype(dtype)
    expected = [f"{NEARLY} 4.4."] * (dtype == "float32")

    def near(call: Any) -> list[str]:
        return [text[: text.index(" Convert")] for text in said_by(call) if "float32" in text]

    params: dict[str, Any] = {"max_literals": 3, "cv": 2, "random_state": 0}
    fixed = {**params, "fixed_rules": ["score > 4.4"]}
    assert near(lambda: RuleClassifier(**fixed).fit(X, LABELS)) == expected
    assert near(lambda: RuleRegressor(**fixed).fit(X, SCORE)) == expected
    assert near(lambda: RuleClassifier(**params, fixed_rules=["score > 1.5"]).fit(X, LABELS)) == []
    card = RuleClassifier(**params).fit(X, LABELS).to_scorecard()
    edit = card.edit(X, LABELS)
    assert near(lambda: edit.add_rule("score > 4.4", 1)) == expected
    assert near(lambda: edit.add_rule("score > 1.5", 1)) == []
    path = tmp_path / "table.parquet"
    X.assign(label=LABELS).to_parquet(path)
    command = ("fit", path, "--target", "label", "--no-test", *SCORECARD, "--cut-points", "score=3.3,4.4")
    shown = " ".join(done(*command).stderr.split())
    assert (f"{NEARLY} 3.3, 4.4." in shown) == bool(expected)


@pytest.mark.parametrize("kind", ["machine", "scorecard"])
def test_predictions_say_which_float32_numbers_are_nearly_a_special_value(kind: str, tmp_path: Path):
    """Such numbers count as ordinary ones."""
    score = np.where(np.arange(N) % 3 == 0, -9.9, SCORE)
    X, y = pd.DataFrame({"score": score, "other": SCORE}), np.arange(N) % 3 == 0
    known = Booleanizer(special_values={"score": [-9.9, -1.5]})
    model: Any = quick(booleanizer=known)
    if kind == "scorecard":
        model = RuleClassifier(booleanizer=known, max_literals=2, cv=2, random_state=0)
    model.fit(X, y)
    single = X.astype("float32")
    path = tmp_path / "table.parquet"
    single.to_parquet(path)
    for table in (single, str(path)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.predict(table)
        (text,) = [str(one.message) for one in caught if "float32" in str(one.message)]
        assert text.startswith(f"{NEARLY} -9.9. Convert")
        assert {(one.filename, one.category) for one in caught} == {(__file__, UnseenValueWarning)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)
        model.predict(single[1:3])
