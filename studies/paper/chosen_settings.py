"""The settings of the sweep, from the lines of the search: the highest mean F1, fewest literals on a tie.

There are two choices: the best setting of each system, and the setting that is best for the three systems on
average. Not here: the search (evaluation.py), and choices inside training parts, which are made there as
well.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from studies.paper.machines import MACHINES, Setting, epoch_stops, sweep_settings
from studies.paper.metrics import f1

Place = tuple[str, str, int]  # system, data, n_clauses
Evaluated = dict[Setting, tuple[float, float]]  # mean F1, mean literals


def chosen_settings(search: Iterable[dict[str, Any]]) -> dict[Place, dict[str, Setting]]:
    """The settings 'own' and 'identical' of each (system, data, n_clauses) with a complete evaluation."""
    evaluated = _evaluated(search)
    chosen: dict[Place, dict[str, Setting]] = {}
    for data, m in dict.fromkeys((data, m) for _, data, m in evaluated):
        of_system = {system: evaluated.get((system, data, m), {}) for system in MACHINES}
        if any(s.of(system) not in settings for system, settings in of_system.items() for s in _tried(m)):
            continue
        identical = _best_for_all(of_system, m)
        for system, settings in of_system.items():
            tried = [setting.of(system) for setting in _tried(m)]
            own = max(tried, key=lambda setting: _merit(settings[setting]))
            chosen[system, data, m] = {"own": own, "identical": identical.of(system)}
    return chosen


def _tried(n_clauses: int) -> list[Setting]:
    """All settings with their numbers of epochs, in a fixed order: the first one wins a tie."""
    return [s.with_epochs(stop) for s in sweep_settings(n_clauses) for stop in epoch_stops(s)]


def _evaluated(search: Iterable[dict[str, Any]]) -> dict[Place, Evaluated]:
    """Mean F1 and literals of each setting over the splits of the search."""
    seen: dict[Place, dict[Setting, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for line in search:
        setting = Setting(**line["settings"][0])
        place = (line["system"], line["data"], setting.n_clauses)
        for stop in line["stops"]:
            found = (f1(stop["counts"]), float(stop["literals"]))
            seen[place][setting.with_epochs(stop["n_epochs"])].append(found)
    return {
        place: {setting: _means(found) for setting, found in settings.items()}
        for place, settings in seen.items()
    }


def _best_for_all(of_system: dict[str, Evaluated], n_clauses: int) -> Setting:
    """The setting, gain included, whose F1 averaged over the systems is highest."""
    return max(
        _tried(n_clauses), key=lambda s: _merit(_means([of_system[name][s.of(name)] for name in MACHINES]))
    )


def _means(found: list[tuple[float, float]]) -> tuple[float, float]:
    """Column by column."""
    first, second = np.mean(found, axis=0).tolist()
    return first, second


def _merit(evaluated: tuple[float, float]) -> tuple[float, float]:
    """The sort key, higher is better. F1 is rounded, so that the order of summation does not matter."""
    return round(evaluated[0], 9), -evaluated[1]
