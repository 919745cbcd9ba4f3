"""Held-out rows and what is said about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
import typer

from clausal import TsetlinClassifier
from clausal.cli.commands.fit import check_training_options, train
from clausal.cli.options import TrainingOptions
from clausal.cli.screen import Screen
from clausal.tables.table_file import CsvTable

TableOf = Callable[[str], CsvTable]
ROWS = "x,y\n" + "".join(f"{i},{'abc'[min(i // 10, 2)]}\n" for i in range(50))


def trained_on(file: CsvTable, **options: object) -> list[Counter[str]]:
    """The classes of the rows of each training, one or two of them."""
    seen: list[Counter[str]] = []

    def fit(X: object, y: np.ndarray, pos_label: object) -> TsetlinClassifier:
        seen.append(Counter(y.tolist()))
        return TsetlinClassifier(2, n_epochs=1, random_state=0).fit(X, y)

    train(TrainingOptions(table="t.csv", target="y", **options), file, fit, Screen(quiet=True))
    return seen


def test_the_same_share_of_each_class_is_held_out(table_of: TableOf):
    assert trained_on(table_of(ROWS)) == [Counter(a=8, b=8, c=24)]
    assert trained_on(table_of(ROWS), test_size=0.5) == [Counter(a=5, b=5, c=15)]
    assert trained_on(table_of(ROWS), no_test=True) == [Counter(a=10, b=10, c=30)]


def test_a_very_small_share_still_holds_out_a_row_of_each_class(table_of: TableOf):
    (counts,) = trained_on(table_of(ROWS), test_size=0.01)
    assert counts.total() == 47


def test_a_class_of_one_row_needs_no_test(table_of: TableOf):
    rows = ROWS + "99,d\n"
    with pytest.raises(ValueError, match="Got 1 row of d"):
        trained_on(table_of(rows))
    assert trained_on(table_of(rows), no_test=True)[0]["d"] == 1


def test_refit_trains_again_on_all_rows_where_a_model_is_saved(table_of: TableOf, tmp_path):
    counts = trained_on(table_of(ROWS), refit=True, model=str(tmp_path / "m.json"))
    assert [count.total() for count in counts] == [40, 50]


@pytest.mark.parametrize("refit", [True, False])
def test_the_report_says_if_another_model_is_saved(table_of: TableOf, tmp_path, refit: bool):
    page = tmp_path / "r.html"
    trained_on(table_of(ROWS), refit=refit, model=str(tmp_path / "m.json"), report=str(page))
    said = "<dt>Saved model</dt><dd>Not the one on this page. It was trained again, on all rows"
    assert (said in page.read_text(encoding="utf-8")) == refit


@pytest.mark.parametrize("option", [{"report": "r.html"}, {"refit": True}])
def test_without_held_out_rows_nothing_can_be_judged(option: dict):
    with pytest.raises(typer.BadParameter, match="held-out rows"):
        check_training_options(TrainingOptions(table="t.csv", target="y", no_test=True, **option))
