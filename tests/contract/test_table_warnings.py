"""Python and the command line warn of the same columns of the same table, in the same words, once."""

from __future__ import annotations

import datetime
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from clausal import (
    Booleanizer,
    RuleClassifier,
    TableWarning,
    TsetlinClassifier,
    compact,
    compare,
    fairness,
    load,
    monitor,
    report,
    tune,
)
from tests.support.command_line import QUICK, SCORECARD, done

N = 120
RNG = np.random.default_rng(3)
SCORE = RNG.normal(size=N).round(2)
LABELS = np.where(SCORE + 0.3 * RNG.normal(size=N) > 0, "yes", "no")
COLUMNS: dict[str, Any] = {
    "row": list(range(N)),
    "name": [f"person {i}" for i in range(N)],
    "day": [datetime.date(2024, 1, 1) + datetime.timedelta(i) for i in range(N)],
    "one": [5] * N,
    "same": ["a"] * N,
    "nothing": [None] * N,
    "decides": np.where(LABELS == "yes", 7, 3).tolist(),
    "score": SCORE.tolist(),
    "city": RNG.choice(["Oslo", "Bergen"], N).tolist(),
}
IGNORED = [
    "Column 'name' is ignored: text that differs from row to row, like an ID or free text.",
    "Column 'day' is ignored: dates or times; to use them, make numbers of them, such as the days since a "
    "date.",
    "Columns 'one', 'same' are ignored: the same value in every row.",
    "Column 'nothing' is ignored: no values.",
    "Column 'row' looks like a row number; leave out what only counts the rows.",
]
LEAK = (
    "Column 'decides' alone decides the class of every row, such as by `decides > 3`. If it is known only "
    "after the class is, leave it out."
)


def quick(**params: Any) -> TsetlinClassifier:
    return TsetlinClassifier(10, n_epochs=5, random_state=0, **params)


def scorecard(**params: Any) -> RuleClassifier:
    return RuleClassifier(quick(), max_literals=2, cv=2, random_state=0, **params)


