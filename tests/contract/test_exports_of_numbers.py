"""Models that predict numbers, in other languages: the same numbers, votes and rules on every row.

The rows are those of the self-tests, on both sides of every condition, under every policy.
"""

from __future__ import annotations

import io
import json
import math
import operator
import shutil
import subprocess
from dataclasses import astuple
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from clausal import RuleSet
from clausal.export import TARGETS, export_model
from clausal.export.pmml import check_pmml, verification_rows
from clausal.export.self_test import self_test
from clausal.outcome import NumericOutcome
from tests.support.every_condition import POLICIES, TABLE, every_condition

OUTCOMES = (
    NumericOutcome(0.37, 12.5),
    NumericOutcome(1e-3, -7.0, low=-7.2),
    NumericOutcome(3.0, 0.1, -900, 900.5),
)
pytestmark = pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")


def numeric(outcome: NumericOutcome, unknown: str = "no_rule", missing: str = "no_rule") -> RuleSet:
    rules = every_condition(2, unknown, missing).rules_
    return RuleSet(rules, rules.encoding, outcome, rules.constants)


MODELS = [numeric(OUTCOMES[k % 3], *policy) for k, policy in enumerate(POLICIES)]


@pytest.mark.parametrize("rules", MODELS)
def test_python(rules: RuleSet) -> None:
    module: dict[str, Any] = {"__name__": "exported"}
    exec(export_model(rules, "python"), module)
    assert module["self_test"]() == len(self_test(rules))
    accepted = next(row for row in self_test(rules) if row.votes is not None)
    names = [rules.encoding.feature_names[index] for index in sorted(rules.used_features)]
    got = module["score"](dict(zip(names, accepted.values, strict=True)))
    assert set(got) == {"number", "votes", "fires"}
    assert (got["number"], got["votes"]) == (accepted.decided, list(accepted.votes or ()))


