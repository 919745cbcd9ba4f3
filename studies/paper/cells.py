"""The computations: cells with stable keys. A key contains everything that the result depends on.

Parts, in order: search (settings of the sweep), sweep (the 15 tables by m), comparison (the 5 tables of all
systems), rules (models of 2 and 10 clauses on Bankruptcy, their weights over training). Not here: the
computation (evaluation.py).
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from studies.data import COMPARISON_DATA, PAPER_DATA, SWEEP_DATA
from studies.paper.budget import FIT_SECONDS, OURS_SECONDS, SIMPLIFY_SECONDS, Budget, machine_seconds
from studies.paper.chosen_settings import chosen_settings
from studies.paper.machines import MACHINES, Setting, sweep_settings
from studies.paper.systems import OURS, SHORT, SYSTEMS

PARTS = ("search", "sweep", "comparison", "rules")
RULE_CLAUSES = (2, 10)


@dataclass(frozen=True)
class Cell:
    """One computation: a system on a data set in a trial (or a split of the search)."""

    part: str
    system: str
    data: str
    trial: int
    settings: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0  # an estimate, for the remaining time

    @property
    def key(self) -> str:
        """Part, system, data set and trial, and a digest of all settings and options."""
        tried = [s.as_dict() if isinstance(s, Setting) else s for s in self.settings]
        text = json.dumps([tried, dict(self.options)], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        return f"{self.part}/{self.system}/{self.data}/{self.trial}/{digest}"


def cells_of(part: str, budget: Budget, search: Iterable[dict[str, Any]] = ()) -> list[Cell]:
    """The cells of a part, trial by trial; sweep and rules need the lines of the search."""
    match part:
        case "search":
            return _search(budget)
        case "comparison":
            return _comparison(budget)
        case "sweep":
            return _sweep(budget, _complete_search(budget, search))
        case "rules":
            return _rules(budget, _complete_search(budget, search))
    raise ValueError(f"A part must be one of {', '.join(PARTS)}. Got {part!r}.")


def estimated_seconds(budget: Budget) -> dict[str, float]:
    """Processor seconds of each part; for the sweep, assuming all epochs and two settings per system."""
    sweep = 0.0
    for m in budget.clause_counts:
        simplifying = SIMPLIFY_SECONDS * m * (1 if m <= 500 else budget.n_simplified / budget.n_trials)
        trainings = sum(_machine_cost(data, sweep_settings(m)[0]) + simplifying for data in SWEEP_DATA)
        sweep += 2 * len(MACHINES) * budget.n_trials * trainings
    return {
        "search": sum(cell.seconds for cell in _search(budget)),
        "sweep": sweep,
        "comparison": sum(cell.seconds for cell in _comparison(budget)),
    }


def _complete_search(budget: Budget, lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of the search of this budget; settings must be chosen only from a complete search."""
    by_key = {line["key"]: line for line in lines}
    keys = [cell.key for cell in _search(budget)]
    if absent := sum(key not in by_key for key in keys):
        raise ValueError(
            f"The part 'search' must be complete first. Got {len(keys) - absent} of {len(keys)} cells."
        )
    return [by_key[key] for key in keys]


def _search(budget: Budget) -> list[Cell]:
    return [
        Cell("search", system, data, split, (setting.of(system),), seconds=_machine_cost(data, setting))
        for split in range(max(map(budget.search_splits, budget.clause_counts)))
        for m in budget.clause_counts
        if split < budget.search_splits(m)
        for data in SWEEP_DATA
        for system in MACHINES
        for setting in sweep_settings(m)
    ]


def _sweep(budget: Budget, search: list[dict[str, Any]]) -> list[Cell]:
    chosen = chosen_settings(search)
    return [
        Cell("sweep", system, data, trial, (setting,), options, _machine_cost(data, setting))
        for trial in range(budget.n_trials)
        for m in budget.clause_counts
        for data in SWEEP_DATA
        for system in MACHINES
        for setting in dict.fromkeys(chosen[system, data, m].values())  # own and identical may be equal
        for options in [{"simplify": m <= 500 or trial < budget.n_simplified}]
    ]


def _comparison(budget: Budget) -> list[Cell]:
    return [
        Cell("comparison", name, data, trial, settings, {"n_folds": budget.n_folds}, seconds)
        for some in (PAPER_DATA, COMPARISON_DATA[len(PAPER_DATA) :])  # the averages are complete first
        for trial in range(budget.n_trials)
        for data in some
        for name, system in SYSTEMS.items()
        for settings in [system.settings[: budget.n_settings]]
        for seconds in [_comparison_cost(name, data, settings, budget.n_folds)]
    ]


def _rules(budget: Budget, search: list[dict[str, Any]]) -> list[Cell]:
    chosen = chosen_settings(search)
    return [
        Cell("rules", system, "Bankruptcy", trial, (setting,), {}, _machine_cost("Bankruptcy", setting))
        for trial in range(budget.n_rule_trials)
        for m in RULE_CLAUSES
        for system in MACHINES
        for setting in [chosen[system, "Bankruptcy", m]["own"]]
    ]


def _machine_cost(data: str, setting: Setting) -> float:
    return machine_seconds(data, setting.n_clauses, setting.n_epochs)


def _comparison_cost(system: str, data: str, settings: tuple[Any, ...], n_folds: int) -> float:
    """Every setting is fitted once on the training part, and in each fold on slightly fewer rows."""
    fits = 1 + (n_folds - 1 if len(settings) > 1 else 0)
    if system in MACHINES:
        return fits * sum(_machine_cost(data, setting) for setting in settings)
    if system in (OURS, SHORT):
        return OURS_SECONDS
    return fits * len(settings) * FIT_SECONDS.get(system, 0.01)
