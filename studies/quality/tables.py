"""The tables of the comparison: the paper's five, public ones, those of scikit-learn, and generated ones.

`parts(name, split)` returns X_train, X_test, y_train, y_test: X is a pandas DataFrame, y has whole numbers
from 0. A table of fixed rows is split 80/20, stratified, with the index of the split as the seed; a generated
one is made anew from that index, unless it stands for one real table. The comparison chooses nothing from the
paper's five. Tables in OPTIONAL are used only if named; tables in NEED_FILES are read from the folder
of studies/data.py. Not here: the generators that the study of the defaults uses too (defaults/tables.py).
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.model_selection import train_test_split

from studies.data import PAPER_DATA, data_folder, load
from studies.defaults import tables as others

Parts = tuple[pd.DataFrame, pd.DataFrame, NDArray[np.int64], NDArray[np.int64]]
OPTIONAL = ("Adult, all rows", "Digits")
MULTI_CLASS = ("Wine", "Iris", "Digits")
NEED_FILES = {
    "Bankruptcy": "bankruptcy.csv",
    "German credit": "german_credit.csv",
    "Adult": "adult.csv.gz",
    "Adult, all rows": "adult.csv.gz",
}


def parts(name: str, split: int) -> Parts:
    """The training and the test part of one split."""
    X_train, X_test, y_train, y_test = maker(name)(split)
    classes = np.unique(np.concatenate([y_train, y_test]))
    return (
        frame(X_train),
        frame(X_test),
        np.searchsorted(classes, y_train),
        np.searchsorted(classes, y_test),
    )


def missing_file(name: str) -> str | None:
    """The file that a table needs and the folder of data does not have."""
    file = NEED_FILES.get(name)
    return None if file is None or (data_folder() / file).is_file() else file


def maker(name: str) -> Callable[[int], Any]:
    if name in PAPER_DATA:
        return lambda split: _stratified(load(name).frame, load(name).y, split)
    if name not in _MAKERS:
        raise ValueError(f"The table must be one of {'; '.join(NAMES + OPTIONAL)}. Got {name!r}.")
    return _MAKERS[name]


def _stratified(X: Any, y: Any, split: int) -> Any:
    return train_test_split(X, y, test_size=0.2, random_state=split, stratify=y)


def frame(X: Any) -> pd.DataFrame:
    """A DataFrame with named columns and rows from 0."""
    if isinstance(X, pd.DataFrame):
        return X.reset_index(drop=True)
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])


def _adult(split: int) -> Any:
    """2,000 training rows and 8,000 test rows, without the column that says how others split the table."""
    X_train, X_test, y_train, y_test = others.adult(split)
    return X_train.drop(columns="split"), X_test.drop(columns="split"), y_train, y_test


def _adult_all(split: int) -> Any:
    """All 48,842 rows, a fifth of them for the test."""
    X, y = others.adult_table()
    return _stratified(X.drop(columns="split"), y, split)


def _of_scikit_learn(loader: Any, above_median: bool = False) -> Callable[[int], Any]:
    def make(split: int) -> Any:
        X, y = loader(return_X_y=True, as_frame=True)
        return _stratified(X, (y > y.median()) if above_median else y, split)

    return make


# --- tables of all possible rows ---


def _monk(number: int, noise: float) -> Callable[[int], Any]:
    """The MONK problems, all 432 rows; noise flips labels of the training part only."""

    def make(split: int) -> Any:
        values = np.array(list(product(*(range(1, 1 + n) for n in (3, 3, 2, 3, 4, 2)))))
        a1, a2, _, a4, a5, _ = values.T
        y = {
            1: (a1 == a2) | (a5 == 1),
            2: (values == 1).sum(1) == 2,
            3: ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3)),
        }[number]
        X = pd.DataFrame(values, columns=[f"a{i}" for i in range(1, 7)]).astype(str)
        X_train, X_test, y_train, y_test = _stratified(X, y, split)
        flipped = np.random.default_rng(split).random(len(y_train)) < noise
        return X_train, X_test, y_train ^ flipped, y_test

    return make


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _won(board: str, player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in LINES)


def final_boards() -> list[str]:
    """The 958 boards at the end of a game of tic-tac-toe in which x moves first; b is blank."""
    boards, final = {"b" * 9}, set()
    for move in range(9):
        player = "xo"[move % 2]
        boards = {b[:i] + player + b[i + 1 :] for b in boards for i in range(9) if b[i] == "b"}
        final |= {board for board in boards if _won(board, player) or move == 8}
        boards -= final
    return sorted(final)


def _tic_tac_toe(split: int) -> Any:
    boards = final_boards()
    X = pd.DataFrame([list(board) for board in boards], columns=[f"square{i}" for i in range(1, 10)])
    return _stratified(X, np.array([_won(board, "x") for board in boards]), split)


# --- tables of random rows ---


def _drawn(rng: np.random.Generator, log_odds: Any) -> Any:
    """Labels that are drawn with these log-odds."""
    return rng.random(len(log_odds)) < 1 / (1 + np.exp(-log_odds))


def _special_codes(split: int) -> Any:
    """4,800 noisy rows of 23 numbers, as in credit data; -7, -8 and -9 stand for kinds of no value."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(4800, 4))
    X = np.round(50 + 15 * (0.6 * hidden @ rng.normal(size=(4, 23)) + rng.normal(size=(4800, 23))))
    X = np.clip(X, 0, None)
    score = 0.9 * hidden[:, 0] - 0.6 * hidden[:, 1] + 0.02 * (X[:, 3] - 50) - 0.02 * (X[:, 7] - 50)
    for code, column, share in ((-7, 3, 0.3), (-8, 7, 0.2), (-8, 11, 0.2), (-9, 15, 0.1)):
        coded = rng.random(4800) < share
        X[coded, column] = code
        score[coded] += {-7: 0.8, -8: -0.5, -9: 0.0}[code]
    X[rng.random(4800) < 0.05] = -9  # a customer without a record
    return _stratified(X, _drawn(rng, 1.4 * score), split)


