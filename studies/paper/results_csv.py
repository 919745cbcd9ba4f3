"""Every mean of the page as one row of docs/results.csv: the value of the paper, ours, its spread and lines.

`lines` are the keys of the raw results of the mean, with * for the trial. Not here: the page
(results_page.py).
"""

import csv
import io
from collections.abc import Iterator, Sequence

from studies.data import COMPARISON_DATA, SWEEP_DATA
from studies.paper.machines import MACHINES
from studies.paper.metrics import Summary
from studies.paper.page_tables import IN_PAPER, NAMES, WAYS
from studies.paper.paper_values import PaperTable, paper_tables
from studies.paper.results import Line, Results, summary_of
from studies.paper.systems import SYSTEMS

COLUMNS = ("part", "data", "system", "m", "way", "metric", "paper", "mean", "sd", "low", "high", "n", "lines")


def listing(results: Results) -> str:
    """The text of the file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in (*_sweep(results), *_comparison(results)):
        writer.writerow(row)
    return out.getvalue()


def _sweep(results: Results) -> Iterator[list[str]]:
    for data in SWEEP_DATA:
        for system in MACHINES:
            table = _table(data, system)
            for m in results.clause_counts:
                for which in ("own", "identical"):
                    lines = results.sweep(system, data, m, which)
                    for metric in NAMES:
                        paper = _paper(table, str(m), metric) if which == "own" else None
                        place = ["sweep", data, system, str(m), f"{which} setting", metric]
                        yield from _row(place, paper, summary_of(lines, metric), lines)


def _comparison(results: Results) -> Iterator[list[str]]:
    for data in COMPARISON_DATA:
        table = _table(data, None)
        for system in SYSTEMS:
            for way, words in WAYS.items():
                lines = results.comparison(system, data, way)
                for metric in NAMES:
                    if not lines or (metric in ("literals", "simplified") and "literals" not in lines[0]):
                        continue
                    place = ["comparison", data, system, "", words, metric]
                    yield from _row(place, _paper(table, system, metric), summary_of(lines, metric), lines)


def _row(
    place: list[str], paper: float | None, found: Summary | None, lines: Sequence[Line]
) -> Iterator[list[str]]:
    if found is None:
        return
    spread = [found.sd, found.mean - found.half, found.mean + found.half]
    yield [
        *place,
        "" if paper is None else f"{paper:g}",
        f"{found.mean:.6g}",
        *("" if found.n < 2 else f"{x:.6g}" for x in spread),
        str(found.n),
        " ".join(sorted({_any_trial(line["key"]) for line in lines})),
    ]


def _any_trial(key: str) -> str:
    """A key is part/system/data/trial/digest of settings and options."""
    *place, _, digest = key.split("/")
    return "/".join([*place, "*", digest])


def _table(data: str, system: str | None) -> PaperTable | None:
    """The paper's table of a data set and, for a sweep, a system."""
    return next((t for t in paper_tables().values() if t.data == data and t.system == system), None)


def _paper(table: PaperTable | None, column: str, metric: str) -> float | None:
    return table.values.get((column, IN_PAPER.get(metric, metric))) if table else None
