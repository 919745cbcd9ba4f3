"""Models in MLflow: our own file with a signature, from which the same predictions come."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from clausal import load
from tests.support.lending import card, loans
from tests.support.rule_models import setting
from tests.support.scorecards import machine, scorecard

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    mlflow = pytest.importorskip("mlflow.pyfunc", reason="LEFT OUT: no mlflow; see `make test-exports`")
    tracking = importlib.import_module("mlflow")
    flavor = importlib.import_module("clausal.mlflow")
pytestmark = pytest.mark.filterwarnings("ignore")  # of MLflow

X, y = loans(120)
USED = X.drop(columns="owner")


def three() -> Any:
    labels = np.array(["x", "y", "z"])[(X["age"] > 40) * 1 + (X["state"] == "north")]
    return machine(random_state=0).fit(X, labels)


MODELS = {
    "card": card(True),
    "scaled": card().scaled(positive=False),
    "classifier": scorecard().fit(USED, y),
    "three": three(),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_same_predictions_come_back(model: Any, tmp_path: Path) -> None:
    flavor.save_model(model, tmp_path / "m", input_example=X[:2])
    assert sorted(path.suffix for path in (tmp_path / "m").rglob("*.*")) == [".json"] * 3 + [
        ".txt",
        ".yaml",
        ".yaml",
    ]  # and MLmodel: no pickle
    assert load(tmp_path / "m" / "data" / "model.json").rules_ == model.rules_
    again = flavor.load_model(str(tmp_path / "m"))
    assert (type(again), again.rules_) == (type(model), model.rules_)
    served = mlflow.load_model(str(tmp_path / "m")).predict(X)
    known = X[model.feature_names_in_]
    assert served["prediction"].tolist() == model.predict(known).tolist()
    votes = model.rules_.outcome.vote_names()
    np.testing.assert_array_equal(served[list(votes)].to_numpy().squeeze(), model.votes(known))
    shown = [name for name in served if name.startswith("probability_")]
    assert len(shown) == len(votes)
    assert served.columns.tolist() == [column.name for column in flavor.signature_of(model).outputs]


def test_rows_as_a_service_has_them_are_scored(tmp_path: Path) -> None:
    flavor.save_model(card(), tmp_path / "m")
    served = mlflow.load_model(str(tmp_path / "m"))
    row = {"age": 19.0, "income": None, "state": "north", "owner": False}
    known = served.predict([row])
    assert known["vote"].tolist() == [-5 + 4 + 3 + 2 + 1]
    unseen = served.predict(pd.DataFrame([{**row, "state": "abroad", "more": 1}]))
    assert unseen["vote"].tolist() == [-5 + 4 + 2 + 1]
    with pytest.raises(tracking.MlflowException, match="missing inputs"):
        served.predict(pd.DataFrame([{"age": 19}]))


def test_a_model_is_logged_with_its_signature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    tracking.set_tracking_uri((tmp_path / "runs").as_uri())
    try:
        with tracking.start_run():
            info = flavor.log_model(card(), input_example=X[:2], metadata={"owner": "risk"})
        assert [column.name for column in info.signature.inputs] == ["age", "income", "state", "owner"]
        assert info.metadata == {"owner": "risk"}
        assert flavor.load_model(info.model_uri).rules_ == card().rules_
    finally:
        tracking.set_tracking_uri(None)


def test_an_array_without_names_has_a_tensor(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).random((80, 3))
    model = machine(random_state=0).fit(numbers, numbers[:, 0] > 0.5)
    flavor.save_model(model, tmp_path / "m", input_example=numbers[:2])
    served = mlflow.load_model(str(tmp_path / "m")).predict(numbers)
    assert served["prediction"].tolist() == model.predict(numbers).tolist()


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="must be a TsetlinClassifier, RuleClassifier or Scorecard. Got Set"):
        flavor.save_model(setting("n", "auto", "error", "error"), tmp_path / "m")
    with pytest.raises(TypeError, match="'python_model' must be left to clausal.mlflow"):
        flavor.save_model(card(), tmp_path / "m", python_model=1)
    with pytest.raises(Exception, match="not fitted"):
        flavor.save_model(machine(), tmp_path / "m")

    class Other(mlflow.PythonModel):
        def predict(self, context: Any, model_input: list[str]) -> list[str]:
            return model_input

    mlflow.save_model(tmp_path / "other", python_model=Other(), pip_requirements=[])
    with pytest.raises(ValueError, match="must be one that clausal.mlflow has saved"):
        flavor.load_model(str(tmp_path / "other"))
