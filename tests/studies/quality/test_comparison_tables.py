"""The tables of the comparison: sizes, splits, and that the generated ones are what they say."""

import numpy as np
import pytest

from studies.data import PAPER_DATA
from studies.quality.tables import MULTI_CLASS, NAMES, NEED_FILES, OPTIONAL, final_boards, missing_file, parts

OURS = [name for name in NAMES if name not in PAPER_DATA and name not in NEED_FILES]


@pytest.mark.parametrize("name", OURS)
def test_a_table_depends_on_the_split_only_and_its_classes_are_numbered(name):
    first, again, other = parts(name, 0), parts(name, 0), parts(name, 1)
    assert first[0].equals(again[0])
    assert np.array_equal(first[3], again[3])
    assert not (first[0].equals(other[0]) and np.array_equal(first[2], other[2]))
    n_classes = 3 if name in MULTI_CLASS else 2
    assert set(first[2]) == set(range(n_classes))
    assert not first[0].isna().to_numpy().any()


def test_tic_tac_toe_has_958_final_boards_and_x_wins_626():
    boards = final_boards()
    assert len(boards) == len(set(boards)) == 958
    assert {board.count("x") - board.count("o") for board in boards} == {0, 1}
    _, _, y_train, y_test = parts("Tic-tac-toe", 0)
    assert y_train.sum() + y_test.sum() == 626


def test_the_test_part_of_a_monk_problem_has_no_noise():
    X_train, X_test, y_train, y_test = parts("MONK-1", 3)
    for X, y, agreeing in ((X_test, y_test, 1.0), (X_train, y_train, 0.95)):
        truth = (X["a1"] == X["a2"]) | (X["a5"] == "1")
        assert np.mean(truth == y) == pytest.approx(agreeing, abs=0.03)
    assert np.mean(((X_test["a1"] == X_test["a2"]) | (X_test["a5"] == "1")) == y_test) == 1


def test_few_distinct_rows_are_fourteen_of_2201():
    X_train, X_test, *_ = parts("Few distinct rows", 0)
    assert len(X_train) + len(X_test) == 2201
    assert len(X_train.drop_duplicates()) == 14


def test_special_codes_are_negative_and_other_numbers_are_not():
    X_train, X_test, *_ = parts("Special codes", 0)
    assert (len(X_train) + len(X_test), X_train.shape[1]) == (4800, 23)
    cells = X_train.to_numpy()
    assert set(np.unique(cells[cells < 0])) == {-9.0, -8.0, -7.0}


def test_a_table_without_its_file_is_reported(monkeypatch, tmp_path):
    monkeypatch.setenv("CLAUSAL_DATA", str(tmp_path))
    assert missing_file("German credit") == "german_credit.csv"
    assert missing_file("XOR") is None


def test_adult_has_2000_training_rows_and_all_rows_as_an_option(shared_data, monkeypatch):
    monkeypatch.setenv("CLAUSAL_DATA", str(shared_data))
    X_train, X_test, *_ = parts("Adult", 0)
    assert (len(X_train), len(X_test)) == (2000, 8000)
    assert "split" not in X_train
    assert "Adult, all rows" in OPTIONAL
    assert sum(map(len, parts("Adult, all rows", 0)[:2])) == 48842


def test_an_unknown_table_is_refused():
    with pytest.raises(ValueError, match="must be one of Bankruptcy; .* Got 'Moons'"):
        parts("Moons", 0)
