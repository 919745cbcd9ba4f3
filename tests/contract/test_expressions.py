"""`to_expressions` scores every row as the model does, in each library of tables, lazily where it can.

Models and rows are those of `make fuzz`, with every policy, several classes and hostile names.
"""

from __future__ import annotations

from random import Random
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from clausal import Booleanizer, RuleClassifier, TableWarning, TsetlinClassifier
from clausal.datasets import load_heart_disease
from tests.support.export_scoring import Scored, document_of, require_same, score_in_model
from tests.support.fuzz.differential import fit_case, make_case, random_rows

pytestmark = pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")
TYPES = {"DOUBLE": pl.Float64, "VARCHAR": pl.String, "BOOLEAN": pl.Boolean}
LIBRARIES = ("polars", "polars eager", "pandas", "pyarrow", "duckdb")
N_MODELS = 8


def table_of(columns: Any, library: str) -> Any:
    frame = pl.DataFrame(
        {name: pl.Series(values, dtype=TYPES[kind]) for name, (kind, values) in columns.items()}
    )
    match library:
        case "polars":
            return frame.lazy()
        case "pandas":
            return frame.to_pandas()
        case "pyarrow":
            return frame.to_arrow()
        case "duckdb":
            return pytest.importorskip("duckdb").from_arrow(frame.to_arrow())
    return frame


def scored_by(clf: Any, columns: Any, library: str) -> list[Scored | None]:
    expressions = clf.to_expressions()
    order = {name: f"scored {number}" for number, name in enumerate(expressions)}
    table = nw.from_native(table_of(columns, library))
    added = table.with_columns(**{order[name]: expression for name, expression in expressions.items()})
    frame = added.select(*order.values())
    rows = (frame.collect() if isinstance(frame, nw.LazyFrame) else frame).rows()
    return [scored_row(clf, dict(zip(expressions, row, strict=True))) for row in rows]


def scored_row(clf: Any, row: dict[str, Any]) -> Scored | None:
    def starting(start: str) -> list[Any]:
        return [plain(value) for name, value in row.items() if name.startswith(start)]

    votes = starting("vote")
    if None in votes:
        assert set(map(plain, row.values())) == {None}
        return None
    label = next(each for each in clf.rules_.classes.tolist() if each == plain(row["prediction"]))
    return Scored(votes, label, starting("probability "), [bool(fires) for fires in starting("rule ")])


def plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return None if value is None or value != value else value


def model_and_rows(number: int) -> tuple[Any, Any]:
    case = make_case(Random(f"expressions {number}"))
    clf = fit_case(case)
    return clf, random_rows(case, clf)


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_row_is_scored_as_in_the_model(library: str) -> None:
    n_refused = n_several = 0
    for number in range(N_MODELS):
        clf, columns = model_and_rows(number)
        expected = score_in_model(clf, columns)
        several = clf.rules_.n_banks > 1
        if not (several and library == "duckdb"):  # where each takes half a minute
            require_same(library, expected, scored_by(clf, columns, library))
        n_refused += expected.count(None)
        n_several += several
    assert n_refused
    assert n_several


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_are_added_as_in_the_model(library: str) -> None:
    for number in range(N_MODELS):
        clf, columns = model_and_rows(number)
        table = table_of(columns, library)
        scored = nw.from_native(clf.with_predictions(table))
        added = [name for name in scored.collect_schema().names() if name not in columns]
        lines = (scored.collect() if isinstance(scored, nw.LazyFrame) else scored).rows(named=True)
        found = [scored_row(clf, {name: line[name] for name in added}) for line in lines]
        expected = score_in_model(clf, columns)
        without_rules = [None if row is None else row._replace(fires=[]) for row in expected]
        require_same(library, without_rules, found)


def test_a_lazy_table_stays_lazy() -> None:
    X, y = load_heart_disease(return_X_y=True, as_frame=True)
    clf = RuleClassifier(max_literals=4, cv=2, random_state=0).fit(X, y)
    lazy = pl.from_pandas(X).lazy()
    scored = clf.with_predictions(lazy)
    assert isinstance(scored, pl.LazyFrame)
    frame = scored.collect()
    assert frame.columns == [*X.columns, "vote", "prediction", "probability 0", "probability 1"]
    assert frame["prediction"].to_list() == clf.predict(X).tolist()
    assert frame["probability 1"].to_list() == pytest.approx(clf.predict_proba(X)[:, 1].tolist())
    with pytest.raises(ValueError, match="must not have a column 'vote', which is added"):
        clf.with_predictions(scored)


@pytest.mark.parametrize("library", LIBRARIES)
def test_numbers_of_32_bits_are_compared_as_64(library: str) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.choice([0.1, 0.2, 0.3, 0.4], 400).astype("float32")
    y = (rng.random(400) < np.where(numbers < 0.25, 0.2, 0.8)).astype(int)
    encoder = Booleanizer(cut_points={"x": [0.1, 0.2, 0.3]})
    frame = pl.DataFrame({"x": numbers})
    clf = RuleClassifier(max_literals=2, cv=2, booleanizer=encoder, random_state=0)
    with pytest.warns(TableWarning, match=r"'x' holds float32 numbers.* special value 0\.1, 0\.2, 0\.3\."):
        clf.fit(frame, y)
    tables = {"polars": frame.lazy(), "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}
    table = tables.get(library, frame)
    if library == "duckdb":
        table = pytest.importorskip("duckdb").from_arrow(frame.to_arrow())
    scored = nw.from_native(clf.with_predictions(table))
    found = scored.collect() if isinstance(scored, nw.LazyFrame) else scored
    assert found["prediction"].to_list() == clf.predict(frame).tolist()


def test_a_rule_set_has_no_probabilities() -> None:
    clf, _ = model_and_rows(0)
    names = set(clf.rules_.to_expressions())
    assert names == {name for name in clf.to_expressions() if not name.startswith("probability")}
    assert len(document_of(clf).rules) == sum(name.startswith("rule ") for name in names)


def test_a_model_must_be_fitted() -> None:
    with pytest.raises(NotFittedError):
        RuleClassifier().with_predictions(pl.DataFrame({"x": [1]}))
    with pytest.raises(NotFittedError):
        RuleClassifier().to_expressions()


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_a_machine_of_many_rules_is_not_nested_too_deeply(library: str) -> None:
    rng = np.random.default_rng(0)
    X = pl.DataFrame({name: rng.random(200) for name in "abc"})
    y = (X["a"] + X["b"]).to_numpy() > rng.random(200) + 0.5
    clf = TsetlinClassifier(n_clauses=1200, n_epochs=10, random_state=0).fit(X, y)
    assert len(clf.rules_) > 500
    scored = clf.with_predictions(table_of({name: ("DOUBLE", X[name].to_list()) for name in "abc"}, library))
    scored = scored.collect() if library == "polars" else scored
    assert nw.from_native(scored)["vote"].to_list() == clf.votes(X).tolist()
