"""`python -m studies.quality`: compute the missing fits, two at a time, then print the summary.

`--part goals` does the goals of the paper's data sets, `--part comparison` the comparison of compact models;
without it, both. `--help` has the options that run a piece of the comparison.
"""

import argparse
import json
import platform
from pathlib import Path

from joblib import Parallel, delayed

import clausal
from studies.quality import comparison, goals
from studies.quality.comparison import (
    FREE,
    N_SPLITS,
    N_SPLITS_FULL,
    SIZES,
    Work,
    lines_of,
    missing_work,
    wanted_sizes,
)
from studies.quality.goals_summary import print_summary
from studies.quality.learners import BY_DEFAULT, LEARNERS, unavailable
from studies.quality.paths import compile_fast_risk_score
from studies.quality.report import tables_of
from studies.quality.selection import CHOICES
from studies.quality.tables import MULTI_CLASS, NAMES, OPTIONAL, missing_file


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m studies.quality", description=__doc__)
    parser.add_argument("--part", choices=("goals", "comparison"), help="only this part")
    parser.add_argument("--tables", nargs="+", choices=NAMES + OPTIONAL, default=NAMES, metavar="TABLE")
    parser.add_argument(
        "--learners", nargs="+", choices=tuple(LEARNERS), default=BY_DEFAULT, metavar="LEARNER"
    )
    parser.add_argument("--sizes", nargs="+", type=_size, default=SIZES, help="numbers of literals, or free")
    parser.add_argument("--splits", type=int, help=f"default: {N_SPLITS}, with --full {N_SPLITS_FULL}")
    parser.add_argument("--full", action="store_true", help="20 splits, for slow learners too")
    parser.add_argument("--choice", choices=CHOICES, default="accuracy", help="of the models that are shown")
    parser.add_argument("--jobs", type=int, default=2, help="fits at a time")
    parser.add_argument("--results", type=Path, default=comparison.RESULTS, help="the file of the comparison")
    parser.add_argument("--no-fits", action="store_true", help="only print what is stored")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser.parse_args()


def _size(text: str) -> int | str:
    return FREE if text == FREE else int(text)


def run_goals(options: argparse.Namespace) -> None:
    """The goals on the paper's data sets."""
    lines = goals.stored_lines()
    versions = {"clausal": clausal.__version__, "python": platform.python_version()}
    work = [] if options.no_fits else [delayed(goals.one_fit)(*fit) for fit in goals.missing_fits(lines)]
    with goals.RESULTS.open("a", encoding="utf-8") as file:
        for line in Parallel(n_jobs=options.jobs, return_as="generator_unordered")(work):
            lines.append(line | versions)
            print(json.dumps(lines[-1]), file=file, flush=True)
    print_summary(lines)


def run_comparison(options: argparse.Namespace) -> None:
    """The comparison of compact models; says what is left out."""
    tables, learners = _present(options)
    lines = comparison.stored_lines(options.results)
    n_splits = options.splits or (N_SPLITS_FULL if options.full else N_SPLITS)
    work: list[Work] = []
    if not options.no_fits:
        work = list(missing_work(lines, learners, tables, options.sizes, n_splits, options.full))
    if any(one.learner == "FastRiskScore" for one in work):
        compile_fast_risk_score()  # once, not in every worker
    with options.results.open("a", encoding="utf-8") as file:
        for made in Parallel(n_jobs=options.jobs, return_as="generator_unordered")(
            map(delayed(lines_of), work)
        ):
            for line in made:
                lines.append(line | {"python": platform.python_version()})
                print(json.dumps(lines[-1]), file=file, flush=True)
    shown = [
        line
        for line in lines
        if line["data"] in tables
        and line["learner"] in learners
        and line["split"] < n_splits
        and line["size"] in wanted_sizes(line["learner"], options.sizes)
    ]
    for table in tables_of(shown, options.choice):
        print("\n" + (table.as_markdown() if options.markdown else table.as_text()))


def _present(options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The tables and learners that can be used, all if nothing is fitted; prints why others cannot."""
    tables, learners = [], []
    for name in options.tables:
        if not options.no_fits and (file := missing_file(name)):
            print(f"Left out: {name}; the folder of data has no {file}.")
        else:
            tables.append(name)
    for name in options.learners:
        if not options.no_fits and (reason := unavailable(name)):
            print(f"Left out: {name}; {reason}.")
        else:
            learners.append(name)
    binary = [name for name in learners if not LEARNERS[name].several_classes]
    skipped = [name for name in tables if name in MULTI_CLASS]
    if binary and skipped:
        print(f"Two classes only, so not on {', '.join(skipped)}: {', '.join(binary)}.")
    few = [f"{name} {LEARNERS[name].max_splits}" for name in learners if LEARNERS[name].max_splits]
    if few and not options.full:
        print(f"Slow, so on the first splits only: {', '.join(few)}.")
    return tables, learners


if __name__ == "__main__":
    chosen = arguments()
    if chosen.part != "comparison":
        run_goals(chosen)
    if chosen.part != "goals":
        run_comparison(chosen)
