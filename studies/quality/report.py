"""The summary of the comparison: tables of means per size, paired differences per table, and the gap to EBM.

Every `Table` is shown as text or as Markdown for docs/accuracy.md. Differences are ours less theirs on the
same splits, ± one standard error; beyond two errors they are a win or a loss. Not here: the fits
(comparison.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studies.quality.comparison import FREE, Line
from studies.quality.goals_summary import mean_and_error
from studies.quality.learners import COMPACT, LEARNERS, OURS, REFERENCES
from studies.quality.tables import MULTI_CLASS

MEASURES = {"accuracy": 3, "auc": 3, "log_loss": 3, "literals": 1, "features": 1, "seconds": 2}  # decimals
TITLES = {"auc": "AUC", "log_loss": "log-loss", "seconds": "CPU s"}


@dataclass(frozen=True)
class Table:
    """A title, names of columns, and rows of text."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def as_text(self) -> str:
        """Aligned columns."""
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (self.header, *self.rows)
        ]
        return "\n".join([self.title, *("  " + line for line in lines)])

    def as_markdown(self) -> str:
        """A Markdown table under its title."""
        rows = (self.header, ["---"] * len(self.header), *self.rows)
        return "\n".join([f"**{self.title}**", "", *(f"| {' | '.join(row)} |" for row in rows)])


class Fits:
    """The lines by learner, size and table; a reference has the same lines at every size."""

    def __init__(self, lines: Sequence[Line], choice: str = "accuracy") -> None:
        self._lines: dict[tuple[str, int | str, str], dict[int, Line]] = {}
        for line in lines:
            if line["choice"] == choice or LEARNERS[line["learner"]].path is None:
                key = (line["learner"], line["size"], line["data"])
                self._lines.setdefault(key, {})[line["split"]] = line
        self.sizes = sorted(
            {size for learner, size, _ in self._lines if learner in COMPACT},
            key=lambda size: (size == FREE, str(size).zfill(3)),
        )
        self.tables = list(dict.fromkeys(data for _, _, data in self._lines))

    def of(self, learner: str, size: int | str, data: str) -> dict[int, Line]:
        """The lines of a learner on a table by split."""
        return self._lines.get((learner, FREE if learner in REFERENCES else size, data), {})

    def learners(self, size: int | str) -> list[str]:
        """The learners with a line at this size, ours first."""
        return [name for name in LEARNERS if any(self.of(name, size, data) for data in self.tables)]

    def values(self, learner: str, size: int | str, data: str, measure: str) -> list[float]:
        """A measure on all splits; nothing where the learner has none."""
        return [line[measure] for line in self.of(learner, size, data).values() if measure in line]

    def differences(self, learner: str, size: int | str, data: str, measure: str) -> list[float]:
        """Ours less theirs on the splits of both."""
        ours, theirs = self.of(OURS, size, data), self.of(learner, size, data)
        return [
            ours[split][measure] - theirs[split][measure] for split in sorted(ours.keys() & theirs.keys())
        ]


def tables_of(lines: Sequence[Line], choice: str = "accuracy") -> list[Table]:
    """All tables of the summary."""
    fits = Fits(lines, choice)
    found = [means(fits, size) for size in fits.sizes]
    found += [paired(fits, size, measure) for size in fits.sizes for measure in ("accuracy", "auc")]
    found += [counts(fits, size) for size in fits.sizes]
    found += [gap(fits, size) for size in fits.sizes if size == 30]
    return [table for table in found if table.rows]


def means(fits: Fits, size: int | str) -> Table:
    """The means of every learner over the two-class tables that all of them have."""
    learners = fits.learners(size)
    shared = [
        data
        for data in fits.tables
        if data not in MULTI_CLASS and all(fits.of(name, size, data) for name in learners)
    ]
    ranks = {measure: mean_ranks(fits, size, shared, measure) for measure in ("accuracy", "auc")}
    rows = []
    for name in learners:
        row = [name]
        for measure, decimals in MEASURES.items():
            per_table = [fits.values(name, size, data, measure) for data in shared]
            known = [np.mean(values) for values in per_table if values]
            row.append(number(float(np.mean(known)), decimals) if known else "-")
        row += [f"{ranks[measure][name]:.1f}" if name in ranks[measure] else "-" for measure in ranks]
        for measure in ("accuracy", "auc"):
            per_table = [fits.differences(name, size, data, measure) for data in shared]
            found = [float(np.mean(values)) for values in per_table if values]
            row.append("-" if name == OURS else difference(found))
        rows.append(row)
    header = ["learner", *(TITLES.get(measure, measure) for measure in MEASURES)]
    header += ["rank, accuracy", "rank, AUC", "ours - theirs, accuracy", "ours - theirs, AUC"]
    return Table(f"{limit_text(size)}: means over {len(shared)} two-class tables", header, rows)