@pytest.mark.skipif(shutil.which("node") is None, reason="LEFT OUT: no Node.js")
def test_javascript(tmp_path: Path) -> None:
    imports = []
    for k, rules in enumerate(MODELS):
        (tmp_path / f"m{k}.mjs").write_text(export_model(rules, "javascript"), encoding="utf-8")
        imports.append(f"console.log((await import('./m{k}.mjs')).selfTest());")
    (tmp_path / "all.mjs").write_text("\n".join(imports), encoding="utf-8")
    done = subprocess.run(["node", "all.mjs"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == [str(len(self_test(rules))) for rules in MODELS], done.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="LEFT OUT: no gcc")
@pytest.mark.parametrize("rules", MODELS[::4])
def test_c(rules: RuleSet, tmp_path: Path) -> None:
    (tmp_path / "m.h").write_text(export_model(rules, "c", name="m"), encoding="utf-8")
    main = '#define M_SELF_TEST\n#include "m.h"\nint main(void) { return m_self_test() != 0; }\n'
    (tmp_path / "m.c").write_text(main, encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run(["gcc", *strict, "m.c", "-o", "m", "-lm"], cwd=tmp_path, check=True)
    assert subprocess.run([str(tmp_path / "m")]).returncode == 0


def accepted_rows(rules: RuleSet) -> np.ndarray:
    """The rows of the table that the model does not refuse."""
    rows = []
    for row in range(len(TABLE)):
        try:
            rules.predict(TABLE.iloc[[row]])
            rows.append(row)
        except ValueError:
            continue
    return np.array(rows, int)


@pytest.mark.parametrize("rules", MODELS[::3])
def test_expressions(rules: RuleSet) -> None:
    rows = accepted_rows(rules)
    from clausal.export.document import rule_document
    from clausal.export.expressions import with_predictions

    got = with_predictions(rule_document(rules), TABLE)
    np.testing.assert_allclose(got["prediction"].to_numpy(float)[rows], rules.predict(TABLE.iloc[rows]))
    assert got["vote"].tolist()[rows[0]] == rules.votes(TABLE.iloc[rows[:1]])[0]


@pytest.mark.parametrize("rules", MODELS[::3])
def test_sql(rules: RuleSet) -> None:
    duckdb = pytest.importorskip("duckdb", reason="LEFT OUT: no DuckDB")
    rows = accepted_rows(rules)
    connection = duckdb.connect()
    connection.register("data", TABLE.assign(order=TABLE["order"].astype(str), row=range(len(TABLE))))
    query = f"SELECT row, vote, prediction FROM ({rules.to_sql(keep=['row'])}) ORDER BY row"
    found = connection.sql(query).fetchall()
    np.testing.assert_allclose([found[row][2] for row in rows], rules.predict(TABLE.iloc[rows]), rtol=1e-12)
    assert [found[row][1] for row in rows] == rules.votes(TABLE.iloc[rows]).tolist()
    assert "CASE WHEN" in rules.to_sql() or not math.isfinite(rules.outcome.numbers["low"])


@pytest.mark.parametrize("rules", MODELS)
def test_onnx(rules: RuleSet) -> None:
    pytest.importorskip("onnxruntime", reason="LEFT OUT: no onnxruntime")
    import onnx

    from clausal.export.onnx import NUMBER_OUTPUTS, check_onnx

    model = export_model(rules, "onnx")
    assert check_onnx(model) == len(self_test(rules))
    read = onnx.load_from_string(model)
    assert {output.name for output in read.graph.output} == set(NUMBER_OUTPUTS)
    wrong = next(each for each in read.metadata_props if each.key == "self_test")
    rows = json.loads(wrong.value)
    place = next(k for k, row in enumerate(rows) if row[1] is not None)
    rows[place][2] = math.nextafter(rows[place][2], math.inf)
    wrong.value = json.dumps(rows)
    with pytest.raises(ValueError, match="must be scored as the model does"):
        check_onnx(read.SerializeToString())


PMML_MODELS = [rules for rules in MODELS if "error" not in astuple(rules.encoding.policy)]


@pytest.mark.parametrize("rules", PMML_MODELS)
def test_pmml_says_the_number(rules: RuleSet) -> None:
    text = export_model(rules, "pmml")
    space = "{http://www.dmg.org/PMML-4_4}"
    card = ET.fromstring(text).find(f"{space}Scorecard")
    assert card is not None
    assert card.attrib["useReasonCodes"] == "false"
    assert "reasonCode" not in text
    formula = card.find(f"{space}Output/{space}OutputField[@name='prediction']")
    assert formula is not None
    rows = [row for row in self_test(rules) if row.votes is not None]
    for row, (_, results) in zip(rows, verification_rows(text), strict=True):
        assert results == {"vote": (row.votes or (None,))[0], "prediction": row.decided}
        assert computed(formula[0], results["vote"]) == row.decided
    with pytest.raises(ValueError, match="'target' or 'reference' is for models that predict one cl"):
        export_model(rules, "pmml", target=1)


def computed(expression: ET.Element, vote: float) -> float:
    """The value of an expression of PMML."""
    kind = expression.tag.rpartition("}")[2]
    if kind == "Apply":
        functions = {"+": operator.add, "*": operator.mul, "max": max, "min": min}
        return functions[expression.attrib["function"]](*(computed(each, vote) for each in expression))
    if kind == "Constant":
        return float(expression.text or "nan")
    assert expression.attrib == {"field": "vote"}
    return vote


def test_pmml_in_an_engine() -> None:
    pytest.importorskip("pypmml", reason="LEFT OUT: no pypmml")
    if shutil.which("java") is None:
        pytest.skip("LEFT OUT: no Java")
    for rules in PMML_MODELS[:3]:
        text = export_model(rules, "pmml")
        assert check_pmml(text) == len(verification_rows(text))


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_excel(outcome: NumericOutcome) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="LEFT OUT: no openpyxl")
    rules = numeric(outcome)
    book = openpyxl.load_workbook(io.BytesIO(export_model(rules, "excel")))
    numbers = [book["Lists"].cell(row, 1).value for row in range(2, 6)]
    assert numbers == [n if math.isfinite(n) else "none" for n in outcome.numbers.values()]
    formulas = {str(cell.value) for row in book["Calculation"] for cell in row}
    (first, *_) = (text for text in formulas if "Lists!$A$3+Lists!$A$2*" in text)
    assert ("MAX(Lists!$A$4," in first, "MIN(Lists!$A$5," in first) == (
        math.isfinite(outcome.low),
        math.isfinite(outcome.high),
    )


def test_excel_in_a_spreadsheet_program() -> None:
    calculated = pytest.importorskip("tests.support.workbooks", reason="LEFT OUT: no openpyxl").calculated
    from clausal.export.excel import check_excel

    if shutil.which("soffice") is None:
        pytest.skip("LEFT OUT: no LibreOffice")
    (data,) = calculated([export_model(MODELS[2], "excel")])
    assert "rows are right" in check_excel(data)


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_takes_numbers(target: str) -> None:
    assert export_model(MODELS[0], target)
