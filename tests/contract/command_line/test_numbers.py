"""`clausal fit --task numbers` and the other commands on its model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import clausal
from tests.support.command_line import clausal_run, done, fails

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of prices, one of them missing, and a model of it."""
    path = tmp_path_factory.mktemp("numbers")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.integers(20, 200, 150), "town": rng.choice(["a", "b"], 150)})
    price = 100.5 + 50.0 * (table["size"] > 90) + 30.0 * (table["town"] == "b") + rng.normal(size=150)
    table["price"] = price.where(np.arange(150) != 3)
    table.to_csv(path / "houses.csv", index=False)
    result = done(
        *("fit", path / "houses.csv", "--target", "price", "--task", "numbers"),
        *("--max-literals", "4", "--monotonic", "size=+", "--model", path / "model.json"),
    )
    assert "RMSE" in result.output
    assert "95 % interval" in result.output
    assert "half of them at most" in result.output
    return path


def test_the_model_is_that_of_python(folder: Path) -> None:
    model = clausal.load(folder / "model.json")
    assert isinstance(model, clausal.RuleRegressor)
    assert model.monotonic_cst == {"size": 1}
    table = pd.read_csv(folder / "houses.csv")
    known = table["price"].notna()
    assert model.score(table.loc[known, ["size", "town"]], table.loc[known, "price"]) > 0.9
    done("predict", folder / "model.json", folder / "houses.csv", "--output", folder / "scored.csv")
    scored = pd.read_csv(folder / "scored.csv")
    np.testing.assert_allclose(scored["prediction"], model.predict(table[["size", "town"]]))
    assert scored["vote"].tolist() == model.votes(table[["size", "town"]]).tolist()
    for command in ("rules", "info"):
        done(command, folder / "model.json")
    shown = done("explain", folder / "model.json", folder / "houses.csv", "--row", "2").output
    assert "Predicts" in shown
    assert "CASE WHEN" in done("export", folder / "model.json", "--to", "sql").output


def test_losses_and_what_does_not_go_together(folder: Path) -> None:
    start = ("fit", folder / "houses.csv", "--target", "price", "--max-literals", "2", "--no-test")
    done(*start, "--task", "numbers", "--loss", "quantile", "--quantile", "0.9", "--model", folder / "q.json")
    assert clausal.load(folder / "q.json").quantile == 0.9
    shown = done(*start[:-1], "--task", "numbers", "--loss", "quantile", "--quantile", "0.9").output
    assert "Share not above" in shown
    assert "R²" not in shown
    assert "classes or numbers" in clausal_run(*start, "--task", "regression").output
    for option in (("--machine", "--share-clauses"), ("--positive", "1"), ("--scoring", "f1")):
        assert clausal_run(*start[:-1], "--task", "numbers", *option).exit_code == 2
    assert clausal_run(*start, "--loss", "quantile").exit_code == 2
    of_zero = (*start, "--task", "numbers", "--loss", "quantile", "--quantile", "0")
    assert "quantile" in fails(*of_zero)
    for loss in ((), ("--loss", "squared_error")):
        refused = clausal_run(*start, "--task", "numbers", "--quantile", "0.9", *loss)
        assert refused.exit_code == 2
        assert "only with --loss quantile" in refused.output
    (folder / "card.toml").write_text('pos_label = "high"')
    said = fails(*start, "--task", "numbers", "--knowledge", folder / "card.toml")
    assert "Knowledge of numbers must not have 'pos_label'. Got 'high'" in said
    (folder / "card.toml").write_text("[scale]\nbase_score = 600\nbase_odds = 50\npoints_to_double = 20\n")
    said = fails(*start, "--task", "numbers", "--knowledge", folder / "card.toml")
    assert "Knowledge of numbers must not have 'scale'. Got {" in said
    assert "predict numbers with clausal fit --task numbers" in fails(*start)
    said = fails("fit", folder / "houses.csv", "--target", "town", "--task", "numbers")
    assert "The target 'town' must hold numbers" in said


def test_reports_of_a_fit_and_of_a_saved_model(folder: Path) -> None:
    page = folder / "r.html"
    start = ("fit", folder / "houses.csv", "--target", "price", "--task", "numbers")
    done(*start, "--max-literals", "2", "--report", page)
    assert "Model report: price" in page.read_text(encoding="utf-8")
    houses = ("report", folder / "model.json", folder / "houses.csv", "--target")
    shown = done(*houses, "price", "--train", folder / "houses.csv", "--output", page)
    assert "1 row without a value of 'price' ignored" in shown.output
    text = page.read_text(encoding="utf-8")
    assert "tested on 149 rows" in text
    assert "row number in houses.csv" in text
    assert "The target 'town' must hold numbers" in fails(*houses, "town", "--output", page)
    assert "protected must be None" in fails(*houses, "price", "--protected", "town", "--output", page)


def test_a_machine_learns_numbers_and_all_commands_take_it(folder: Path) -> None:
    table, model, page = folder / "houses.csv", folder / "machine.json", folder / "m.html"
    start = ("fit", table, "--target", "price", "--task", "numbers", "--machine", "--clauses", "40")
    shown = done(*start, "--epochs", "20", "--monotonic", "size=+", "--report", page, "--model", model).output
    assert "RMSE" in shown
    reg = clausal.load(model)
    assert isinstance(reg, clausal.TsetlinRegressor)
    assert (reg.n_clauses, reg.n_epochs, reg.monotonic_cst) == (40, 20, {"size": 1})
    assert "A Tsetlin machine of" in page.read_text(encoding="utf-8")
    done("predict", model, table, "--output", folder / "scored.csv")
    rows = pd.read_csv(table)
    known = rows["price"].notna()
    assert reg.score(rows.loc[known, ["size", "town"]], rows.loc[known, "price"]) > 0.8
    predicted = pd.read_csv(folder / "scored.csv")["prediction"]
    np.testing.assert_allclose(predicted, reg.predict(rows[["size", "town"]]))
    for command in ("rules", "info"):
        done(command, model)
    assert "Predicts" in done("explain", model, table, "--row", "2").output
    assert "CASE WHEN" in done("export", model, "--to", "sql").output
    done("report", model, table, "--target", "price", "--output", page)


def test_a_machine_of_a_quantile(folder: Path) -> None:
    start = ("fit", folder / "houses.csv", "--target", "price", "--task", "numbers", "--machine")
    model = folder / "quantile.json"
    shown = done(*start, "--clauses", "20", "--epochs", "5", "--loss", "quantile", "--model", model).output
    assert "Quantile loss" in shown
    assert (clausal.load(model).loss, clausal.load(model).quantile) == ("quantile", 0.5)


@pytest.mark.parametrize("machine", [(), ("--machine",)])
def test_knowledge_of_classes_is_refused(folder: Path, machine: tuple[str, ...]) -> None:
    (folder / "card.toml").write_text('pos_label = "a"\n')
    start = ("fit", folder / "houses.csv", "--target", "price", "--task", "numbers", *machine)
    assert "must not have 'pos_label'" in fails(*start, "--knowledge", folder / "card.toml")
