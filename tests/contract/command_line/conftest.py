"""A table and two models of it for all commands, and ways to make examples quick."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import clausal
from clausal import Booleanizer
from clausal.cli.commands.fit import FitOptions
from tests.support.command_line import QUICK, SCORECARD, done, write_patients


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, as CSV and as Parquet, and two models of it."""
    folder = tmp_path_factory.mktemp("files")
    write_patients(folder / "patients.csv")
    frame = pl.read_csv(folder / "patients.csv", null_values="?")
    frame.write_parquet(folder / "patients.parquet")
    done("fit", folder / "patients.csv", "--target", "class", *SCORECARD, "--model", folder / "card.json")
    done("fit", folder / "patients.csv", "--target", "class", *QUICK, "--model", folder / "machine.json")
    return folder


@pytest.fixture
def patients(folder: Path) -> Path:
    return folder / "patients.csv"


@pytest.fixture
def quick_scorecards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scorecards of one small machine, so that examples take no time."""

    def quick(options: FitOptions, screen: Any, X: Any, y: Any, pos_label: Any, known: Any = None) -> Any:
        settings: dict[str, Any] = {"threshold": 10, "n_epochs": 5, "booleanizer": Booleanizer(max_columns=6)}
        settings["pos_label"] = pos_label
        machine = clausal.TsetlinClassifier(10, **settings)
        clf = clausal.RuleClassifier(machine, max_literals=options.max_literals, cv=2, random_state=0)
        return clf.fit(X, y) if known is None else known.finished(clf.fit(X, y))

    for command in ("fit", "demo"):
        monkeypatch.setattr(f"clausal.cli.commands.{command}.fit_scorecard", quick)


@pytest.fixture
def quick_tuning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tuning that tries one setting, the default."""

    def quick(X: Any, y: Any, **settings: Any) -> Any:
        return clausal.tune(
            X, y, **{**settings, "n_candidates": 1, "cv": 2, "n_jobs": 1, "time_budget": None}
        )

    monkeypatch.setattr("clausal.cli.commands.tune.tune_settings", quick)
