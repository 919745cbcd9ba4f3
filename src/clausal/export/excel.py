"""A model as a workbook with live formulas: a person types a case and sees the decision and why.

Every calculation is a row of the sheet "Calculation": the case of the sheet "Score", then the self-test.
Names, categories and labels stand in cells as texts and never in a formula. Numbers have at most 15 digits,
as those that a person types; cut points are rounded down to them. GESTEP compares them, because `<=` takes
numbers that differ in the last digits for equal. openpyxl is optional: this file is imported when needed.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from typing import Any

from clausal.encoding.columns import is_typed
from clausal.export.document import Calibration, ColumnRecord, FeatureRecord, RuleDocument, is_xml_text
from clausal.export.self_test import Expected, typed
from clausal.frames import not_installed

try:
    from openpyxl import Workbook, load_workbook
    from openpyxl.styles import Font, PatternFill
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation
except ImportError as error:
    raise not_installed("Writing Excel", "openpyxl", "clausal[excel]") from error

__all__ = ["Workbook", "check_excel", "put", "to_excel"]

_CODES = {"other": -1, "missing": -2, "no_rule": -3, "refused": -4}  # of a feature without a known value
_MOST_COLUMNS = 16_384  # of a sheet
_MOST_NUMBERS = 150  # categories that are numbers, which one formula compares with
_SMALLEST = 2.2250738585072014e-308  # a spreadsheet takes smaller numbers for 0
_ESCAPE = re.compile("_x[0-9A-Fa-f]{4}_")  # how the file format writes characters
_BOLD, _INPUT, _RESULT = Font(bold=True), PatternFill("solid", "FFF2CC"), PatternFill("solid", "E2EFDA")
_FIRST_FEATURE = 4  # row of the sheet "Score"


def to_excel(document: RuleDocument, self_test: Sequence[Expected]) -> bytes:
    """The workbook."""
    if not document.features or not document.rules:
        raise ValueError("A model written as a workbook must have a rule with a condition. Got none.")
    for value in (value for each in document.features for value in (*each.categories, *each.special)):
        if not isinstance(value, str) and not _is_kept(value):
            raise ValueError(
                "Categories and special values of a model written as a workbook must, if numbers, have at "
                f"most 15 digits. Got {value!r}."
            )
    document.check_texts(
        "a workbook",
        lambda text: 0 < len(text) <= 32_000 and is_xml_text(text) and not _ESCAPE.search(text),
        "of 1 to 32000 characters without control characters and `_x` codes",
    )
    writer = _Writer(document)
    writer.write([row for row in self_test if _can_hold(row)])
    data = io.BytesIO()
    writer.book.save(data)
    return data.getvalue()


def _can_hold(row: Expected) -> bool:
    """Whether a sheet keeps the values: an empty text is missing, and numbers have at most 15 digits."""
    return all(
        value != "" if isinstance(value, str) else value is None or _is_kept(value) for value in row.values
    )


def _is_kept(number: float) -> bool:
    return is_typed(number) and not 0 < abs(number) < _SMALLEST


class _Writer:
    """The sheets of a workbook; a block is a group of columns of "Calculation", such as the inputs."""

    def __init__(self, document: RuleDocument) -> None:
        self._document = document
        self._unit = document.whole_units("a workbook")  # votes are whole numbers of 1 / unit
        self._n_banks, self._n_classes = len(document.constants), len(document.labels)
        sizes = {
            "input": len(document.features),
            "code": len(document.features),
            "bit": len(document.columns),
            "rule": len(document.rules),
            "override": len(document.overrides),
            "vote": self._n_banks,
            "class": 1,
            "share": self._n_classes,
            "probability": self._n_classes,
            "expected": self._n_banks + 1,
            "right": 1,
        }
        self._starts, start = {}, 1
        for name, size in sizes.items():
            self._starts[name] = start
            start += size
        if start > _MOST_COLUMNS:
            raise ValueError(
                f"A model written as a workbook must need at most {_MOST_COLUMNS} columns. Got {start}."
            )
        self._names_row = self._n_banks + 2  # below the points
        self._first = self._names_row + 1
        self.book = Workbook()
        self._score = self.book.active
        self._score.title = "Score"
        self._sheet = self.book.create_sheet("Calculation")
        self._lists = self.book.create_sheet("Lists")

    def write(self, rows: Sequence[Expected]) -> None:
        """All sheets."""
        self._write_lists()
        self._write_head(len(rows))
        for index, row in enumerate([None, *rows]):
            self._write_row(self._first + index, row)
        self._write_score()
        self.book.calculation.fullCalcOnLoad = True

    # --- cells and lists ---

    def _at(self, block: str, index: int, row: int, fixed: bool = False) -> str:
        """The address of a cell of "Calculation"."""
        letter, mark = get_column_letter(self._starts[block] + index), "$" if fixed else ""
        return f"{mark}{letter}{mark}{row}"

    def _set(self, block: str, index: int, row: int, value: Any) -> None:
        put(self._sheet, row, self._starts[block] + index, value)

    def _set_formula(self, block: str, index: int, row: int, formula: str) -> None:
        self._sheet.cell(row, self._starts[block] + index).value = f"={formula}"

    def _units(self, points: float) -> int:
        return int(points * self._unit)

    def _write_lists(self) -> None:
        """Labels or the outcome's numbers; by feature, categories or special values; cut points."""
        document = self._document
        numbers = document.outcome.numbers if document.outcome.is_numeric else {}
        kept = [n if math.isfinite(n) else "none" for n in numbers.values()]  # cells keep all their digits
        for index, entry in enumerate([", ".join(numbers) or "classes", *kept, *document.labels]):
            put(self._lists, 1 + index, 1, entry)
        for place, feature in enumerate(document.features):
            put(self._lists, 1, 2 + place, feature.name)
            for index, value in enumerate((*feature.categories, *feature.special)):
                put(self._lists, 2 + index, 2 + place, value)
        self._cut_column = 2 + len(document.features)
        put(self._lists, 1, self._cut_column, "cut points")
        for index, column in enumerate(document.columns):
            if column.kind == "le":
                cut = float(column.value or 0)
                put(self._lists, 2 + index, self._cut_column, cut if _is_kept(cut) else typed(cut, -math.inf))

    def _list(self, place: int) -> str:
        """The categories of a feature."""
        letter = get_column_letter(2 + place)
        return f"Lists!${letter}$2:${letter}${1 + len(self._document.features[place].categories)}"

    # --- the calculation ---

    def _write_head(self, n_rows: int) -> None:
        """The result of the self-test, the points of each rule by bank, and what is in each column."""
        document, last = self._document, self._first + n_rows
        span = f"{self._at('right', 0, self._first + 1)}:{self._at('right', 0, last)}"
        count = f"SUM({span})" if n_rows else "0"
        said = f'"self-test: all {n_rows} rows are right","self-test: WRONG"'
        self._sheet.cell(1, 1).value = f"=IF({count}={n_rows},{said})"
        for index, rule in enumerate(document.rules):
            for bank in range(self._n_banks):
                self._set("rule", index, 2 + bank, self._units(rule.points) if rule.bank == bank else 0)
            self._set("rule", index, self._names_row, rule.text)
        for index, override in enumerate(document.overrides):
            self._set("override", index, self._names_row, override.text)
        for place, feature in enumerate(document.features):
            self._set("input", place, self._names_row, feature.name)
            self._set("code", place, self._names_row, "code")
        for index, column in enumerate(document.columns):
            self._set("bit", index, self._names_row, column.texts[0])
        for bank in range(self._n_banks):
            self._set("vote", bank, self._names_row, "vote")
            self._set("expected", bank, self._names_row, "expected vote")
        result = "class" if document.labels else "number"
        self._set("class", 0, self._names_row, result)
        self._set("expected", self._n_banks, self._names_row, f"expected {result}")
        self._set("right", 0, self._names_row, "right")

    def _write_row(self, row: int, expected: Expected | None) -> None:
        """The case of "Score" if nothing is expected, else a row of the self-test."""
        document = self._document
        for place, feature in enumerate(document.features):
            if expected is None:
                cell = f"Score!$B${_FIRST_FEATURE + place}"
                self._set_formula("input", place, row, f'IF({cell}="","",{cell})')
            elif expected.values[place] is not None:
                self._set("input", place, row, expected.values[place])
            self._set_formula("code", place, row, self._code(place, feature, self._at("input", place, row)))
        for index, column in enumerate(document.columns):
            self._set_formula("bit", index, row, self._bit(index, column, row))
        for index, rule in enumerate(document.rules):
            self._set_formula("rule", index, row, self._all(rule.literals, row))
        for index, override in enumerate(document.overrides):
            self._set_formula("override", index, row, self._all(override.literals, row))
        self._write_result(row)
        if expected is not None:
            self._write_expected(row, expected)

    def _code(self, place: int, feature: FeatureRecord, value: str) -> str:
        """The index of a category, or what becomes of any other value; of a number 0, if special 1 on."""
        missing, unknown = _CODES[feature.if_missing], _CODES[feature.if_unknown]
        if feature.holds_text:
            listed = self._list(place)
            found = f"SUMPRODUCT(EXACT({value},{listed})*(ROW({listed})-1))"
            return f'IF({value}="",{missing},IF({found}>0,{found}-1,{unknown}))'
        if feature.kind == "boolean":
            known = f"IF(OR(N({value})=0,N({value})=1),0,-4)"
            return f'IF({value}="",{missing},IF(OR(ISLOGICAL({value}),ISNUMBER({value})),{known},-4))'
        known, n_listed = "0", len(feature.categories) + len(feature.special)
        if n_listed:
            if n_listed > _MOST_NUMBERS:
                raise ValueError(
                    f"Features written as a workbook must have at most {_MOST_NUMBERS} categories or special "
                    f"values that are numbers. Got {n_listed}."
                )
            cells = [f"Lists!${get_column_letter(2 + place)}${2 + k}" for k in range(n_listed)]
            found = "+".join(f"{k + 1}*GESTEP({c},{value})*GESTEP({value},{c})" for k, c in enumerate(cells))
            known = f"IF({found}=0,{unknown},{found}-1)" if feature.categories else found
        return f'IF({value}="",{missing},IF(ISNUMBER({value}),{known},-4))'

    def _bit(self, index: int, column: ColumnRecord, row: int) -> str:
        """1 if a column holds, else 0."""
        value, code = (self._at(block, column.feature, row) for block in ("input", "code"))
        if column.kind == "missing":
            return f"IF({code}=-2,1,0)"
        if column.kind == "le":
            cut = f"Lists!${get_column_letter(self._cut_column)}${2 + index}"
            return f"IF({code}=0,GESTEP({cut},{value}),0)"
        if column.kind == "true":
            return f"IF({code}=0,N({value}),0)"
        if column.kind == "equal":
            special = self._document.features[column.feature].special
            return f"IF({code}={1 + special.index(float(column.value or 0))},1,0)"
        return f"IF(AND({code}>={column.first},{code}<={column.value}),1,0)"

    def _all(self, literals: Sequence[int], row: int) -> str:
        """1 if all conditions hold, else 0."""
        factors = [factor for literal in literals for factor in self._literal(literal, row)]
        return "*".join(dict.fromkeys(factors)) or "1"

    def _literal(self, literal: int, row: int) -> list[str]:
        """The factors of a condition, which are 1 if it holds."""
        column, negated = self._document.signed_column(literal)
        bit = self._at("bit", -1 - literal if negated else literal, row)
        if not negated:
            return [bit]
        feature = self._document.features[column.feature]
        seen = [f"({self._at('code', column.feature, row)}>-3)"]
        return [f"(1-{bit})", *(seen if "no_rule" in (feature.if_missing, feature.if_unknown) else [])]

    def _write_result(self, row: int) -> None:
        """Votes, #N/A where the row is refused; the index of the class from 1; probabilities."""
        document, last = self._document, len(self._document.rules) - 1
        codes = f"{self._at('code', 0, row)}:{self._at('code', len(document.features) - 1, row)}"
        held = f"{self._at('rule', 0, row)}:{self._at('rule', last, row)}"
        for bank, constant in enumerate(document.constants):
            points = f"{self._at('rule', 0, 2 + bank, True)}:{self._at('rule', last, 2 + bank, True)}"
            vote = f"{self._units(constant)}+SUMPRODUCT({held},{points})"
            self._set_formula("vote", bank, row, f"IF(COUNTIF({codes},-4)>0,NA(),{vote})")
        votes = f"{self._at('vote', 0, row)}:{self._at('vote', self._n_banks - 1, row)}"
        self._set_formula("class", 0, row, self._decision(row, votes))
        for index, formula in enumerate(self._shares(row)):
            self._set_formula("share", index, row, formula)
            share = self._at("share", index, row)
            total = f"{self._at('share', 0, row)}:{self._at('share', self._n_classes - 1, row)}"
            self._set_formula("probability", index, row, f"{share}/SUM({total})")

    def _decision(self, row: int, votes: str) -> str:
        """The index of the class from 1, or the number."""
        document = self._document
        if document.outcome.is_numeric:
            low, high = (math.isfinite(document.outcome.numbers[name]) for name in ("low", "high"))
            number = f"Lists!$A$3+Lists!$A$2*({self._at('vote', 0, row)}/{self._unit})"
            number = f"MAX(Lists!$A$4,{number})" if low else number
            return f"MIN(Lists!$A$5,{number})" if high else number
        decided = f"MATCH(MAX({votes}),{votes},0)"
        if self._n_banks == 1:
            decided = f"IF({self._at('vote', 0, row)}>={self._units(document.outcome.cut_off)},2,1)"
        for index, override in reversed(list(enumerate(document.overrides))):
            decided = f"IF({self._at('override', index, row)}=1,{override.class_index + 1},{decided})"
        return f"IF(ISNA({self._at('vote', 0, row)}),NA(),{decided})" if document.overrides else decided

    def _shares(self, row: int) -> list[str]:
        """What the probabilities are proportional to."""
        method, unit = self._document.probability, "" if self._unit == 1 else f"/{self._unit}"
        votes = [f"({self._at('vote', bank, row)}{unit})" for bank in range(self._n_banks)]
        if method is None:
            return []
        if isinstance(method, Calibration):
            if self._n_banks == 1:
                return ["1", f"EXP(MAX(-700,MIN(700,{method.slope!r}*{votes[0]}+({method.offset!r}))))"]
            return [f"EXP({method.slope!r}*({vote}-MAX({','.join(votes)})))" for vote in votes]
        if self._n_banks == 1:
            share = f"(1+({votes[0]}*{method.scale}+0.5)/{method.threshold + 0.5!r})/2"
            return [f"MAX(0,MIN(1,1-{share}))", f"MAX(0,MIN(1,{share}))"]
        reach, others = method.threshold / method.scale, self._n_classes - 1
        qs = [f"((1+{vote}/(MAX(ABS({vote}),{reach!r})+1))/2)" for vote in votes]
        return [f"{q}/({q}+{others}*(1-{q}))" for q in qs]

    def _write_expected(self, row: int, expected: Expected) -> None:
        if expected.votes is None:
            self._set_formula("right", 0, row, f"IF(ISNA({self._at('vote', 0, row)}),1,0)")
            return
        assert expected.decided is not None
        values = [*map(self._units, expected.votes), expected.decided + bool(self._document.labels)]
        got = [*(self._at("vote", bank, row) for bank in range(self._n_banks)), self._at("class", 0, row)]
        for index, value in enumerate(values):
            self._set("expected", index, row, value)
        tests = ",".join(f"{cell}={self._at('expected', k, row)}" for k, cell in enumerate(got))
        self._set_formula("right", 0, row, f"IF(ISNA({got[0]}),0,IF(AND({tests}),1,0))")

    # --- the form ---

    def _write_score(self) -> None:
        """The inputs, the result, and the rules that hold."""
        sheet, document = self._score, self._document
        put(sheet, 1, 1, "Type a case into the yellow cells; an empty cell is missing.")
        for column, (title, width) in enumerate((("feature", 50), ("value", 24), ("note", 60)), 1):
            put(sheet, _FIRST_FEATURE - 1, column, title)
            sheet.cell(_FIRST_FEATURE - 1, column).font = _BOLD
            sheet.column_dimensions[get_column_letter(column)].width = width
        for place, feature in enumerate(document.features):
            row = _FIRST_FEATURE + place
            put(sheet, row, 1, feature.name)
            cell = sheet.cell(row, 2)
            cell.fill = _INPUT
            if feature.holds_text:
                cell.number_format = "@"
                offered = DataValidation("list", formula1=f"={self._list(place)}", showErrorMessage=False)
                sheet.add_data_validation(offered)
                offered.add(cell)
            code = f"Calculation!{self._at('code', place, self._first)}"
            refused = "no score: the model refuses this value, or that there is none"
            unseen = "not seen in training: no rule that tests it holds"
            sheet.cell(row, 3).value = f'=IF({code}=-4,"{refused}",IF({code}=-3,"{unseen}",""))'
        self._write_answer(_FIRST_FEATURE + len(document.features) + 1)

    def _write_answer(self, row: int) -> None:
        """The decision, votes and probabilities, and each rule with its points and whether it holds."""
        sheet, document = self._score, self._document

        def result(block: str, index: int) -> str:
            return f"Calculation!{self._at(block, index, self._first)}"

        label = f"INDEX(Lists!$A$2:$A${1 + self._n_classes},{result('class', 0)})"
        lines = [("prediction", label if document.labels else result("class", 0))]
        lines += [
            (name, f"{result('vote', bank)}/{self._unit}")
            for bank, name in enumerate(document.outcome.vote_names())
        ]
        if document.probability is not None:
            lines += [
                (f"probability of {name}", result("probability", index))
                for index, name in enumerate(document.outcome.class_names)
            ]
        for offset, (name, formula) in enumerate(lines):
            put(sheet, row + offset, 1, name)
            sheet.cell(row + offset, 2).value = f'=IF(ISNA({result("vote", 0)}),"no score",{formula})'
            sheet.cell(row + offset, 2).fill = _RESULT
        row += len(lines) + 1
        for column, title in enumerate(("rule", "holds", "points"), 1):
            put(sheet, row, column, title)
            sheet.cell(row, column).font = _BOLD
        for index, rule in enumerate(document.rules):
            put(sheet, row + 1 + index, 1, rule.text)
            sheet.cell(row + 1 + index, 2).value = f'=IF({result("rule", index)}=1,"holds","")'
            speaks = "" if self._n_banks == 1 else f" for {document.outcome.bank_names[rule.bank]}"
            put(sheet, row + 1 + index, 3, rule.points if not speaks else f"{rule.points:+}{speaks}")
        row += len(document.rules) + 1
        for index, override in enumerate(document.overrides):
            put(sheet, row + index, 1, override.text)
            sheet.cell(row + index, 2).value = f'=IF({result("override", index)}=1,"holds","")'
            put(sheet, row + index, 3, f"override: {document.outcome.class_names[override.class_index]}")


def put(sheet: Any, row: int, column: int, value: Any) -> None:
    """A value in a cell; a text is never a formula, not even when it is edited."""
    cell = sheet.cell(row, column)
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"
        cell.quotePrefix = True


def check_excel(data: bytes) -> str:
    """What the self-test of a workbook says that a spreadsheet program has calculated and saved.

    Raises ValueError if a row is wrong, or if nothing was calculated.
    """
    said = load_workbook(io.BytesIO(data), data_only=True)["Calculation"].cell(1, 1).value
    if not isinstance(said, str) or "right" not in said:
        raise ValueError(f"The self-test of the workbook must say that all rows are right. Got {said!r}.")
    return said