def said_by(call: Any) -> list[str]:
    """The texts of all TableWarnings, which must point to this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # scikit-learn 1.7 says so of the classes alone, where a scorer has more than 20.
        warnings.filterwarnings("ignore", "The number of unique classes")
        call()
    assert {one.category for one in caught} <= {TableWarning}
    assert {one.filename for one in caught} <= {__file__}
    return [str(one.message) for one in caught]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("estimator", [quick, scorecard, lambda: RuleClassifier(max_literals=1, cv=2)])
def test_python_warns_once(make: Any, estimator: Any):
    assert said_by(lambda: estimator().fit(make(COLUMNS), LABELS)) == [*IGNORED, LEAK]


def test_so_does_the_booleanizer():
    assert said_by(lambda: Booleanizer().fit(pd.DataFrame(COLUMNS))) == IGNORED


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("options", [QUICK, SCORECARD])
def test_the_command_line_warns_in_the_same_words(tmp_path: Path, ending: str, options: tuple[str, ...]):
    frame = pl.DataFrame({**COLUMNS, "class": LABELS})
    table = tmp_path / f"table.{ending}"
    frame.write_csv(table) if ending == "csv" else frame.write_parquet(table)
    shown = done(
        "fit", table, "--target", "class", *options, "--refit", "--model", tmp_path / "m.json"
    ).stderr
    warned = [line.removeprefix("Warning: ") for line in shown.splitlines() if line.startswith("Warning: ")]
    assert warned == [*IGNORED, LEAK]
    quiet = done("fit", table, "--target", "class", *options, "--quiet")
    assert "Warning" not in quiet.stderr


def test_a_table_without_a_trap_has_no_warning():
    X = pd.DataFrame({"score": SCORE, "city": COLUMNS["city"], "sent": SCORE > 0.5})
    for estimator in (quick(), scorecard(), Booleanizer()):
        assert said_by(lambda estimator=estimator: estimator.fit(X, LABELS)) == []


def test_noise_is_warned_of_by_scorecards():
    X, y = RNG.normal(size=(100, 4)), np.arange(100) % 2
    (said,) = said_by(lambda: scorecard().fit(X, y))
    assert said.startswith("In cross-validation, the rules do not predict ")


def test_what_a_model_is_made_of_does_not_warn_again(capfd: pytest.CaptureFixture[str]):
    X = pd.DataFrame(COLUMNS)
    machine = quick().fit(X, LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compact(machine, X, LABELS, max_literals=1, cv=2)
    assert len(said_by(lambda: scorecard(n_jobs=2).fit(X, LABELS))) == len([*IGNORED, LEAK])
    assert "Warning" not in capfd.readouterr().err  # of other processes


def test_categories_that_cannot_be_in_a_rule_are_said():
    X = pd.DataFrame({"town": [f"t{i % 30}" for i in range(N)], "score": SCORE})
    said = "Column 'town' has more than {0} categories; only the {0} most frequent can be in a rule"
    (machine,) = said_by(lambda: quick().fit(X, LABELS))
    assert machine.startswith(said.format(16))
    (card,) = said_by(lambda: RuleClassifier(max_literals=1, cv=2, random_state=0).fit(X, LABELS))
    assert card.startswith(said.format(12))
    assert said_by(lambda: quick(booleanizer=Booleanizer(max_columns=30)).fit(X, LABELS)) == []
    declared = X.assign(town=pd.Categorical(X["town"], [f"t{i}" for i in range(40)]))
    assert said_by(lambda: quick().fit(declared, LABELS)) == [machine]
    assert said_by(lambda: quick(booleanizer=Booleanizer(max_columns=30)).fit(declared, LABELS)) == []


@pytest.mark.parametrize("weights", [None, np.ones(N), np.full(N, 2.0)])
def test_categories_that_new_rows_may_not_share_are_said(weights: Any):
    names = [f"n{i}" if i < 48 else f"n{48 + i % 24}" for i in range(N)]  # 48 of 120 occur once
    X = pd.DataFrame({"animal": names, "score": SCORE})
    said = said_by(lambda: quick().fit(X, LABELS, sample_weight=weights))
    once = [text for text in said if "not seen" in text]
    if weights is not None and weights[0] > 1:
        assert once == []
        return
    (text,) = once
    assert text.startswith(
        "About 40 % of new rows may have a category of 'animal' that was not seen in training"
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_numbers_that_float32_cannot_be_equal_to_are_said(dtype: str):
    X = pd.DataFrame({"score": np.where(np.arange(N) % 5 == 0, 99.9, SCORE).astype(dtype)})
    special = Booleanizer(special_values={"score": [99.9, -1.5]})
    said = [text for text in said_by(lambda: quick(booleanizer=special).fit(X, LABELS)) if "float32" in text]
    expected = "Column 'score' holds float32 numbers. Some are nearly, but not exactly, the cut point or"
    expected = [] if dtype == "float64" else [f"{expected} special value 99.9."]
    assert [text[: text.index(" Convert")] for text in said] == expected
    exact = Booleanizer(special_values={"score": [-1.5]}, cut_points={"score": [0.5]})
    assert not any("float32" in text for text in said_by(lambda: quick(booleanizer=exact).fit(X, LABELS)))


def test_a_table_without_columns_is_refused_in_the_name_of_the_scorecard():
    with pytest.raises(ValueError, match=r"0 feature.* required by RuleClassifier"):
        RuleClassifier().fit(pd.DataFrame(index=range(N)), LABELS)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_numbers_stored_as_text_are_said(make: Any):
    amounts = [f"{value:.2f}" for value in RNG.permutation(N) * 1.25]
    convert = (
        "numbers stored as text; unless they are IDs or codes, convert them: pandas.to_numeric(column, "
        "errors='coerce') makes any text that is not a plain number, such as 5% or 1,234, a missing value."
    )
    for sign in ("{}%", "${}", "{} €"):
        signed = {"amount": [sign.format(amount) for amount in amounts], "score": SCORE}
        assert said_by(lambda X=signed: quick().fit(make(X), LABELS)) == [
            f"Column 'amount' is ignored: {convert}"
        ]
    differing = {"amount": [*amounts[:-2], "unknown", None], "score": SCORE}
    assert said_by(lambda: quick().fit(make(differing), LABELS)) == [f"Column 'amount' is ignored: {convert}"]
    repeated = {"amount": amounts[: N // 2] * 2, "score": SCORE}
    said, cut = said_by(lambda: quick().fit(make(repeated), LABELS))
    assert said == f"Column 'amount' has {convert}"
    assert "more than 16 categories" in cut
    chosen = quick(categorical_features=["amount"])
    assert "stored as text" not in " ".join(said_by(lambda: chosen.fit(make(repeated), LABELS)))
    codes = {"plz": [f"{number:05}" for number in range(N)], "score": SCORE}
    assert "like an ID" in said_by(lambda: quick().fit(make(codes), LABELS))[0]


def test_the_command_line_says_so_of_text_in_parquet(tmp_path: Path):
    amounts = [f"{value:.2f}" for value in np.arange(N) * 1.25]
    frame = pl.DataFrame({"amount": amounts, "score": SCORE, "class": LABELS})
    frame.write_parquet(tmp_path / "table.parquet")
    shown = done("fit", tmp_path / "table.parquet", "--target", "class", "--no-test", *SCORECARD).stderr
    assert "Column 'amount' is ignored: numbers stored as text;" in shown


def test_weighted_classes_are_said():
    X = pd.DataFrame({"score": SCORE, "city": COLUMNS["city"]})
    (said,) = said_by(lambda: scorecard(class_weight="balanced").fit(X, LABELS))
    assert "those of the weighted classes" in said


def test_a_column_that_the_user_calls_categorical_is_used(tmp_path: Path):
    frame = pl.DataFrame({"name": COLUMNS["name"], "score": SCORE, "class": LABELS})
    frame.write_csv(tmp_path / "table.csv")
    result = done(
        "fit", tmp_path / "table.csv", "--target", "class", "--categorical", "name", "--no-test", *SCORECARD
    )
    assert "ignored" not in result.stderr


def test_tuning_warns_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tune(pd.DataFrame(COLUMNS), LABELS, n_candidates=2, cv=2, verbose=0, random_state=0)
    assert [str(one.message) for one in caught] == [*IGNORED, LEAK]


def test_a_user_may_want_an_id_as_a_category():
    names = pd.DataFrame({"name": COLUMNS["name"], "score": SCORE})
    (said,) = said_by(lambda: Booleanizer(categorical_features=["name"]).fit(names))
    assert "more than 16 categories" in said
    assert said_by(lambda: quick().fit(names.astype({"name": "category"}), LABELS)) == [said]
    counted = np.full(N, 20.0)  # each name stands for twenty rows
    (said,) = said_by(lambda: Booleanizer().fit(names, sample_weight=counted))
    assert "more than 16 categories" in said


def test_what_is_ignored_is_not_read_in_prediction(tmp_path: Path):
    X = pd.DataFrame(COLUMNS)
    clf = quick(forbidden_features=["decides"]).fit(X, LABELS)
    clf.save(tmp_path / "model.json")
    assert "person" not in (tmp_path / "model.json").read_text()
    others = X.assign(name="new", day="never", nothing=range(N))
    for model in (clf, load(tmp_path / "model.json")):
        np.testing.assert_array_equal(model.predict(others), clf.predict(X))


@pytest.mark.parametrize("estimator", [quick, scorecard])
def test_many_classes_that_are_numbers_are_named(estimator: Any):
    X = pd.DataFrame({"score": SCORE})
    text = said_by(lambda: estimator().fit(X, np.arange(N) % 30))[0]
    assert text.startswith("There are 30 classes, the numbers from 0 to 29. If they are a quantity or an ID")
    assert "RuleRegressor (clausal fit --task numbers)" in text
    texts = said_by(lambda: estimator().fit(X, np.char.add("c", (np.arange(N) % 30).astype(str))))
    assert not any("classes, " in text for text in texts)


def test_a_target_like_an_id_is_named():
    X = pd.DataFrame({"score": SCORE})
    (text,) = said_by(lambda: quick().fit(X, [f"person {i}" for i in range(N - 1)] + ["person 0"]))
    assert text.startswith("There are 119 classes, in 120 rows. If they are a quantity or an ID, make a few")


@pytest.mark.parametrize("estimator", [quick, scorecard])
def test_pandas_labels_in_another_order_are_named(estimator: Any):
    """Rows are matched by position, as in scikit-learn, so that a sorted table is given other labels."""
    X, y = pd.DataFrame({"score": SCORE}), pd.Series(LABELS)
    weights = pd.Series(np.ones(N), index=X.index)
    for same in (y, y.set_axis(y.index + 1), y.to_numpy()):
        assert said_by(lambda y=same: estimator().fit(X, y, weights)) == []
    texts = said_by(lambda: estimator().fit(X, y[::-1].to_numpy(), weights[::-1]))
    assert texts[0].startswith("sample_weight has the index of X in another order.")
    first = said_by(lambda: estimator().fit(X.sort_values("score"), y, weights))
    assert [text.split()[0] for text in first[:2]] == ["y", "sample_weight"]
    assert first[0].endswith("y.loc[X.index] has the order of X.")


@pytest.mark.parametrize("values", [np.arange(N) % 40, np.char.add("c", (np.arange(N) % 40).astype(str))])
def test_categories_beside_groups_that_can_be_in_no_rule_are_named(values: Any):
    """A group is one category; numbers with groups are categories, too."""
    X, few = pd.DataFrame({"score": SCORE, "code": values}), sorted(set(values.tolist()))
    for grouped, said in ((few[:24], True), (few[:25], False)):  # 16 others and a group, then 15
        known = Booleanizer(groups={"code": {"some": grouped}}, categorical_features=["code"])
        texts = said_by(lambda known=known: quick(booleanizer=known).fit(X, LABELS))
        assert ["Column 'code' has more than 16 categories" in text for text in texts] == [True] * said


def test_pandas_labels_of_an_evaluation_in_another_order_are_named(tmp_path: Path):
    X, y = pd.DataFrame({"score": SCORE}), pd.Series(LABELS)
    clf, mixed = scorecard().fit(X, y), y[::-1]
    for call, begin in (
        (lambda y: clf.score(X, y), "y has the index of X in"),
        (lambda y: quick().fit(X, LABELS).score(X, y), "y has the index of X in"),
        (lambda y: clf.to_scorecard().score(X, y), "y has the index of X in"),
        (lambda y: clf.table(X, y), "y has the index of X in"),
        (lambda y: clf.to_scorecard().edit(X, y), "y has the index of X in"),
        (lambda y: compare({"a": clf, "b": clf.to_scorecard()}, X, y), "y has the index of X in"),
        (lambda y: fairness(clf, X, y, protected=LABELS), "y has the index of X in"),
        (lambda y: monitor(clf, X, X, None, y), "y_current has the index of current in"),
        (lambda y: monitor(clf, X, X, y), "y_reference has the index of reference in"),
        (lambda y: report(clf, X, y, tmp_path / "a.html"), "y_test has the index of X_test in"),
        (lambda y: report(clf, X, LABELS, tmp_path / "a.html", X, y), "y_train has the index of X_train in"),
    ):
        assert said_by(lambda call=call: call(y)) == []
        (text,) = said_by(lambda call=call: call(mixed))
        assert text.startswith(begin)


@pytest.mark.parametrize("estimator", [quick, scorecard, Booleanizer])
def test_names_that_are_not_text_are_named(estimator: Any):
    """scikit-learn reads no such names and says nothing, so that columns in another order go unnoticed."""
    X = pd.DataFrame({("a", "score"): SCORE, ("b", "score"): SCORE[::-1]})
    (text,) = said_by(lambda: estimator().fit(X, LABELS))
    assert text.startswith("The columns of X have names that are not text, such as ('a', 'score').")
    assert "found by their position" in text
    assert 'X.columns = X.columns.map("_".join) makes text' in text
    X.columns = X.columns.map("_".join)
    assert said_by(lambda: estimator().fit(X, LABELS)) == []
    assert said_by(lambda: estimator().fit(X.set_axis([3, 4], axis=1), LABELS)) == []
    X.columns = [("a", 1), ("b", 2)]
    (text,) = said_by(lambda: estimator().fit(X, LABELS))
    assert "X.columns.map(lambda name" in text
    X.columns = pd.to_datetime(["2024-01-01", "2024-02-01"])
    (text,) = said_by(lambda: estimator().fit(X, LABELS))
    assert "X.columns = X.columns.astype(str)" in text


@pytest.mark.parametrize("sharing", [None, "clauses"])
def test_labels_of_several_per_row_in_another_order_are_named(sharing: str | None):
    X, Y = pd.DataFrame({"score": SCORE}), pd.DataFrame({"a": LABELS[0] == LABELS, "b": SCORE > 0})
    machine = TsetlinClassifier(10, n_epochs=1, sharing=sharing, random_state=0)
    assert said_by(lambda: machine.fit(X, Y)) == []
    (text,) = said_by(lambda: machine.fit(X, Y[::-1]))
    assert text.startswith("y has the index of X in another order.")


def test_a_column_of_labels_is_warned_of_once():
    with pytest.warns(DataConversionWarning) as caught:
        scorecard().fit(pd.DataFrame({"score": SCORE}), pd.DataFrame({"class": LABELS}))
    assert len(caught) == 1


@pytest.mark.usefixtures("quick_choice")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_machine_that_chooses_its_settings_says_that_noise_is_noise(n_classes):
    rng = np.random.default_rng(0)
    X, noise = rng.random((150, 4)), rng.integers(0, n_classes, 150)
    with pytest.warns(TableWarning, match="machine does not predict clearly better than the shares") as said:
        TsetlinClassifier(random_state=0).fit(X, noise)
    assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = np.where(X[:, 1] < 0.1, noise, (X[:, 0] * n_classes).astype(int))
        TsetlinClassifier(random_state=0).fit(X, y)
