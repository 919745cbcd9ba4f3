"""`python -m studies.defaults`: compute the missing fits of the study, then print its summary.

`--help` has the options that run a piece of it.
"""

import argparse
import json
from pathlib import Path

from studies.defaults import study
from studies.defaults.study import LEARNERS, N_SPLITS, RESULTS, TABLES
from studies.defaults.summary import summary


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m studies.defaults", description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=tuple(TABLES), default=tuple(TABLES), metavar="TABLE")
    parser.add_argument(
        "--learners", nargs="+", choices=tuple(LEARNERS), default=tuple(LEARNERS), metavar="LEARNER"
    )
    parser.add_argument("--splits", type=int, default=N_SPLITS)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of the fits")
    parser.add_argument("--no-fits", action="store_true", help="only print what is stored")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser.parse_args()


def main() -> None:
    """Run the missing fits one after the other; print the summary."""
    options = arguments()
    lines = study.stored_lines(options.results)
    if not options.no_fits:
        with options.results.open("a", encoding="utf-8") as file:
            for work in study.missing_work(lines, options.learners, options.tables, options.splits):
                lines.append(study.one_line(work))
                print(json.dumps(lines[-1]), file=file, flush=True)
                print(*work, f"{lines[-1]['accuracy']:.3f}", flush=True)
    for table in summary(lines):
        print("\n" + (table.as_markdown() if options.markdown else table.as_text()))


if __name__ == "__main__":
    main()
