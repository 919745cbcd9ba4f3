"""RWTLA and CPL-ATS, the weight rules of the paper's future work, beside the integer rule on its data sets.

For each rule, data set and number of clauses, the setting with the highest mean F1 on the splits of a search
is trained on other splits, the same for all rules. `python -m studies.weight_rules` prints the tables of
docs/decisions/0033-weight-rules.md (some minutes; `--trials 5 --clauses 10 100` for a piece).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clausal import TsetlinClassifier
from studies.data import PAPER_DATA, Data, load
from studies.paper.machines import Setting, machine, sweep_settings
from studies.paper.metrics import counts, scores, summary
from studies.paper.splits import search_split, trial_split

RULES = ("integer", "rwtla", "cpl_ats")
N_SEARCH_SPLITS = 3
NEAR = 0.01
"""A machine has converged where its accuracy on training rows stays this near the one at the end."""


class Fit(NamedTuple):
    """One machine: scores on test rows, its size, its weights, the epoch of convergence."""

    f1: float
    accuracy: float
    literals: int
    mean_weight: float
    largest_weight: float
    epochs: int


def fit(rule: str, data: Data, setting: Setting, rows: tuple[Any, Any], seed: int) -> Fit:
    """Train a machine on the first rows and score it on the others."""
    train, test = rows
    model: TsetlinClassifier = machine("IWTM", setting, seed).set_params(weighting=rule)
    model.fit(data.cells[train], data.y[train], eval_set=(data.cells[train], data.y[train]))
    found = scores(counts(data.y[test], model.predict(data.cells[test])))
    weights = model.model_.weights
    live = weights[weights > 0]
    accuracy = np.array(model.history_["eval"])
    far = np.flatnonzero(np.abs(accuracy - accuracy[-1]) > NEAR)
    return Fit(
        found["f1"],
        found["accuracy"],
        model.n_literals_,
        float(live.mean()) if len(live) else 0.0,
        float(weights.max()),
        int(far[-1]) + 2 if len(far) else 1,
    )


def choose(rule: str, data: Data, n_clauses: int) -> Setting:
    """The setting with the highest mean F1 on the splits of the search, with fewer literals on a tie."""

    def merit(setting: Setting) -> tuple[float, float]:
        splits = [search_split(data, k) for k in range(N_SEARCH_SPLITS)]
        fits = [fit(rule, data, setting, rows, 1000 + k) for k, rows in enumerate(splits)]
        f1, literals = (float(np.mean([getattr(one, name) for one in fits])) for name in ("f1", "literals"))
        return round(f1, 9), -literals

    tried = {replace(setting, weight_gain=0.01) for setting in sweep_settings(n_clauses)}
    return max(sorted(tried, key=str), key=merit)


def run(clauses: Sequence[int], n_trials: int, file: Path) -> list[dict[str, Any]]:
    """Compute what the file lacks, and return its lines."""
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    done = {(line["rule"], line["data"], line["n_clauses"], line["trial"]) for line in lines}
    for name, m, rule in ((name, m, rule) for m in clauses for name in PAPER_DATA for rule in RULES):
        missing = [trial for trial in range(n_trials) if (rule, name, m, trial) not in done]
        if not missing:
            continue
        data = load(name)
        setting = choose(rule, data, m)
        for trial in missing:
            one = fit(rule, data, setting, trial_split(data, trial), trial)
            line = {"rule": rule, "data": name, "n_clauses": m, "trial": trial, "setting": asdict(setting)}
            lines.append(line | one._asdict())
            with file.open("a") as out:
                out.write(json.dumps(lines[-1]) + "\n")
    return lines


def table(lines: list[dict[str, Any]], clauses: Sequence[int]) -> str:
    """Means over the data sets and trials by rule and number of clauses, with paired differences."""
    rows = [
        "| rule | clauses | F1 | less the integer rule's | accuracy | less the integer rule's | literals "
        "| mean weight | largest | epochs |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for m in clauses:
        own = {
            rule: {_key(x): x for x in lines if (x["rule"], x["n_clauses"]) == (rule, m)} for rule in RULES
        }
        for rule in RULES:
            keys = sorted(own[rule].keys() & own["integer"].keys())

            def mean(name: str, keys: list[Any] = keys, these: Any = own[rule]) -> float:
                return float(np.mean([these[key][name] for key in keys]))

            less = [_difference(own[rule], own["integer"], keys, name) for name in ("f1", "accuracy")]
            rows.append(
                f"| `{rule}` | {m} | {mean('f1'):.3f} | {less[0]} | {mean('accuracy'):.3f} | {less[1]} "
                f"| {mean('literals'):,.0f} | {mean('mean_weight'):.1f} | {mean('largest_weight'):.0f} "
                f"| {mean('epochs'):.0f} |"
            )
    return "\n".join(rows)


def _key(line: dict[str, Any]) -> tuple[str, int]:
    return line["data"], line["trial"]


def _difference(these: Any, those: Any, keys: list[Any], name: str) -> str:
    """The mean paired difference, with its 95 % interval over trials (of the mean over data sets)."""
    trials = sorted({trial for _, trial in keys})
    means = [
        float(np.mean([these[key][name] - those[key][name] for key in keys if key[1] == trial]))
        for trial in trials
    ]
    if not any(means):
        return "-"
    found = summary(means)
    return f"{found.mean:+.3f} ± {found.half:.3f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clauses", type=int, nargs="+", default=[10, 100, 500])
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("weight_rules.jsonl"))
    given = parser.parse_args()
    print(table(run(given.clauses, given.trials, given.results), given.clauses))


if __name__ == "__main__":
    main()
