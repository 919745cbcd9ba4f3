"""Names, categories and class labels of a stranger break out of nothing that `export` writes.

Each hostile text is the name of a feature, a category and a class label at once. What is written must have
the shape of the same model with plain texts, give back the hostile text where it keeps it, and score every
row right. Not here: SQL (unit/export/test_sql_quoting.py).
"""

from __future__ import annotations

import ast
import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from clausal import Booleanizer
from clausal.rules.rule import Literal, Override, Rule
from clausal.rules.rule_set import RuleSet
from tests.support.export_scoring import (
    SCORERS,
    Columns,
    ExportedRules,
    installed,
    require_same,
    score_in_model,
)

HOSTILE = [
    "*/ int main(void) { return 1; } /*",
    "??/",
    "\\",
    "a\\\nint x;",
    '"); system("true"); //',
    "'''; raise SystemExit #",
    '"""\nraise SystemExit\n"""',
    "{0} {x} %s %n",
    "${process.exit(3)}",
    "`; process.exit(3); `",
    "</script><script>process.exit(3)</script>",
    "\u2028process.exit(3)",
    "__proto__",
    "constructor",
    "]]> <Evil/> <!-- ",
    '"/><Evil a="',
    "&lt;&#10;",
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(1)",
    "#error no",
    "\u202e gnihtyna \u2066",
    "é ✓ \U0001f600",
    "x" * 500,
    "<missing>",
    "class",
    "vote",
    "label",
]
texts = pytest.mark.parametrize("text", HOSTILE)


def model_of(text: str, other: str = "other") -> tuple[ExportedRules, Columns]:
    """A model whose texts are this one, and rows; a model of the same shape for any text."""
    first, second = sorted([text, other])
    table = pd.DataFrame({text: [first, second, first, None], "n": [1.0, 2.0, 3.0, 4.0]})
    booleanizer = Booleanizer(handle_unknown="no_match").fit(table)
    column = {str(c.kind) + str(c.value): k for k, c in enumerate(booleanizer.columns_)}
    hostile = next(k for name, k in column.items() if name.startswith("is") and name == f"is{text}")
    number = next(k for name, k in column.items() if name.startswith("le"))
    literals = [
        Literal(booleanizer.columns_[k], k, negated) for k, negated in ((hostile, False), (number, True))
    ]
    rules = RuleSet(
        [Rule((literals[0],), 3), Rule((literals[1],), -2), Rule(tuple(literals), 1)],
        booleanizer,
        [other, text],
        [-1],
    ).with_overrides([Override((literals[0], literals[1]), other)])
    rows: Columns = {
        text: ("VARCHAR", [text, other, "unseen", None] * 2),
        "n": ("DOUBLE", [1.0] * 4 + [4.0] * 4),
    }
    return ExportedRules(rules), rows


@texts
@pytest.mark.parametrize("target", ["python", "javascript", "c", "onnx", "pmml"])
def test_rows_are_scored_as_in_the_model(target: str, text: str) -> None:
    if not installed(target):
        pytest.skip(f"LEFT OUT: what runs an export to {target}")
    model, rows = model_of(text)
    require_same(target, score_in_model(model, rows), SCORERS[target](model, rows))


def plain(text: str) -> str:
    """A harmless text that sorts beside "other" as this one does."""
    return "a" if text < "other" else "p"


def both(text: str, to: str) -> tuple[Any, Any]:
    """What is written for a hostile text and for a plain one."""
    return model_of(text)[0].export(to), model_of(plain(text))[0].export(to)


@texts
def test_python_is_the_same_code(text: str) -> None:
    def shape(source: str) -> list[str]:
        return [type(node).__name__ for node in ast.walk(ast.parse(source))]

    hostile, harmless = both(text, "python")
    assert hostile.isascii()
    assert shape(hostile) == shape(harmless)


