"""`make test-exports`: random models and thousands of random rows scored by every export, and what ran.

Models, tables and names are those of `make fuzz`. C is compiled by every compiler that is here, for this
processor, for 32 bits, and for a Cortex-M0, where bytes of flash and RAM are printed.
`--target onnx --rows 1000` runs a part.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from clausal import RuleClassifier
from clausal.datasets import load_heart_disease
from tests.support.export_scoring import (
    FOLDER,
    SCORERS,
    Columns,
    Scored,
    export_of,
    installed,
    require_same,
    score_in_c,
    score_in_model,
)
from tests.support.fuzz.differential import fit_case, make_case, random_rows

ROWS_OF_A_MODEL = 250
_BATCH = 20  # workbooks that LibreOffice calculates in one run
COMPILERS = {
    "c (gcc -O2)": ("gcc", "-O2"),
    "c (gcc -m32)": ("gcc", "-m32", "-O2"),
    "c (clang -O2)": ("clang", "-O2"),
    "c (clang -m32)": ("clang", "-m32", "-O2"),
}
CORTEX = ("arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb", "-Os", "-std=c99", "-ffunction-sections")
Scorer = Callable[[Any, Columns], list[Scored | None]]


def models_and_rows(target: str, export: str) -> Iterator[tuple[Any, Columns]]:
    """Random models that the target can hold, each with random rows."""
    for number in range(100_000):
        case = make_case(Random(f"{target} {number}"))
        try:
            clf = fit_case(case)
            clf.export(export, **({"dialect": target} if export == "sql" else {}))
        except ValueError:
            continue
        yield clf, random_rows(case, clf, ROWS_OF_A_MODEL)


def compare(target: str, export: str, score: Scorer, n_rows: int) -> str:
    """Score so many rows; what was scored."""
    n_models = n_scored = n_refused = 0
    kinds: Counter[str] = Counter()
    for clf, columns in models_and_rows(target, export):
        expected = score_in_model(clf, columns)
        require_same(target, expected, score(clf, columns))
        n_models, n_scored = n_models + 1, n_scored + len(expected)
        n_refused += expected.count(None)
        kinds.update(kinds_of(clf))
        if n_scored >= n_rows:
            break
    listed = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    return f"{n_scored} rows of {n_models} models ({listed}), {n_refused} refused: all equal"


def kinds_of(clf: Any) -> list[str]:
    """What is special about a model."""
    found = {
        "of several classes": clf.rules_.n_banks > 1,
        "with overrides": bool(clf.rules_.overrides),
        "edited": bool(getattr(clf, "log_", ())),
        "scaled": "scale" in getattr(clf, "about_", {}),
    }
    return [kind for kind, there in found.items() if there]


def compare_in_excel(n_rows: int) -> str:
    """The same in LibreOffice, several workbooks in one run, with a case typed into the form of each."""
    from tests.support.workbooks import as_typed, calculated, form_says, scored_in_excel, workbook_of

    n_models, n_scored, kinds = 0, 0, Counter[str]()
    batch: list[tuple[Any, Columns]] = []
    for clf, columns in models_and_rows("excel", "excel"):
        batch.append((clf, as_typed(columns)))
        if len(batch) < _BATCH and n_scored + len(batch) * ROWS_OF_A_MODEL < n_rows:
            continue
        workbooks = calculated([workbook_of(*pair) for pair in batch])
        for (model, rows), workbook in zip(batch, workbooks, strict=True):
            expected = score_in_model(model, rows)
            require_same("excel", expected, scored_in_excel(model, workbook))
            require_same("the form of excel", expected[:1], [form_says(model, workbook)])
            kinds.update(kinds_of(model))
        n_models, n_scored = n_models + len(batch), n_scored + len(batch) * ROWS_OF_A_MODEL
        batch = []
        if n_scored >= n_rows:
            break
    listed = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    return f"{n_scored} rows of {n_models} models ({listed}), and a typed case of each: all equal"


def cortex_bytes() -> str:
    """The size of a scorecard of 12 literals for a Cortex-M0, whose score function alone is kept."""
    X, y = load_heart_disease(return_X_y=True, as_frame=True)
    clf = RuleClassifier(max_literals=12, parsimony=0, random_state=0).fit(X, y)
    path = FOLDER / "cortex.h"
    path.write_text(clf.export("c"), encoding="utf-8")
    source = path.with_suffix(".c")
    source.write_text(
        '#include "cortex.h"\nmodel_case row;\nmodel_result result;\n'
        "int run(void);\nint run(void) { return model_score(&row, &result); }\n"
    )
    program, compiler = path.with_suffix(".o"), CORTEX[0]
    strict = ("-Wall", "-Wextra", "-Werror", "-pedantic")
    subprocess.run([*CORTEX, *strict, "-c", str(source), "-o", str(program)], check=True)
    size = [compiler.replace("gcc", "size"), str(program)]
    text, data, bss = subprocess.run(size, check=True, capture_output=True, text=True).stdout.split()[6:9]
    rules = clf.rules_
    return (
        f"{len(rules)} rules, {rules.n_literals} literals: {text} bytes of flash, {int(data) + int(bss)} "
        "bytes of RAM for a case and its result, without the C library"
    )


def jobs(n_rows: int) -> dict[str, tuple[bool, Callable[[], str]]]:
    """For each target whether it can run here, and what runs it."""
    found: dict[str, tuple[bool, Callable[[], str]]] = {}
    for target, score in SCORERS.items():
        if target != "c":
            found[target] = (installed(target), partial(compare, target, export_of(target), score, n_rows))
    for name, compiler in COMPILERS.items():
        score = partial(score_in_c, compiler=compiler)
        found[name] = (_compiles(compiler), partial(compare, name, "c", score, n_rows))
    found["c (Cortex-M0)"] = (shutil.which(CORTEX[0]) is not None, cortex_bytes)
    found["excel"] = (installed("excel"), partial(compare_in_excel, n_rows))
    return found


def _compiles(compiler: tuple[str, ...]) -> bool:
    """Whether a compiler is here, with the libraries that its options need."""
    if shutil.which(compiler[0]) is None:
        return False
    source = Path(FOLDER) / "empty.c"
    source.write_text("#include <stdint.h>\n#include <string.h>\nint main(void) { return 0; }\n")
    command = [*compiler, str(source), "-o", str(source.with_suffix(""))]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000, help="of each target")
    parser.add_argument("--target", action="append", help="the beginning of its name; all if not given")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, (possible, run) in jobs(options.rows).items():
        if options.target is None or name.startswith(tuple(options.target)):
            print(f"{name}: {run() if possible else 'LEFT OUT, as it cannot run here'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
