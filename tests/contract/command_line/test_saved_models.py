"""Commands that read a saved model: predict, rules, explain, report and export."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

import clausal
from clausal.export import TARGETS
from tests.support.command_line import QUICK, SCORECARD, clausal_run, done, fails
from tests.support.small_data import quick


@pytest.mark.parametrize("name", ["card.json", "machine.json"])
def test_predictions_are_the_models_own(folder: Path, patients: Path, tmp_path: Path, name: str):
    out = tmp_path / "scored.csv"
    done("predict", folder / name, patients, "--output", out)
    scored, clf = pl.read_csv(out), clausal.load(folder / name)
    X = pl.read_csv(patients, null_values="?").drop("class")
    assert scored["prediction"].to_list() == clf.predict(X).tolist()
    assert scored["vote"].to_list() == clf.votes(X).tolist()
    np.testing.assert_array_equal(scored["probability_well"].to_numpy(), clf.predict_proba(X)[:, 1])
    assert scored.drop("prediction", "vote", "probability_well").equals(pl.read_csv(patients))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_several_labels_have_a_column_each(patients: Path, tmp_path: Path, suffix: str):
    X = pl.read_csv(patients, null_values="?").drop("class")
    late = np.arange(len(X)) % 2
    y = pl.DataFrame({"late": late, "long": (X["age"].fill_null(0).to_numpy() > 50).astype(int)})
    clf = quick(sharing="clauses").fit(X, y)
    clf.save(tmp_path / "labels.json")
    out = tmp_path / f"scored.{suffix}"
    done("predict", tmp_path / "labels.json", patients, "--output", out)
    scored = pl.read_csv(out) if suffix == "csv" else pl.read_parquet(out)
    kinds = ("prediction", "vote", "probability")
    assert [name for name in scored.columns if name.startswith(kinds)] == [
        f"{kind}_{label}" for kind in kinds for label in ("late", "long")
    ]
    assert np.array_equal(scored.select("prediction_late", "prediction_long").to_numpy(), clf.predict(X))
    probabilities = scored.select("probability_late", "probability_long").to_numpy()
    np.testing.assert_array_equal(probabilities, clf.predict_proba(X))


def test_predict_reads_and_writes_both_formats_and_standard_streams(
    folder: Path, patients: Path, tmp_path: Path
):
    model = folder / "card.json"
    text = done("predict", model, patients).stdout
    assert done("predict", model, "-", input=patients.read_bytes()).stdout == text
    votes = pl.read_csv(text.encode())["vote"]
    for source in ("patients.csv", "patients.parquet"):
        done("predict", model, folder / source, "--output", tmp_path / "scored.parquet")
        scored = pl.read_parquet(tmp_path / "scored.parquet")
        assert scored["vote"].equals(votes)
        assert scored["age"].dtype == pl.Int64


def test_unknown_values_are_counted_and_further_columns_kept(folder: Path, tmp_path: Path):
    table = tmp_path / "new.csv"
    table.write_text("note,class,dose,smoker,colour,age\nx,,1.5,true,pink,30\ny,,?,,red,\n")
    result = done("predict", folder / "machine.json", table)
    (warning,) = (line for line in result.stderr.splitlines() if "not seen in training" in line)
    assert "Values in 2 rows" in warning
    assert "age missing (1 row); colour 'pink' (1 row); smoker missing (1 row)" in warning
    assert [line.split(",")[0] for line in result.stdout.splitlines()] == ["note", "x", "y"]


def test_explanations_show_only_columns_that_rules_test(folder: Path, patients: Path):
    clf = clausal.load(folder / "card.json")
    unused = [name for i, name in enumerate(clf.feature_names_in_) if i not in clf.rules_.used_features]
    assert unused
    shown = done("explain", folder / "card.json", patients, "--row", "1").stdout
    assert "\nValues: " in shown
    assert not any(f"{name} = " in shown for name in unused)


def test_info_lists_what_a_model_file_holds(folder: Path):
    clf = clausal.load(folder / "machine.json")
    shown = done("info", folder / "machine.json").stdout
    n_values = sum(len(getattr(feature, "categories", ())) for feature in clf.encoding_.features)
    assert f"The file holds {n_values} values of categories and no rows." in shown
    assert all(name in shown for name in clf.feature_names_in_)
    assert "red" in shown


def test_a_scored_table_is_not_scored_again(folder: Path, patients: Path, tmp_path: Path):
    done("predict", folder / "card.json", patients, "--output", tmp_path / "scored.csv")
    line = fails("predict", folder / "card.json", tmp_path / "scored.csv")
    assert "must not have a column 'prediction', which predict adds. With --prefix" in line


def test_the_predictions_of_a_second_model_have_names_of_their_own(
    folder: Path, patients: Path, tmp_path: Path
):
    done("predict", folder / "card.json", patients, "--output", tmp_path / "scored.csv")
    done(
        *("predict", folder / "machine.json", tmp_path / "scored.csv"),
        *("--prefix", "other_", "--output", tmp_path / "both.csv"),
    )
    added = ["prediction", "vote", "probability_well"]
    both = pl.read_csv(tmp_path / "both.csv")
    assert both.columns[-6:] == [*added, *(f"other_{name}" for name in added)]
    X = pl.read_csv(patients, null_values="?").drop("class")
    assert both["other_vote"].to_list() == clausal.load(folder / "machine.json").votes(X).tolist()


def test_rules_are_the_models_own(folder: Path):
    for name in ("card.json", "machine.json"):
        assert clausal.load(folder / name).rules_.to_text() in done("rules", folder / name).stdout


def test_explanations_are_the_models_own(folder: Path, patients: Path):
    clf = clausal.load(folder / "machine.json")
    X = pl.read_csv(patients, null_values="?").drop("class")
    result = done("explain", folder / "machine.json", patients, "--row", "3", "--row", "1", "--fixed", "age")
    for row in (3, 1):
        (explanation,) = clf.explain(X[row - 1 : row], fixed=["age"])
        assert f"Row {row}: {explanation}" in result.stdout
    first = done("explain", folder / "machine.json", patients)
    assert first.stdout.count("Row ") == 5
    assert "75 more rows" in first.stderr


def test_a_column_to_fix_is_one_of_the_file(folder: Path, patients: Path):
    explain = ("explain", folder / "machine.json", patients, "--row", "1")
    line = fails(*explain, "--fixed", "colr")
    assert "no column 'colr'. Its columns are age, colour" in line
    assert line.endswith("Did you mean 'colour'?")
    result = done(*explain, "--fixed", "class")
    assert "Column 'class' is not used by the model" in result.stderr
    assert result.stdout == done(*explain).stdout


def test_a_report_is_written_of_a_saved_model(folder: Path, patients: Path, tmp_path: Path):
    out = tmp_path / "r.html"
    args = ("report", folder / "card.json", patients, "--target", "class", "--train", patients, "-o", out)
    written = done(*args)
    page = out.read_text(encoding="utf-8")
    assert "rows of" in written.stderr
    assert "it looks better than it is" in written.stderr
    assert all(str(rule).split()[0] in page for rule in clausal.load(folder / "card.json").rules_)


def test_exported_sql_scores_as_the_model_does(folder: Path, patients: Path):
    for name in ("card.json", "machine.json"):
        query = done("export", folder / name, "--to", "sql", "--table", "patients").stdout
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE patients AS FROM read_csv('{patients}', nullstr='?')")
            votes = [row[0] for row in connection.execute(f'SELECT "vote" FROM ({query})').fetchall()]
        X = pl.read_csv(patients, null_values="?").drop("class")
        assert votes == clausal.load(folder / name).votes(X).tolist()


@pytest.mark.parametrize("to", [to for to in TARGETS if to not in ("sql", "excel")])
@pytest.mark.parametrize("name", ["card.json", "machine.json"])
def test_an_export_is_that_of_python(folder: Path, tmp_path: Path, name: str, to: str):
    clf = clausal.load(folder / name)
    done("export", folder / name, "--to", to, "--output", tmp_path / "exported")
    written, expected = (tmp_path / "exported").read_bytes(), clf.export(to)
    assert written == expected if to == "onnx" else written.decode() == expected.rstrip("\n") + "\n"


def test_options_of_a_target_are_passed_on(folder: Path):
    assert "int risk_score(" in done("export", folder / "card.json", "--to", "c", "--name", "risk").stdout
    query = done("export", folder / "card.json", "--to", "sql", "--probability", "risk").stdout
    assert 'AS "risk"' in query
    wrong = fails("export", folder / "card.json", "--to", "python", "--name", "risk")
    assert "--name must not be given with --to python. Got 'risk'." in wrong


def test_exported_json_and_markdown_are_the_rules(folder: Path, tmp_path: Path):
    rules = clausal.load(folder / "card.json").rules_
    done("export", folder / "card.json", "--to", "json", "--output", tmp_path / "rules.json")
    assert clausal.RuleSet.from_json((tmp_path / "rules.json").read_text(encoding="utf-8")) == rules
    assert done("export", folder / "card.json", "--to", "markdown").stdout == rules.to_markdown()


HOSTILE = "\x1b]0;x\x07\x1b[2J\u202e[red]"


def test_no_command_sends_what_a_table_says_to_the_terminal(tmp_path: Path):
    """Names, categories and labels with escape sequences are printed as text by every command."""
    rows = [[HOSTILE if k % 2 else "plain", k % 7, "bad" + HOSTILE if k % 2 else "good"] for k in range(60)]
    table = pl.DataFrame(rows, schema=["kind" + HOSTILE, "n" + HOSTILE, "outcome"], orient="row")
    table.write_csv(tmp_path / "t.csv")
    model, asked = tmp_path / "m.json", ("--target", "outcome")
    fitted = done("fit", tmp_path / "t.csv", *asked, *SCORECARD, "--model", model)
    other = tmp_path / "other.json"
    done("fit", tmp_path / "t.csv", *asked, *QUICK, "--model", other)
    rule = str(clausal.load(model).rules_[0])
    outputs = [
        fitted,
        done("rules", model),
        done("info", model),
        done("explain", model, tmp_path / "t.csv"),
        done("report", model, tmp_path / "t.csv", *asked, "--output", tmp_path / "r.html"),
        done("compare", model, other, tmp_path / "t.csv", *asked),
        done("monitor", model, tmp_path / "t.csv", tmp_path / "t.csv", *asked),
        done("edit", model, "--drop-rule", rule, "--data", tmp_path / "t.csv", *asked),
        clausal_run("edit", model, "--drop-rule", HOSTILE),
        *(done("export", model, "--to", to) for to in ("text", "markdown", "json", "python", "c")),
        clausal_run("export", model, "--to", "sql"),
    ]
    for result in outputs:
        assert not {"\x1b", "\x07", "\u202e"} & {*result.stdout, *result.stderr}


def test_explanations_may_have_the_points_that_were_lost(folder: Path, patients: Path):
    asked = ("explain", folder / "card.json", patients, "--row", "3")
    shown = done(*asked, "--lost-points").stdout
    clf = clausal.load(folder / "card.json")
    (row,) = clf.reasons(pl.read_csv(patients, null_values="?").drop("class")[2:3])
    assert "\n".join(row.lines()) in shown
    assert "Points lost towards" not in done(*asked).stdout