@texts
def test_javascript_is_the_same_code(text: str) -> None:
    def data_and_code(source: str) -> tuple[Any, str]:
        match = re.search(r"^const model = (.*);$", source, re.MULTILINE)
        assert match is not None
        rows = source[source.index("const rows = [") : source.index("\n];")]
        return json.loads(match[1]), source.replace(match[0], "").replace(rows, "")

    hostile, harmless = both(text, "javascript")
    data, code = data_and_code(hostile)
    assert code == data_and_code(harmless)[1]
    assert data["labels"] == ["other", text]
    assert "</" not in hostile.split("/* Scores one row")[0]


C_TOKEN = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\[0-7]{3})*"|\bx0_\w*|[0-9a-zA-Z_.+]+|\s+|.', re.DOTALL)


def c_tokens(source: str) -> list[str]:
    """The tokens of C, with comments left out and texts and names of members made equal."""
    tokens = (token for token in C_TOKEN.findall(source) if not token.isspace() and token[:2] != "/*")
    return ["text" if token[0] == '"' else "x0" if token.startswith("x0_") else token for token in tokens]


@texts
def test_c_is_the_same_code(text: str) -> None:
    hostile, harmless = both(text, "c")
    assert c_tokens(hostile) == c_tokens(harmless)
    assert "??" not in hostile  # a trigraph
    assert "\\\n" not in hostile


@pytest.mark.parametrize("target", ["c", "onnx", "pmml", "excel"])
def test_what_cannot_be_kept_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match="without (NUL|control characters).* Got 'a.x00b'"):
        model_of("a\0b")[0].export(target)


@texts
def test_pmml_is_the_same_document(text: str) -> None:
    hostile, harmless = (ET.fromstring(written) for written in both(text, "pmml"))
    assert [element.tag for element in hostile.iter()] == [element.tag for element in harmless.iter()]
    attributes = [value for element in hostile.iter() for value in element.attrib.values()]
    assert text in attributes


@texts
def test_onnx_is_the_same_graph(text: str) -> None:
    onnx = pytest.importorskip("onnx")
    hostile, harmless = (onnx.load_from_string(written) for written in both(text, "onnx"))
    operators = [[node.op_type for node in model.graph.node] for model in (hostile, harmless)]
    assert operators[0] == operators[1]
    metadata = {entry.key: json.loads(entry.value) for entry in hostile.metadata_props}
    assert metadata["classes"] == ["other", text]
    assert metadata["inputs"][0]["feature"] == text


@texts
def test_a_workbook_has_the_same_formulas(text: str) -> None:
    openpyxl = pytest.importorskip("openpyxl")

    def formulas(data: bytes) -> dict[tuple[str, str], str]:
        book = openpyxl.load_workbook(io.BytesIO(data))
        cells = (cell for sheet in book for row in sheet.iter_rows() for cell in row)
        return {(cell.parent.title, cell.coordinate): cell.value for cell in cells if cell.data_type == "f"}

    hostile, harmless = both(text, "excel")
    assert formulas(hostile) == formulas(harmless)
    lists = openpyxl.load_workbook(io.BytesIO(hostile))["Lists"]
    assert [lists["A2"].value, lists["A3"].value, lists["B1"].value] == ["other", text, text]
    assert lists["A3"].quotePrefix


def test_what_a_c_header_is_called_is_checked() -> None:
    model, _ = model_of("text")
    for name in ("", "1a", "a b", "a;b", "x" * 62, "é", 3):
        with pytest.raises(ValueError, match="The 'name' parameter of export must be at most 61 letters"):
            model.export("c", name=name)
    assert "risk_score(" in model.export("c", name="risk")


@pytest.mark.skipif(shutil.which("node") is None, reason="LEFT OUT: no node (Node.js)")
def test_a_module_is_checked_by_node(tmp_path: Path) -> None:
    for index, text in enumerate(HOSTILE):
        path = tmp_path / f"{index}.mjs"
        path.write_text(model_of(text)[0].export("javascript"), encoding="utf-8")
    done = subprocess.run(["node", "--check", *map(str, tmp_path.iterdir())], check=False)
    assert done.returncode == 0
