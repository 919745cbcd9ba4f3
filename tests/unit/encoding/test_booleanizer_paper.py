"""Mode "paper": the columns of the paper, counted on the five data sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from clausal.encoding import Booleanizer


def read(file: Path, dropped: list[str], as_text: bool) -> pd.DataFrame:
    frame = pd.read_csv(file, dtype=str if as_text else None, keep_default_na=False)
    return frame[~(frame == "?").any(axis=1)].drop(columns=dropped)


@pytest.mark.parametrize(
    ("file", "dropped", "as_text", "n_columns"),
    [
        ("bankruptcy.csv", ["class"], True, 18),
        ("balance_scale.csv", ["class"], False, 20),
        ("breast_cancer.csv", ["class"], True, 41),
        ("liver_disorders.csv", ["drinks", "selector"], False, 312),
        ("heart_disease.csv", ["class"], False, 384),
    ],
)
def test_column_counts_of_the_paper(
    file: str, dropped: list[str], as_text: bool, n_columns: int, shared_data: Path
) -> None:
    frame = read(shared_data / file, dropped, as_text)
    booleanizer = Booleanizer("paper").fit(frame)
    bits = booleanizer.transform(frame)
    assert bits.shape == (len(frame), n_columns)
    # The last column of each feature is constant, and only that one.
    constant = bits.all(axis=0).sum()
    assert constant == frame.shape[1]


def test_bit_11_of_bankruptcy_is_credibility_a_or_n() -> None:
    names = ["industrial_risk", "management_risk", "financial_flexibility", "credibility"]
    booleanizer = Booleanizer("paper").fit(pd.DataFrame({name: ["P", "A", "N"] for name in names}))
    column = booleanizer.columns_[10]
    assert column.text() == "credibility in {A, N}"
    assert column.text(negated=True) == "credibility not in {A, N}"
    assert column.value == ("A", "N")


def test_every_kind_of_feature() -> None:
    frame = pd.DataFrame(
        {
            "number": [2.5, 1.0, 2.5],
            "text": ["b", "a", "c"],
            "flag": [True, False, True],
            "rank": pd.Categorical(["lo", "hi", "lo"], categories=["lo", "mid", "hi"], ordered=True),
        }
    )
    booleanizer = Booleanizer("paper", max_columns=1).fit(frame)
    assert [str(column) for column in booleanizer.columns_] == [
        "number <= 1",
        "number <= 2.5",
        "text is a",
        "text in {a, b}",
        "text in {a, b, c}",
        "flag <= 0",
        "flag <= 1",
        "rank <= lo",
        "rank <= hi",
    ]
    assert booleanizer.transform(frame).tolist() == [
        [0, 1, 0, 1, 1, 0, 1, 1, 1],
        [1, 1, 1, 1, 1, 1, 1, 0, 1],
        [0, 1, 0, 0, 1, 0, 1, 1, 1],
    ]


def test_too_many_categories_to_list_are_refused() -> None:
    names = np.array([f"id{i:05}" for i in range(3200)], dtype=object).reshape(-1, 1)
    with pytest.raises(ValueError, match="mode='auto'"):
        Booleanizer("paper").fit(names)
    assert len(Booleanizer(categorical_features=[0]).fit(names).columns_) == 16
