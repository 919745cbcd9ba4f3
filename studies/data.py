"""The data sets of the studies: the paper's five, Liver with its other label, Bankruptcy with groups.

A data set has three views: `cells`, what the paper's binarization reads (numbers as in the file, categories
as text and so in alphabetical order); `frame`, with types and names of categories; `numbers`, with a column
of 0 and 1 per declared category, for classifiers that read numbers. No row has a missing value. Not here: how
rows are split, and the tables that only one study uses (defaults/tables.py).
"""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from clausal import datasets

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PAPER_DATA = ("Bankruptcy", "Balance Scale", "Breast Cancer", "Liver Disorders", "Heart Disease")
LIVER_SELECTOR = "Liver Disorders (selector)"
BANKRUPTCY_GROUPED = "Bankruptcy (grouped)"
SWEEP_DATA = (*PAPER_DATA, LIVER_SELECTOR)
COMPARISON_DATA = (*PAPER_DATA, LIVER_SELECTOR, BANKRUPTCY_GROUPED)


@dataclass(frozen=True)
class Data:
    """One data set. Class 1 is the positive class of the paper; rows of a group differ only in the label."""

    name: str
    cells: Any  # (n_rows, n_features), float64 or object
    frame: Any  # (n_rows, n_features), a pandas DataFrame
    numbers: Any  # (n_rows, n_columns), float64
    y: Any  # (n_rows,), int64
    groups: Any  # (n_rows,), int64; None where rows are split at random


@lru_cache
def load(name: str) -> Data:
    """The data set with this name. The file of Bankruptcy is not part of clausal; see `data_folder`."""
    loader, options = _source(name)
    cells, y = loader(return_X_y=True, **options)
    frame, _ = loader(return_X_y=True, as_frame=True, **options)
    groups = None
    if name == BANKRUPTCY_GROUPED:
        groups = np.unique(cells.astype(str), axis=0, return_inverse=True)[1].ravel()
    frame = frame.reset_index(drop=True)
    numbers = pd.get_dummies(frame).to_numpy(np.float64)
    return Data(name, cells, frame, numbers, np.asarray(y), groups)


def data_folder() -> Path:
    """The folder of files that are not part of clausal: CLAUSAL_DATA, otherwise ../shared/data."""
    return Path(os.environ.get("CLAUSAL_DATA", SHARED))


def _source(name: str) -> tuple[Any, dict[str, Any]]:
    match name:
        case "Bankruptcy" | "Bankruptcy (grouped)":
            file = data_folder() / "bankruptcy.csv"  # if it is missing: the cache of clausal, or a download
            return datasets.load_bankruptcy, {"path": file if file.is_file() else None}
        case "Balance Scale":
            return datasets.load_balance_scale, {}
        case "Breast Cancer":
            return datasets.load_breast_cancer, {"drop_missing": True}
        case "Liver Disorders":
            return datasets.load_liver_disorders, {"target": "drinks"}
        case "Liver Disorders (selector)":
            return datasets.load_liver_disorders, {"target": "selector"}
        case "Heart Disease":
            return datasets.load_heart_disease, {}
    raise ValueError(f"The data set must be one of {', '.join(COMPARISON_DATA)}. Got {name!r}.")
