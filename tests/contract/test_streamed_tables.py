"""Tables that are read in batches give the models, predictions and errors of the same table in memory."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import clausal
from clausal import Booleanizer, RuleClassifier, TableWarning, TsetlinClassifier, UnseenValueWarning
from clausal.encoding import stream
from clausal.scorecard import rows

SOURCES = ("path", "folder", "glob", "dataset", "reader", "lazy", "relation")
N = 700


def make_frame() -> pd.DataFrame:
    """Numbers with and without gaps, texts, booleans, whole weights and three classes."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, N),
            "income": np.round(rng.lognormal(10, 1, N), 2),
            "state": rng.choice(list("ABCDEFG"), N).astype(object),
            "own": rng.random(N) < 0.4,
            "rate": rng.normal(size=N).astype(np.float32),
            "weight": rng.integers(0, 4, N),
        }
    )
    frame.loc[rng.random(N) < 0.1, "income"] = np.nan
    frame.loc[rng.random(N) < 0.05, "state"] = None
    score = (frame.age > 50) * 1.0 + (frame.state == "A") * 1.5 + rng.normal(size=N)
    return frame.assign(y=np.select([score > 2, score > 0.5], ["high", "middle"], "low"))


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("table")
    make_frame().to_parquet(folder / "a.parquet", row_group_size=300)
    return str(folder / "a.parquet")


def open_source(kind: str, path: str):
    match kind:
        case "path":
            return path
        case "folder":
            return path.removesuffix("/a.parquet")
        case "glob":
            return path.replace("a.par", "*.par")
        case "dataset":
            return ds.dataset(path)
        case "reader":
            table = pq.read_table(path)
            return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(100))
        case "lazy":
            return pl.scan_parquet(path)
    return pytest.importorskip("duckdb").sql(f"select * from '{path}'")


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(stream, "BATCH_ROWS", 128)


def machine(**changes) -> TsetlinClassifier:
    parameters = {"n_epochs": 3, "threshold": 60, "specificity": 3.0, "random_state": 0} | changes
    return TsetlinClassifier(30, **parameters)


def in_memory(path: str):
    table = pq.read_table(path)
    weights = table.column("weight").to_numpy().astype(float)
    return table.drop_columns(["y", "weight"]), table.column("y").to_pylist(), weights


@pytest.mark.parametrize("kind", SOURCES)
def test_a_machine_is_the_same(path, kind, small_batches):
    X, y, weights = in_memory(path)
    expected = machine().fit(X, y, sample_weight=weights)
    found = machine().fit(open_source(kind, path), "y", sample_weight="weight")
    assert found.encoding_ == expected.encoding_
    np.testing.assert_array_equal(found.model_.states, expected.model_.states)
    np.testing.assert_array_equal(found.model_.weights, expected.model_.weights)
    np.testing.assert_array_equal(found.votes(open_source(kind, path)), expected.votes(X))
    np.testing.assert_array_equal(found.predict(open_source(kind, path)), expected.predict(X))


@pytest.mark.parametrize("batch_rows", [1, 97, 10_000])
def test_a_scorecard_is_the_same_for_any_batches(path, batch_rows, monkeypatch):
    X, y, weights = in_memory(path)
    expected = RuleClassifier(max_literals=5, cv=2, random_state=0).fit(X, y, sample_weight=weights)
    monkeypatch.setattr(stream, "BATCH_ROWS", batch_rows)
    found = RuleClassifier(max_literals=5, cv=2, random_state=0).fit(path, "y", sample_weight="weight")
    assert found.rules_ == expected.rules_
    np.testing.assert_array_equal(found.predict_proba(path), expected.predict_proba(X))


@pytest.mark.parametrize("mode", ["auto", "paper"])
def test_a_booleanizer_is_the_same(path, mode, small_batches):
    X, _, _ = in_memory(path)
    expected = Booleanizer(mode, max_columns=5).fit(X)
    found = Booleanizer(mode, max_columns=5).fit(ds.dataset(path).replace_schema(X.schema))
    assert found.encoding_ == expected.encoding_
    np.testing.assert_array_equal(found.transform(path), expected.transform(X))


def test_a_booleanizer_leaves_out_the_target(path):
    assert Booleanizer().fit(path, "y", sample_weight="weight").encoding_.names == tuple(
        in_memory(path)[0].column_names
    )


def test_partial_fit_is_the_same(path, small_batches):
    X, y, _ = in_memory(path)
    classes = ["high", "low", "middle"]
    expected = machine().partial_fit(X, y, classes).partial_fit(X, y)
    found = machine().partial_fit(path, "y", classes, sample_weight=None)
    assert found.encoding_.names[-1] == "weight"  # a column like others, unless it is named
    by_name = pl.scan_parquet(path).drop("weight")
    found = machine().partial_fit(by_name, "y", classes).partial_fit(by_name, "y")
    np.testing.assert_array_equal(found.model_.states, expected.model_.states)


