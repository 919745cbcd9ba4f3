"""The classic table of a scorecard: feature, bin, points, rows, rate of the class, weight of evidence.

Of numbers: the mean of each bin instead, and how far it is from the mean of all rows.

The rules on one feature alone are shown as its bins, with their points summed; special values, missing values
and values not seen in training are bins of their own. Rules of several features follow, each with the rows on
which it holds and the others. The points of a row's bins and the constant add up to its vote. Not here: the
bins (rules/cells.py), the risk of a score (risk_table.py).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import name_text
from clausal.explain.cells import dense_bits
from clausal.frames import FrameBackend, make_frame
from clausal.rules.cells import Part, parts_of_rules
from clausal.rules.render import plain_markdown
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.refit import GivenRows
from clausal.wording import Number, signed_text

CONSTANT, FEATURE, RULE = "constant", "feature", "rule"
_ALL = "all"
_ADDED = 0.5  # rows added to both classes of a bin that lacks one of them


class Bin(NamedTuple):
    """One line of the table.

    Attributes
    ----------
    kind : "constant", "feature", or "rule" for a rule of several features
    feature : its name; of a rule the names of its features, joined by `and`
    bin : the condition, such as `age <= 30`; of a rule also `otherwise`
    points : what the vote gets
    for_class : the class whose vote it is, as text
    rows, share : number of rows (or their weight) in the bin, and their share of all rows
    rate : the share of the class among them, or the mean of their numbers; None without rows
    woe : weight of evidence, log of (share of the class's rows that are in the bin / that of the other rows);
        of numbers, their mean minus that of all rows; None without rows
    iv : its part of the information value of the feature or rule; 0 without rows, and of numbers
    """

    kind: str
    feature: str
    bin: str
    points: Number
    for_class: str
    rows: float
    share: float
    rate: float | None
    woe: float | None
    iv: float


@dataclass(frozen=True, eq=False)
class PointsTable:
    """The classic table of a scorecard; `str`, notebooks and the methods show it.

    Weight of evidence has the sign of points: above 0 where the class of the points is more frequent than
    among all rows. Where a bin has no row of the class, or only such rows, half a row is added to both.

    Attributes
    ----------
    bins : the lines: for each class with points of its own the constant, its features, its rules
    of_numbers : whether the rows have numbers, so that there are means instead of rates, and no information
        values
    """

    bins: tuple[Bin, ...]
    of_numbers: bool = False

    @property
    def information_values(self) -> dict[str, float]:
        """The information value of each feature that is alone in a rule, those with the highest first.

        With more than two classes, the largest one, of each class against the others. None of numbers.
        """
        found: dict[str, float] = {}
        for lines in () if self.of_numbers else self._groups():
            if lines[0].kind == FEATURE:
                name = lines[0].feature
                found[name] = max(found.get(name, 0.0), sum(line.iv for line in lines))
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per bin: `kind`, `feature`, `bin`, `points`, `for_class` and the other attributes of `Bin`.

        Of numbers: `kind`, `feature`, `bin`, `points`, `rows`, `share`, `mean` and `above_mean`.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            The kind of data frame; None uses the first that is installed.
        """
        columns = zip(Bin._fields, zip(*self.bins, strict=True), strict=True)
        floats = {"rate", "woe"}  # without rows they are not a number
        named = {
            name: [math.nan if name in floats and cell is None else cell for cell in cells]
            for name, cells in columns
        }
        if self.of_numbers:
            renamed = {"rate": "mean", "woe": "above_mean", "for_class": None, "iv": None}
            new = {old: renamed.get(old, old) for old in named}
            named = {name: named[old] for old, name in new.items() if name is not None}
        return make_frame(named, backend)

    # --- shown ---

    def _groups(self) -> Iterator[list[Bin]]:
        """The lines of each constant, feature and rule."""
        group: list[Bin] = []
        for line in self.bins:
            same = group and (line.kind, line.feature, line.for_class) == group[0][:2] + group[0][4:5]
            if group and (not same or (line.kind == RULE and len(group) == 2)):
                yield group
                group = []
            group.append(line)
        if group:
            yield group

    @property
    def head(self) -> list[str]:
        """The names of the columns as shown."""
        if self.of_numbers:
            return ["feature", "bin", "points", "rows", "share", "mean", "above mean"]
        names = list(dict.fromkeys(line.for_class for line in self.bins))
        rate = f"rate of {names[0]}" if len(names) == 1 else "rate"
        shown = [] if len(names) == 1 else ["for"]
        return ["feature", "bin", *shown, "points", "rows", "share", rate, "weight of evidence", "iv"]

    @property
    def lines(self) -> list[list[str | Number | None]]:
        """The cells as shown, with the information value of each feature and rule after its bins."""
        several = "for" in self.head
        found: list[list[str | Number | None]] = []
        for group in self._groups():
            for line in group:
                given = [line.rows, line.share, line.rate, line.woe, line.iv]
                own = [line.for_class] if several else []
                if line.kind == CONSTANT:
                    given[3:] = [None, None]
                if self.of_numbers:
                    del given[-1]
                found.append([name_text(line.feature), line.bin, *own, line.points, *given])
            if group[0].kind != CONSTANT and not self.of_numbers:
                total = sum(line.iv for line in group)
                own = [group[0].for_class] if several else []
                found.append([name_text(group[0].feature), _ALL, *own, *[None] * 5, total])
        return found

    def texts(self) -> list[list[str]]:
        """The cells of `lines` as text."""
        head = [name.partition(" of ")[0] for name in self.head]
        return [[_text(name, cell) for name, cell in zip(head, line, strict=True)] for line in self.lines]

    @property
    def n_texts(self) -> int:
        """The number of columns, the first ones, that are words and not numbers."""
        return self.head.index("points")

    def to_text(self) -> str:
        """The table as plain text; a name is shown at the first of its bins."""
        lines = [self.head, *self.texts()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows, last = [], None
        for line in lines:
            own = (line[0], *line[2 : self.n_texts])  # the name, and the class if there are several
            cells = ["" if own == last else line[0], *line[1:]]
            last = own
            rows.append(
                "  ".join(
                    cell.ljust(width) if place < self.n_texts else cell.rjust(width)
                    for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
                ).rstrip()
            )
        return "\n".join(rows)

    __str__ = to_text

    def to_markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.head, *self.texts()]
        cells = [[plain_markdown(cell) for cell in line] for line in lines]
        marks = ["---"] * self.n_texts + ["---:"] * (len(self.head) - self.n_texts)
        return "".join(f"| {' | '.join(line)} |\n" for line in [cells[0], marks, *cells[1:]])

    def to_html(self) -> str:
        """The table in HTML."""
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.head)
        words, numbers = '<td style="text-align: left">', '<td style="text-align: right">'
        body = "".join(
            "<tr>"
            + "".join(
                f"{words if place < self.n_texts else numbers}{escape(cell)}</td>"
                for place, cell in enumerate(line)
            )
            + "</tr>"
            for line in self.texts()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_excel(self, path: str | os.PathLike[str]) -> None:
        """Write the table as a workbook, in which texts are never formulas.

        Parameters
        ----------
        path : str or path-like
            The file to write. Needs `clausal[excel]`.
        """
        from clausal.export.excel import Workbook, put

        formats = {"share": "0.0%", "rate": "0.0%", "weight": "0.000", "iv": "0.000"}
        numbers = [formats.get(name.partition(" of ")[0]) for name in self.head]
        book = Workbook()
        sheet = book.active
        sheet.title, sheet.freeze_panes = "Scorecard", "A2"
        lines: list[Any] = [self.head, *self.lines]
        for row, line in enumerate(lines, 1):
            for column, (cell, number) in enumerate(zip(line, numbers, strict=True), 1):
                put(sheet, row, column, cell)
                if number is not None and row > 1:
                    sheet.cell(row, column).number_format = number
        for letter, width in (("A", 24), ("B", 44)):
            sheet.column_dimensions[letter].width = width
        book.save(path)


_FORMATS = {
    "share": "{:.1%}",
    "rate": "{:.1%}",
    "weight": "{:+.3f}",
    "iv": "{:.3f}",
    "mean": "{:,.6g}",
    "above mean": "{:+,.4g}",
}


def _text(name: str, cell: str | Number | None) -> str:
    """A cell as text, given the name of its column."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    if name == "points":
        return signed_text(cell)
    if name == "rows":
        return f"{cell:,g}" if cell % 1 else f"{cell:,.0f}"
    return _FORMATS[name].format(cell)


def points_table(rules: RuleSet, rows: GivenRows) -> PointsTable:
    """The table of a model's rules on rows with labels or numbers."""
    bits, of_numbers = dense_bits(rules, rows.X, "a table of points"), rules.outcome.is_numeric
    shares = rows.labels[:, None] if of_numbers else rules.outcome.shares(rows.codes(rules.outcome))
    counter_of = _Averager if of_numbers else _Counter
    found: list[Bin] = []
    for bank, name in enumerate(rules.outcome.bank_names):
        own = rules.with_rules([rule for rule in rules if rule.bank == bank])
        counter = counter_of(name, rows.weights, rows.weights * shares[:, bank])
        always = sum(rule.points for rule in own if not rule.literals)
        found.append(counter.bin(CONSTANT, CONSTANT, "always", own.constants[bank] + always, slice(None)))
        fires = own.fires_on(bits)
        for part in parts_of_rules(own):
            if part.features:
                found += _bins(own, part, part.of_bits(bits, fires), bank, counter)
    return PointsTable(tuple(found), of_numbers)


def _bins(
    rules: RuleSet, part: Part, bin_of: NDArray[np.intp], bank: int, counter: _Counter
) -> Iterator[Bin]:
    """The lines of a part; bins that no value of the training data can be in are left out if no row is."""
    kind = FEATURE if len(part.features) == 1 else RULE
    feature = " and ".join(rules.encoding.feature_names[index] for index in part.features)
    points = part.points(rules)
    for index, text in enumerate(part.texts):
        inside = bin_of == index
        if part.possible[index] or inside.any():
            yield counter.bin(kind, feature, text, points[index][bank], inside)


@dataclass(frozen=True, eq=False)
class _Counter:
    """The weights of all rows, and of those of a class."""

    name: str
    weights: NDArray[np.float64]
    of_class: NDArray[np.float64]

    def bin(
        self, kind: str, feature: str, text: str, points: Number, inside: NDArray[np.bool_] | slice
    ) -> Bin:
        """A line about the rows inside a bin."""
        total, events = float(self.weights.sum()), float(self.of_class.sum())
        n, n_events = float(self.weights[inside].sum()), float(self.of_class[inside].sum())
        line = Bin(kind, feature, text, points, self.name, n, n / total, None, None, 0.0)
        if not n or not 0.0 < events < total:
            return line._replace(rate=n_events / n if n else None)
        added = _ADDED if n_events in (0.0, n) else 0.0
        of_class, of_others = (n_events + added) / events, (n - n_events + added) / (total - events)
        woe = math.log(of_class / of_others)
        return line._replace(rate=n_events / n, woe=woe, iv=(of_class - of_others) * woe)


class _Averager(_Counter):
    """The weights of all rows, and their numbers, each times the weight."""

    def bin(
        self, kind: str, feature: str, text: str, points: Number, inside: NDArray[np.bool_] | slice
    ) -> Bin:
        """A line about the rows inside a bin."""
        total, n = float(self.weights.sum()), float(self.weights[inside].sum())
        line = Bin(kind, feature, text, points, self.name, n, n / total, None, None, 0.0)
        if not n:
            return line
        mean = float(self.of_class[inside].sum()) / n
        return line._replace(rate=mean, woe=mean - float(self.of_class.sum()) / total)
