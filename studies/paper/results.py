"""Raw lines grouped for tables: by system, data set, clauses and how settings were chosen; sorted by trial.

Not here: the format of the numbers (page_tables.py) and the conclusions (claims.py).
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from studies.data import PAPER_DATA
from studies.paper.cells import PARTS
from studies.paper.chosen_settings import chosen_settings
from studies.paper.machines import MACHINES, Setting
from studies.paper.metrics import Summary, f1, scores, summary
from studies.paper.result_files import Record

Line = dict[str, Any]  # at least counts and trial; also literals and simplified if the model has them

INSIDE, TUNED, ON_TEST = "inside", "tuned", "test"


class Results:
    """The results of one budget."""

    def __init__(self, folder: Path) -> None:
        self.lines = {part: list(Record(folder, part).lines.values()) for part in PARTS}

    @cached_property
    def chosen(self) -> dict[tuple[str, str, int], dict[str, Setting]]:
        """The sweep's settings, own and identical, by (system, data, clauses)."""
        return chosen_settings(self.lines["search"])

    @cached_property
    def clause_counts(self) -> list[int]:
        """The numbers of clauses in the sweep."""
        return sorted({m for _, _, m in self.chosen})

    @property
    def has_sweep(self) -> bool:
        """Whether there is a trial with settings from a complete search."""
        return any(self.sweep(*place) for place in self.chosen)

    @cached_property
    def _sweep(self) -> dict[tuple[str, str, Setting], list[Line]]:
        found = defaultdict(list)
        for line in sorted(self.lines["sweep"], key=lambda line: line["trial"]):
            found[line["system"], line["data"], Setting(**line["settings"][0])].append(line)
        return found

    def sweep(self, system: str, data: str, n_clauses: int, which: str = "own") -> list[Line]:
        """The trials of a cell of the sweep at its own or the identical setting."""
        setting = self.chosen.get((system, data, n_clauses), {}).get(which)
        return [] if setting is None else self._sweep.get((system, data, setting), [])

    def searched(self, system: str, data: str, n_clauses: int) -> Summary:
        """F1 of the own setting on the splits of the search, with the standard error over them."""
        own = self.chosen[system, data, n_clauses]["own"]
        return summary(
            f1(stop["counts"])
            for line in self.lines["search"]
            if line["system"] == system and line["data"] == data
            for stop in line["stops"]
            if Setting(**line["settings"][0]).with_epochs(stop["n_epochs"]) == own
        )

    def best_clauses(self, system: str, data: str) -> int:
        """The number of clauses with the highest mean F1 on the test parts, as chosen in the paper."""
        return max(self.clause_counts, key=lambda m: mean_of(self.sweep(system, data, m), "f1"))

    @cached_property
    def _comparison(self) -> dict[tuple[str, str], list[Line]]:
        found = defaultdict(list)
        for line in sorted(self.lines["comparison"], key=lambda line: line["trial"]):
            found[line["system"], line["data"]].append(line)
        return found

    def comparison(self, system: str, data: str, way: str = INSIDE) -> list[Line]:
        """The trials of a system, its setting chosen inside the training part or on the test parts.

        `tuned` is inside as well, with the decision cut-off that has the highest F1 in the folds. On the
        test parts the three machines choose their clauses, at the sweep's own settings.
        """
        lines = self._comparison.get((system, data), [])
        if way == ON_TEST and system in MACHINES and self.sweep(system, data, self._first_clauses):
            return self.sweep(system, data, self.best_clauses(system, data))
        if not lines or way != ON_TEST:
            return [_chosen(line, way) for line in lines]
        n_settings = len(lines[0]["tried"])
        means = [np.mean([f1(line["tried"][n]["counts"]) for line in lines]) for n in range(n_settings)]
        best = int(np.argmax(means))
        return [line["tried"][best] | _place(line) for line in lines]

    @property
    def _first_clauses(self) -> int:
        return self.clause_counts[0] if self.clause_counts else 0

    def averages(self, system: str, way: str, metric: str) -> dict[int, float]:
        """By trial, the mean of a metric over the paper's five data sets; only trials that have all five."""
        of_trial: dict[int, list[float]] = defaultdict(list)
        for data in PAPER_DATA:
            for line in self.comparison(system, data, way):
                of_trial[line["trial"]].append(value(line, metric))
        whole = {trial: found for trial, found in of_trial.items() if len(found) == len(PAPER_DATA)}
        return {trial: float(np.mean(whole[trial])) for trial in sorted(whole)}


def _chosen(line: Line, way: str) -> Line:
    position = line["chosen_tuned" if way == TUNED else "chosen"]
    found: Line = line["tried"][position]
    four = found.get("tuned", found["counts"]) if way == TUNED else found["counts"]
    return found | {"counts": four, "setting": line["settings"][position]} | _place(line)


def _place(line: Line) -> Line:
    return {"trial": line["trial"], "key": line["key"]}


def value(line: Line, metric: str) -> float:
    """A score, or a number of literals."""
    if metric in ("literals", "simplified"):
        return float(line[metric])
    return scores(line["counts"])[metric]


def by_trial(lines: Sequence[Line], metric: str) -> dict[int, float]:
    """The metric of each trial."""
    return {line["trial"]: value(line, metric) for line in lines}


def in_both(first: dict[int, float], second: dict[int, float]) -> tuple[list[float], list[float]]:
    """The values of the common trials, in the same order."""
    shared = sorted(first.keys() & second.keys())
    return [first[trial] for trial in shared], [second[trial] for trial in shared]


def summary_of(lines: Sequence[Line], metric: str) -> Summary | None:
    """The summary over the trials with the metric; None without trials."""
    if metric in ("literals", "simplified"):
        lines = [line for line in lines if line.get(metric) is not None]
    return summary(value(line, metric) for line in lines) if lines else None


def mean_of(lines: Sequence[Line], metric: str) -> float:
    """The mean over trials; minus infinity without trials."""
    found = summary_of(lines, metric)
    return found.mean if found else -np.inf