def test_warnings_of_a_table_are_the_same(tmp_path, small_batches):
    n = 400
    frame = pd.DataFrame(
        {
            "id": [f"id {k}" for k in range(n)],
            "row": np.arange(n),
            "day": pd.date_range("2024-01-01", periods=n),
            "code": [f"c{k % 40}" for k in range(n)],
            "one": 1,
            "x": np.random.default_rng(0).normal(size=n),
            "y": np.arange(n) % 2,
        }
    )
    frame.to_parquet(tmp_path / "a.parquet")

    def said(*arguments):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            machine().fit(*arguments)
        return [str(warning.message) for warning in caught if warning.category is TableWarning]

    table = pq.read_table(tmp_path / "a.parquet")
    expected = said(table.drop_columns(["y"]), frame.y)
    assert len(expected) >= 4
    assert said(str(tmp_path), "y") == expected


def test_unseen_values_are_told_once(path, tmp_path, small_batches):
    X, y, weights = in_memory(path)
    clf = machine().fit(X, y, sample_weight=weights)
    frame = make_frame()
    frame.loc[[5, 300, 650], "state"] = "new"
    frame.loc[[6, 301], "age"] = None
    frame.to_parquet(tmp_path / "new.parquet")
    with pytest.warns(UnseenValueWarning) as streamed:
        votes = clf.votes(tmp_path / "new.parquet")
    with pytest.warns(UnseenValueWarning) as memory:
        expected = clf.votes(pq.read_table(tmp_path / "new.parquet").select(X.column_names))
    np.testing.assert_array_equal(votes, expected)
    assert [str(warning.message) for warning in streamed] == [str(warning.message) for warning in memory]


def test_ordered_categories_of_polars_keep_their_order(small_batches):
    rng = np.random.default_rng(0)
    grades = pl.Enum(["low", "mid", "high"])
    values = rng.choice(["low", "mid", "high"], N)
    frame = pl.DataFrame({"grade": pl.Series(values, dtype=grades), "y": values == "mid"})
    expected = Booleanizer().fit(frame.select("grade"))
    assert [str(column) for column in expected.columns_] == ["grade <= low", "grade <= mid"]
    assert Booleanizer().fit(frame.lazy(), "y").encoding_ == expected.encoding_


