"""What all studies share: data sets without missing values, and other classifiers that are assembled once."""

import importlib.util

import numpy as np
import pytest

from studies import baselines
from studies.data import SHARED, data_folder, load


@pytest.mark.parametrize("name", ["Balance Scale", "Breast Cancer", "Heart Disease", "Liver Disorders"])
def test_the_views_of_a_data_set_have_the_same_rows_and_no_missing_value(name):
    data = load(name)
    assert len(data.cells) == len(data.frame) == len(data.numbers) == len(data.y)
    assert not data.frame.isna().to_numpy().any()
    assert np.isfinite(data.numbers).all()
    assert set(data.y) == {0, 1}


def test_an_unknown_data_set_is_refused():
    with pytest.raises(ValueError, match="must be one of Bankruptcy, .* Got 'Iris'"):
        load("Iris")


def test_files_are_read_from_the_folder_clausal_data_or_beside_the_repository(monkeypatch, tmp_path):
    monkeypatch.delenv("CLAUSAL_DATA", raising=False)
    assert data_folder() == SHARED
    monkeypatch.setenv("CLAUSAL_DATA", str(tmp_path))
    assert data_folder() == tmp_path


def test_bankruptcy_is_read_from_that_folder(real_bankruptcy):
    assert real_bankruptcy.y.sum() == 143


@pytest.mark.parametrize("name", ["logistic regression", "decision tree", "gradient boosting"])
def test_a_baseline_reads_a_table_with_a_category_that_it_has_not_seen(name):
    data = load("Breast Cancer")
    seen = (data.frame["tumor_size"] != data.frame["tumor_size"].iloc[0]).to_numpy()
    model = baselines.for_table(name, seed=0).fit(data.frame[seen], data.y[seen])
    assert set(model.predict(data.frame)) <= {0, 1}


@pytest.mark.parametrize("name", baselines.NAMES)
def test_every_baseline_learns_a_matrix(name):
    package = {"XGBoost": "xgboost", "LightGBM": "lightgbm", "EBM": "interpret"}.get(name, "sklearn")
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is installed by `make paper` or `make defaults` only")
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = (X[:, 0] > 0).astype(int)
    parameters = {"EBM": {"max_rounds": 50, "outer_bags": 1}, "neural network": {"max_iter": 1000}}
    model = baselines.for_matrix(name, 0, **parameters.get(name, {})).fit(X, y)
    assert model.score(X, y) > 0.85


def test_an_unknown_baseline_is_refused():
    with pytest.raises(ValueError, match="must be one of logistic regression, .* Got 'oracle'"):
        baselines.for_table("oracle", seed=0)
