"""What all loaders share: the Bunch, the pair, frames, errors, documentation and the embedded files."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from clausal import datasets
from clausal.datasets import load_balance_scale, load_breast_cancer, load_heart_disease, load_liver_disorders

# loader, rows, features, rows of class 1, names of classes 0 and 1
LOADERS = [
    (load_heart_disease, 270, 13, 120, ["absence", "presence"]),
    (load_breast_cancer, 286, 9, 85, ["no-recurrence-events", "recurrence-events"]),
    (load_liver_disorders, 345, 5, 176, ["drinks < 3", "drinks >= 3"]),
    (load_balance_scale, 576, 4, 288, ["left", "right"]),
]
KEYS = {"data", "target", "feature_names", "target_names", "frame", "DESCR", "category_names"}
EMBEDDED = ["heart_disease.csv", "breast_cancer.csv", "liver_disorders.csv"]
each_loader = pytest.mark.parametrize("loader", [row[0] for row in LOADERS])


@pytest.mark.parametrize(("loader", "n_samples", "n_features", "n_ones", "names"), LOADERS)
def test_bunch(loader, n_samples, n_features, n_ones, names):
    bunch = loader()
    assert set(bunch) == KEYS
    assert bunch.data.shape == (n_samples, n_features)
    assert len(bunch.feature_names) == n_features
    assert bunch.target.shape == (n_samples,)
    assert bunch.target.dtype == np.int64
    assert set(bunch.target.tolist()) == {0, 1}
    assert bunch.target.sum() == n_ones
    assert bunch.target_names.tolist() == names
    assert bunch.frame is None


@each_loader
def test_description_says_source_licence_credit_and_counts(loader):
    bunch = loader()
    for words in ("Source: ", "UCI", "CC BY 4.0", "Credit: ", "Changes: ", "Target: 1 = "):
        assert words in bunch.DESCR
    assert f"Rows: {len(bunch.target)}" in bunch.DESCR
    assert str(bunch.target.sum()) in bunch.DESCR


@each_loader
def test_pair_equals_bunch(loader):
    bunch = loader()
    X, y = loader(return_X_y=True)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)


@each_loader
def test_frame_holds_data_and_target(loader):
    bunch = loader(as_frame=True)
    assert list(bunch.data.columns) == bunch.feature_names
    assert list(bunch.frame.columns) == [*bunch.feature_names, "target"]
    assert isinstance(bunch.target, pd.Series)
    assert bunch.target.dtype == np.int64
    np.testing.assert_array_equal(bunch.target, loader().target)
    X, y = loader(as_frame=True, return_X_y=True)
    pd.testing.assert_frame_equal(X, bunch.data)
    pd.testing.assert_series_equal(y, bunch.target)


@each_loader
def test_category_names_are_those_of_the_frame_in_order(loader):
    bunch = loader(as_frame=True)
    found = {
        name: tuple(bunch.data[name].cat.categories)
        for name in bunch.feature_names
        if isinstance(bunch.data[name].dtype, pd.CategoricalDtype)
    }
    assert bunch.category_names == found
    assert loader().category_names == found
    for names in found.values():
        assert {type(name) for name in names} == {str}


@each_loader
def test_calls_do_not_share_memory(loader):
    first = loader()
    first.data[0, 0] = first.data[1, 0]
    first.target[:] = 0
    first.category_names.clear()
    second = loader()
    assert second.target.sum() > 0
    assert second.category_names == loader(as_frame=True).category_names
    np.testing.assert_array_equal(second.data, loader().data)


@each_loader
@pytest.mark.parametrize("name", ["return_X_y", "as_frame"])
def test_flag_must_be_a_boolean(loader, name):
    expected = f"The '{name}' parameter of {loader.__name__} must be True or False. Got 1."
    with pytest.raises(ValueError, match=f"^{expected}$"):
        loader(**{name: 1})


@each_loader
def test_arguments_are_keyword_only(loader):
    with pytest.raises(TypeError, match="positional"):
        loader(True)


@each_loader
def test_without_pandas_only_frames_fail(loader, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert len(loader().data) > 0
    with pytest.raises(ImportError, match="as_frame=True needs pandas"):
        loader(as_frame=True)


@pytest.mark.parametrize("file_name", EMBEDDED)
def test_embedded_file_equals_the_shared_one(file_name, shared_data):
    embedded = Path(datasets.__file__).parent / "data" / file_name
    assert embedded.read_bytes() == (shared_data / file_name).read_bytes()


def test_bankruptcy_file_is_not_embedded():
    files = {file.name for file in (Path(datasets.__file__).parent / "data").iterdir()}
    assert files == {*EMBEDDED, "README.md"}


@pytest.mark.parametrize("name", sorted(set(datasets.__all__) - {"load_bankruptcy"}))
def test_docstring_example(name):
    function = getattr(datasets, name)
    (example,) = doctest.DocTestFinder(recurse=False).find(function, name, globs={name: function})
    result = doctest.DocTestRunner().run(example)
    assert result.attempted == 1
    assert result.failed == 0