def test_files_may_differ_in_the_order_and_width_of_columns(tmp_path, small_batches):
    frame = make_frame().drop(columns="weight")
    first, second = frame[: N // 2], frame[N // 2 :]
    first.astype({"age": np.int16}).to_parquet(tmp_path / "1.parquet", index=False)
    second[second.columns[::-1]].to_parquet(tmp_path / "2.parquet", index=False)
    found = machine().fit(str(tmp_path), "y")
    expected = machine().fit(pa.Table.from_pandas(frame.drop(columns="y")), frame.y)
    assert found.encoding_ == expected.encoding_
    np.testing.assert_array_equal(found.model_.states, expected.model_.states)


# --- what is refused ---


def refuse(match: str, X, y="y", **options):
    clf = machine()
    with pytest.raises(ValueError, match=match):
        clf.fit(X, y, **options)
    assert not hasattr(clf, "model_")


def test_a_column_that_some_files_lack_is_named(tmp_path):
    frame = make_frame()
    frame.to_parquet(tmp_path / "1.parquet")
    frame.drop(columns="own").to_parquet(tmp_path / "2.parquet")
    refuse(r"same columns. Got 'own' in .*1.parquet' and not in .*2.parquet'", str(tmp_path))


def test_a_column_of_other_types_is_named(tmp_path):
    frame = make_frame()
    frame.to_parquet(tmp_path / "1.parquet")
    frame.assign(age=frame.state).to_parquet(tmp_path / "2.parquet")
    refuse("one type in all Parquet files of X.*age", str(tmp_path))


@pytest.mark.parametrize(
    ("y", "match"), [("target", "y must be the name of a column of X: .*'target'"), (None, "y must")]
)
def test_the_target_is_a_column(path, y, match):
    refuse(match, path, y)


def test_weights_are_a_column(path):
    refuse("sample_weight must be the name of a column of X", path, sample_weight="w")


def test_no_such_file(tmp_path):
    refuse(r"X must be a Parquet file, .* Got 'none.parquet', and there is no such file", "none.parquet")
    refuse("must have files that end in .parquet", str(tmp_path))


def test_a_file_that_is_no_parquet(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 not")
    refuse("X must be a Parquet file", tmp_path / "a.parquet")


def test_an_empty_table(tmp_path):
    make_frame()[:0].to_parquet(tmp_path / "a.parquet")
    refuse("Got 0 classes", tmp_path / "a.parquet")


def test_empty_batches_and_files_are_skipped(tmp_path, path, small_batches):
    frame = make_frame().drop(columns="weight")
    frame[:0].to_parquet(tmp_path / "0.parquet")
    frame[:400].to_parquet(tmp_path / "1.parquet", index=False)
    frame[400:].to_parquet(tmp_path / "2.parquet", index=False)
    found = machine().fit(str(tmp_path / "[12].parquet"), "y")
    schema = pq.read_schema(tmp_path / "1.parquet")
    tables = [pq.read_table(tmp_path / f"{k}.parquet").select(schema.names) for k in (1, 2)]
    batches = [schema.empty_table().to_batches(), *(table.to_batches(90) for table in tables)]
    reader = pa.RecordBatchReader.from_batches(schema, [batch for part in batches for batch in part])
    np.testing.assert_array_equal(machine().fit(reader, "y").model_.states, found.model_.states)


def test_explanations_need_rows_in_memory(path):
    X, y, _ = in_memory(path)
    clf = machine().fit(X, y)
    with pytest.raises(TypeError, match="must be a table in memory"):
        clf.explain(path)


def test_what_needs_rows_in_memory_says_so_when_given_the_name_of_a_column(path, tmp_path):
    X, y, _ = in_memory(path)
    clf = machine().fit(X, y)
    card = RuleClassifier(max_literals=2, cv=2, random_state=0).fit(X, y)
    message = "X must be a table in memory here. Got a table that is read in batches"
    for needs_rows in (
        lambda: clausal.tune(path, "y"),
        lambda: card.table(pl.scan_parquet(path), "y"),
        lambda: clausal.compare({"a": clf, "b": card}, path, "y"),
    ):
        with pytest.raises(TypeError, match=message):
            needs_rows()
    with pytest.raises(TypeError, match="X_test must be a table in memory here"):
        clausal.report(clf, path, "y", tmp_path / "report.html")
    with pytest.raises(TypeError, match="X_train must be a table in memory here"):
        clausal.report(clf, X, y, tmp_path / "report.html", path, "y")
    with pytest.raises(ValueError, match="eval_set.*must be an array of labels. Got the string 'y'"):
        machine().fit(X, y, eval_set=(path, "y"))


@pytest.mark.parametrize("kind", SOURCES)
def test_a_score_is_that_of_the_rows_in_memory(path, kind, small_batches):
    X, y, weights = in_memory(path)
    clf = machine().fit(X, y, weights)
    card = RuleClassifier(max_literals=2, cv=2, random_state=0).fit(X, y, weights)
    for model in (clf, card, card.to_scorecard()) if kind == "path" else (clf,):
        assert model.score(open_source(kind, path), "y", "weight") == model.score(X, y, weights)
    with pytest.raises(ValueError, match="y must be the name of a column of X"):
        clf.score(path, y)


def test_a_score_of_numbers_is_that_of_the_rows_in_memory(path):
    X, _, _ = in_memory(path)
    reg = clausal.TsetlinRegressor(20, n_epochs=2, random_state=0).fit(X.drop(columns="age"), X["age"])
    assert reg.score(pl.scan_parquet(path), "age") == reg.score(X.drop(columns="age"), X["age"])


def test_a_missing_label_is_refused(tmp_path):
    frame = make_frame()
    frame.loc[3, "y"] = None
    frame.to_parquet(tmp_path / "a.parquet")
    refuse("labels, none missing.*at row 3", tmp_path / "a.parquet")


def test_temporary_files_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(stream.tempfile, "tempdir", str(tmp_path))
    machine().fit(pl.from_pandas(make_frame()).lazy(), "y")
    assert list(tmp_path.iterdir()) == []


def test_folders_that_name_values_are_columns(tmp_path, small_batches):
    frame = make_frame().drop(columns=["weight", "state"])
    for year, part in frame.groupby(np.arange(N) % 2):
        (tmp_path / f"year={2020 + year}").mkdir()
        part.to_parquet(tmp_path / f"year={2020 + year}" / "a.parquet", index=False)
    names = machine().fit(str(tmp_path), "y").encoding_.names
    assert names == (*frame.columns.drop("y"), "year")


# --- the sample for machines ---


def test_a_sample_of_rows_for_machines_depends_on_no_order_and_is_told(path, tmp_path, monkeypatch, capsys):
    X, y, _ = in_memory(path)
    everything = RuleClassifier(max_literals=5, cv=2, random_state=0).fit(X, y)
    assert everything.n_machine_rows_ is None
    monkeypatch.setattr(rows, "MOST_MACHINE_ROWS", 150)
    capsys.readouterr()
    expected = RuleClassifier(max_literals=5, cv=2, random_state=0, verbose=1).fit(X, y)
    assert "a sample of 148, taken by class" in capsys.readouterr().err
    assert expected.n_machine_rows_ == 148
    order = np.random.default_rng(0).permutation(N)
    frame = make_frame().drop(columns="weight").iloc[order]
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    for batch_rows in (50, 10_000):
        monkeypatch.setattr(stream, "BATCH_ROWS", batch_rows)
        found = RuleClassifier(max_literals=5, cv=2, random_state=0).fit(str(tmp_path), "y")
        assert found.rules_ == expected.rules_
    expected.save(tmp_path / "model.json")
    assert clausal.load(tmp_path / "model.json").n_machine_rows_ == 148