def _few_distinct(split: int) -> Any:
    """2,201 rows of three categories, 14 of them distinct, with shares and rates as on the Titanic."""
    rng = np.random.default_rng(0)
    cells = [(c, "adult", s) for c in ("1st", "2nd", "3rd", "crew") for s in ("male", "female")]
    cells += [(c, "child", s) for c in ("1st", "2nd", "3rd") for s in ("male", "female")]
    rows = np.repeat(np.arange(14), [175, 144, 168, 93, 462, 165, 862, 23, 5, 1, 11, 13, 48, 31])
    rate = np.array([0.33, 0.97, 0.08, 0.86, 0.16, 0.46, 0.22, 0.87, 0.95, 0.95, 0.95, 0.95, 0.27, 0.45])
    X = pd.DataFrame([cells[i] for i in rows], columns=["class", "age", "sex"])
    return _stratified(X, rng.random(len(rows)) < rate[rows], split)


def _imbalanced(split: int) -> Any:
    """About one positive row in twelve."""
    rng = np.random.default_rng(split)
    X = rng.normal(size=(3000, 10))
    score = 1.2 * X[:, 0] + 0.9 * X[:, 1] + 1.5 * ((X[:, 2] > 0.5) & (X[:, 3] < 0)) - 4
    return train_test_split(X, _drawn(rng, score), train_size=1500, random_state=split)


def _sums(split: int) -> Any:
    """Whether one sum of two small whole numbers is larger than another; no noise."""
    rng = np.random.default_rng(split)
    X = rng.integers(1, 8, size=(1500, 6))
    return train_test_split(X, X[:, 0] + X[:, 1] > X[:, 2] + X[:, 3], train_size=500, random_state=split)


def _weak_signal(split: int) -> Any:
    """A smooth score of twelve numbers, each of which says little."""
    rng = np.random.default_rng(split)
    X = rng.normal(size=(1600, 12))
    score = X @ np.array([0.5, -0.4, 0.3, 0.3, -0.2, 0.2, 0.1, -0.1, 0, 0, 0, 0])
    return train_test_split(X, _drawn(rng, score), train_size=600, random_state=split)


def _noisy_scorecard(split: int) -> Any:
    """Labels drawn from a scorecard of eight conditions on categories and numbers."""
    rng = np.random.default_rng(split)
    letters = pd.DataFrame(rng.choice(list("abcd"), (1600, 4)), columns=[f"c{i}" for i in range(4)])
    numbers = pd.DataFrame(rng.uniform(0, 10, (1600, 6)), columns=[f"x{i}" for i in range(6)])
    points = 2 * (letters["c0"] == "a") - 3 * (letters["c1"] == "b") + 1 * (letters["c1"] == "c")
    points += 3 * (numbers["x0"] > 7) + 2 * (numbers["x0"] > 3) - 2 * (numbers["x1"] > 5)
    points += 2 * (numbers["x2"] <= 2) + 1 * (numbers["x3"] > 8)
    y = _drawn(rng, 0.8 * (points.to_numpy() - 1))
    return train_test_split(letters.join(numbers), y, train_size=600, random_state=split)


_MAKERS: dict[str, Callable[[int], Any]] = {
    "German credit": others.german,
    "Adult": _adult,
    "Wisconsin": _of_scikit_learn(datasets.load_breast_cancer),
    "Diabetes": _of_scikit_learn(datasets.load_diabetes, above_median=True),
    "MONK-1": _monk(1, noise=0.05),
    "MONK-2": _monk(2, noise=0.0),
    "MONK-3": _monk(3, noise=0.05),
    "Tic-tac-toe": _tic_tac_toe,
    "Special codes": _special_codes,
    "Few distinct rows": _few_distinct,
    "Imbalanced": _imbalanced,
    "Sums": _sums,
    "Weak signal": _weak_signal,
    "Noisy scorecard": _noisy_scorecard,
    "Boxes": others.boxes,
    "XOR": others.xor,
    "Clusters": others.clusters(2),
    "Wine": _of_scikit_learn(datasets.load_wine),
    "Iris": _of_scikit_learn(datasets.load_iris),
    "Digits": _of_scikit_learn(datasets.load_digits),
    "Adult, all rows": _adult_all,
}
NAMES = (*PAPER_DATA, *(name for name in _MAKERS if name not in OPTIONAL))
