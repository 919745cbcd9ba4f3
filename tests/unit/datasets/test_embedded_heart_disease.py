"""Heart disease: codes in the array, names in the frame."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from clausal.datasets import load_heart_disease

CODES = {
    "sex": {0: "female", 1: "male"},
    "chest_pain": {1: "typical angina", 2: "atypical angina", 3: "non-anginal pain", 4: "asymptomatic"},
    "resting_ecg": {0: "normal", 1: "ST-T abnormality", 2: "left ventricular hypertrophy"},
    "slope": {1: "upsloping", 2: "flat", 3: "downsloping"},
    "thal": {3: "normal", 6: "fixed defect", 7: "reversible defect"},
}


def test_array_equals_the_file(shared_data):
    with (shared_data / "heart_disease.csv").open() as stream:
        rows = list(csv.reader(stream))
    bunch = load_heart_disease()
    assert bunch.feature_names == rows[0][:-1]
    assert bunch.data.dtype == np.float64
    np.testing.assert_array_equal(bunch.data, [[float(cell) for cell in row[:-1]] for row in rows[1:]])
    assert bunch.target.tolist() == [int(row[-1] == "2") for row in rows[1:]]


def test_first_row():
    bunch = load_heart_disease()
    assert bunch.data[0].tolist() == [70, 1, 4, 130, 322, 0, 2, 109, 0, 2.4, 2, 3, 3]
    assert bunch.target[0] == 1


@pytest.mark.parametrize("name", CODES)
def test_frame_names_every_code(name):
    bunch = load_heart_disease(as_frame=True)
    codes = load_heart_disease().data[:, bunch.feature_names.index(name)]
    assert bunch.data[name].tolist() == [CODES[name][code] for code in codes]
    assert bunch.category_names[name] == tuple(CODES[name].values())
    assert not bunch.data[name].cat.ordered


def test_frame_types_of_the_others():
    frame = load_heart_disease(as_frame=True).data
    types = {name: str(dtype) for name, dtype in frame.dtypes.items() if name not in CODES}
    whole = ("age", "resting_bp", "serum_cholesterol", "max_heart_rate", "major_vessels")
    assert types == {
        **dict.fromkeys(whole, "int64"),
        "oldpeak": "float64",
        "fasting_blood_sugar": "bool",
        "exercise_angina": "bool",
    }


def test_frame_numbers_and_booleans_equal_the_array():
    bunch = load_heart_disease(as_frame=True)
    array = load_heart_disease().data
    for position, name in enumerate(bunch.feature_names):
        if name not in CODES:
            np.testing.assert_array_equal(bunch.data[name].to_numpy(float), array[:, position])


def test_paper_counts_384_unique_values():
    assert load_heart_disease(as_frame=True).data.nunique().sum() == 384
