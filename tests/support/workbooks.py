"""Workbooks of `export` with many rows, and with a case typed into the form, calculated by LibreOffice."""

from __future__ import annotations

import io
import math
import subprocess
from collections.abc import Sequence
from typing import Any

from openpyxl import load_workbook

from clausal.export.excel import to_excel
from clausal.export.self_test import expected
from tests.support.export_scoring import FOLDER, NUMBERS, Scored, document_of, tested_rows
from tests.support.sql_scoring import Columns

_FIRST = 4  # row of the form with the first feature


def as_typed(columns: Columns) -> Columns:
    """Rows as a spreadsheet can hold them: numbers of 15 digits, none of them tiny, and no empty text."""

    def typed(value: Any) -> Any:
        if isinstance(value, float) and value == value:
            short = float(f"{value:.15g}")
            return short if abs(short) > 1e-300 and math.isfinite(short) else 0.0
        return "another" if value == "" else value

    return {name: (kind, list(map(typed, values))) for name, (kind, values) in columns.items()}


def workbook_of(clf: Any, columns: Columns) -> bytes:
    """A workbook whose self-test are these rows, the first of which is also typed into the form."""
    rows = tested_rows(clf, as_typed(columns))
    data = to_excel(document_of(clf), expected(clf.rules_, rows, clf._probability()))
    book, typed = load_workbook(io.BytesIO(data)), io.BytesIO()
    for place, value in enumerate(rows[0]):
        cell = book["Score"].cell(_FIRST + place, 2)
        cell.value = value
        if isinstance(value, str):
            cell.data_type = "s"
    book.save(typed)
    return typed.getvalue()


def calculated(workbooks: Sequence[bytes]) -> list[bytes]:
    """The workbooks after LibreOffice has calculated them."""
    folder = FOLDER / f"workbooks{next(NUMBERS)}"
    (folder / "calculated").mkdir(parents=True)
    paths = [folder / f"{index}.xlsx" for index in range(len(workbooks))]
    for path, data in zip(paths, workbooks, strict=True):
        path.write_bytes(data)
    command = ["soffice", "--headless", "--convert-to", "xlsx", "--outdir", str(folder / "calculated")]
    subprocess.run([*command, *map(str, paths)], check=True, capture_output=True)
    return [(folder / "calculated" / path.name).read_bytes() for path in paths]


def scored_in_excel(clf: Any, workbook: bytes) -> list[Scored | None]:
    """What the rows of a calculated workbook say."""
    sheet = load_workbook(io.BytesIO(workbook), data_only=True)["Calculation"]
    document = document_of(clf)
    n_banks, n_rules, n_classes = len(document.constants), len(document.rules), len(document.labels)
    start = 2 * len(document.features) + len(document.columns)
    unit = document.whole_units("a workbook")
    scored: list[Scored | None] = []
    for row in sheet.iter_rows(min_row=n_banks + 4, values_only=True):
        fires, rest = row[start : start + n_rules], row[start + n_rules + len(document.overrides) :]
        votes, rest = rest[:n_banks], rest[n_banks:]
        if votes[0] == "#N/A":
            scored.append(None)
            continue
        votes = [vote / unit if unit > 1 else vote for vote in votes]
        label, shares = (
            clf.rules_.classes.tolist()[rest[0] - 1],
            list(rest[1 + n_classes : 1 + 2 * n_classes]),
        )
        scored.append(Scored(votes, label, shares, [held == 1 for held in fires]))
    return scored


def form_says(clf: Any, workbook: bytes) -> Scored | None:
    """The answer below the form of a calculated workbook."""
    book = load_workbook(io.BytesIO(workbook), data_only=True)
    document, sheet = document_of(clf), book["Score"]
    first = _FIRST + len(document.features) + 1
    n_banks, n_rules = len(document.constants), len(document.rules)
    answer = [sheet.cell(first + k, 2).value for k in range(1 + n_banks + len(document.labels))]
    if answer[0] == "no score":
        return None
    row = first + len(answer) + 2
    holds = [sheet.cell(row + k, 2).value == "holds" for k in range(n_rules)]
    unit = document.whole_units("a workbook")
    votes = [round(vote * unit) / unit if unit > 1 else vote for vote in answer[1 : 1 + n_banks]]  # 15 digits
    return Scored(votes, type(document.labels[0])(answer[0]), answer[1 + n_banks :], holds)