def mean_ranks(fits: Fits, size: int | str, tables: Sequence[str], measure: str) -> dict[str, float]:
    """The mean rank of every compact learner by its mean on a table; equal ones share their ranks."""
    names = [name for name in fits.learners(size) if name in COMPACT]
    ranks = []
    for data in tables:
        worth = np.array([np.mean(fits.values(name, size, data, measure)) for name in names])
        ranks.append([(worth > w + 1e-12).sum() + ((abs(worth - w) <= 1e-12).sum() + 1) / 2 for w in worth])
    return dict(zip(names, np.mean(ranks, axis=0).tolist(), strict=True)) if ranks else {}


def paired(fits: Fits, size: int | str, measure: str) -> Table:
    """The paired difference to every other learner on every table."""
    others = [name for name in fits.learners(size) if name != OURS]
    rows = []
    for data in fits.tables:
        ours = fits.values(OURS, size, data, measure)
        cells = [difference(fits.differences(name, size, data, measure)) for name in others]
        rows.append([data, number(float(np.mean(ours)), 3) if ours else "-", *cells])
    title = f"{limit_text(size)}: ours - theirs, {TITLES.get(measure, measure)}"
    return Table(title, ["table", OURS, *others], rows)


def counts(fits: Fits, size: int | str) -> Table:
    """How many tables every other learner loses, ties and wins against ours."""
    rows = []
    for name in fits.learners(size):
        row = [name]
        for measure in ("accuracy", "auc"):
            found = [fits.differences(name, size, data, measure) for data in fits.tables]
            verdicts = [verdict(values) for values in found if values]
            row.append(" / ".join(str(verdicts.count(kind)) for kind in ("win", "tie", "loss")))
        rows += [] if name == OURS else [row]
    header = ["against", "accuracy: win / tie / loss", "AUC: win / tie / loss"]
    return Table(f"{limit_text(size)}: ours wins, ties and loses, by table", header, rows)


def gap(fits: Fits, size: int | str) -> Table:
    """The mean difference to EBM over all tables, with a 95 % interval over the tables."""
    rows = []
    for measure in ("accuracy", "auc", "log_loss"):
        per_table = [fits.differences("EBM", size, data, measure) for data in fits.tables]
        found = [float(np.mean(values)) for values in per_table if values]
        if len(found) > 1:
            mean, error = mean_and_error(found)
            interval = f"{signed(mean - 1.96 * error)} to {signed(mean + 1.96 * error)}"
            rows.append([TITLES.get(measure, measure), signed(mean), interval, str(len(found))])
    return Table(f"{limit_text(size)}: ours - EBM", ["measure", "mean", "95 % interval", "tables"], rows)


def verdict(values: Sequence[float]) -> str:
    """Win or loss beyond two standard errors, otherwise tie."""
    if len(values) < 2:
        return "tie"
    mean, error = mean_and_error(values)
    return "win" if mean > 2 * error else "loss" if mean < -2 * error else "tie"


def difference(values: Sequence[float]) -> str:
    """The mean of paired differences ± one standard error, with the verdict unless it is a tie."""
    if not values:
        return "-"
    if len(values) == 1:
        return signed(values[0])
    mean, error = mean_and_error(values)
    found = verdict(values)
    return f"{signed(mean)} ± {number(error, 3)}" + ("" if found == "tie" else f" {found}")


def number(value: float, decimals: int) -> str:
    """A figure, without the 0 before the point."""
    return f"{value:.{decimals}f}".replace("0.", ".", 1) if 0 <= value < 1 else f"{value:.{decimals}f}"


def signed(value: float) -> str:
    """A difference with its sign and three decimals."""
    return f"{value:+.3f}".replace("0.", ".", 1)


def limit_text(size: int | str) -> str:
    """A limit in words."""
    return "No limit" if size == FREE else f"At most {size} literals"
