"""Liver disorders: two targets, the same five features."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from clausal.datasets import load_liver_disorders

TESTS = ["mcv", "alkphos", "sgpt", "sgot", "gammagt"]


def test_both_targets_equal_the_file(shared_data):
    with (shared_data / "liver_disorders.csv").open() as stream:
        records = list(csv.DictReader(stream))
    drinks, selector = load_liver_disorders(), load_liver_disorders(target="selector")
    expected = [[float(record[name]) for name in TESTS] for record in records]
    np.testing.assert_array_equal(drinks.data, expected)
    np.testing.assert_array_equal(selector.data, expected)
    assert drinks.target.tolist() == [int(float(record["drinks"]) >= 3) for record in records]
    assert selector.target.tolist() == [int(record["selector"] == "2") for record in records]


@pytest.mark.parametrize(("target", "counts"), [("drinks", [169, 176]), ("selector", [145, 200])])
def test_target_counts_names_and_description(target, counts):
    bunch = load_liver_disorders(target=target)
    assert np.bincount(bunch.target).tolist() == counts
    assert bunch.feature_names == TESTS
    assert bunch.data.dtype == np.float64
    assert all(name.startswith(target) for name in bunch.target_names)
    assert f"{counts[0]} rows" in bunch.DESCR
    assert f"{counts[1]} rows" in bunch.DESCR


@pytest.mark.parametrize("target", ["drinks", "selector"])
def test_paper_counts_312_unique_values(target):
    frame = load_liver_disorders(target=target, as_frame=True).data
    assert frame.nunique().sum() == 312
    assert {str(dtype) for dtype in frame.dtypes} == {"int64"}
    np.testing.assert_array_equal(frame.to_numpy(float), load_liver_disorders().data)


@pytest.mark.parametrize("target", ["Drinks", "class", None, 3])
def test_unknown_target(target):
    expected = (
        f"The 'target' parameter of load_liver_disorders must be 'drinks' or 'selector'. Got {target!r}."
    )
    with pytest.raises(ValueError, match=f"^{expected}$"):
        load_liver_disorders(target=target)
