"""Rows scored by what `export` writes, in the language it is for, and by the model itself.

`SCORERS` has a function per target: from a fitted model and rows by column to one `Scored` per row, None
where the row is refused. A target whose program is not installed is not in `installed()`.
Not here: workbooks (workbooks.py).
"""

from __future__ import annotations

import atexit
import itertools
import json
import math
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from clausal.encoding.columns import name_text
from clausal.explain.points_lost import find_points_lost
from clausal.export import Exportable
from clausal.export.document import Calibration, Probability, rule_document
from clausal.export.pmml import N_REASONS, output_names, reason_code
from clausal.export.self_test import expected
from clausal.rules.rule_set import RuleSet
from tests.support.sql_scoring import Columns, run_sql

FOLDER = Path(tempfile.mkdtemp(prefix="clausal-exports-"))
NUMBERS = itertools.count()


class Scored(NamedTuple):
    """What a target says of a row; what it does not say is None. Probabilities are in the order of votes."""

    votes: list[Any]
    label: Any
    probabilities: list[float] | None
    fires: list[bool] | None


class DisagreementError(Exception):
    """Two languages score a row differently."""


class ExportedRules(Exportable, BaseEstimator):
    """Rules with probabilities, as if they had been fitted."""

    def __init__(self, rules: RuleSet, probability: Probability | None = None) -> None:
        self.rules_ = rules
        self._probability = lambda: probability or Calibration(0.25, -0.5)

    def fit(self) -> None:
        """Estimators have it."""


def document_of(clf: Any) -> Any:
    """The document that the writers read."""
    return rule_document(clf.rules_, clf._probability())


def tested_rows(clf: Any, columns: Columns) -> list[tuple[Any, ...]]:
    """The values of the features that rules test, by row, NaN as None."""
    values = [columns[feature.name][1] for feature in document_of(clf).features]
    if not values:
        return [()] * len(next(iter(columns.values()))[1])
    return [tuple(None if v is None or v != v else v for v in row) for row in zip(*values, strict=True)]


def score_in_model(clf: Any, columns: Columns) -> list[Scored | None]:
    """The model itself, row by row."""
    rows = expected(clf.rules_, tested_rows(clf, columns), clf._probability())
    labels = clf.rules_.classes.tolist()
    return [
        None
        if row.votes is None
        else Scored(list(row.votes), labels[row.decided], list(row.probabilities), list(row.fires))
        for row in rows
    ]


def require_same(target: str, expect: Sequence[Scored | None], got: Sequence[Scored | None]) -> None:
    """Votes, decisions and rules are equal on every row, probabilities up to rounding."""
    for place, (one, other) in enumerate(zip(expect, got, strict=True)):
        if not _same(one, other):
            raise DisagreementError(f"row {place}: the model {one}, {target} {other}")


def _same(one: Scored | None, other: Scored | None) -> bool:
    if one is None or other is None:
        return one is other
    if one.votes != other.votes or one.label != other.label or type(one.label) is not type(other.label):
        return False
    if other.fires is not None and one.fires != other.fires:
        return False
    shares = zip(one.probabilities or (), other.probabilities or (), strict=other.probabilities is not None)
    return all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in shares)


# --- one function per target ---


def score_in_python(clf: Any, columns: Columns) -> list[Scored | None]:
    """The Python module, as if it were imported."""
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(clf.export("python"), "exported.py", "exec"), module)  # the tests' own model
    assert module["self_test"]() > 0
    names = list(columns)
    return [
        _scored_in_python(module["score"], dict(zip(names, row, strict=True)))
        for row in zip(*(values for _, values in columns.values()), strict=True)
    ]


def _scored_in_python(score: Callable[[Any], Any], case: dict[str, Any]) -> Scored | None:
    try:
        got = score(case)
    except ValueError:
        return None
    return Scored(got["votes"], got["class"], list(got["probabilities"].values()), got["fires"])


_IN_NODE = """
require("readline").createInterface({input: process.stdin}).on("line", async (line) => {
  const {path, cases} = JSON.parse(line);
  const module = await import(path);
  const scored = cases.map((row) => { try { return module.score(row); } catch (error) { return null; } });
  console.log(JSON.stringify([module.selfTest(), scored]));
});
"""


@cache
def _node() -> subprocess.Popen[str]:
    """A process that imports modules and scores rows until its input ends."""
    node = subprocess.Popen(
        ["node", "-e", _IN_NODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=FOLDER
    )
    atexit.register(node.communicate)
    return node


def score_in_javascript(clf: Any, columns: Columns) -> list[Scored | None]:
    """The ES module, imported by Node.js."""
    path = FOLDER / f"model{next(NUMBERS)}.mjs"
    path.write_text(clf.export("javascript"), encoding="utf-8")
    names = [feature.name for feature in document_of(clf).features]
    cases = [dict(zip(names, row, strict=True)) for row in tested_rows(clf, columns)]
    node = _node()
    assert node.stdin is not None
    assert node.stdout is not None
    node.stdin.write(json.dumps({"path": str(path), "cases": cases}) + "\n")
    node.stdin.flush()
    n_tested, scored = json.loads(node.stdout.readline())
    assert n_tested > 0
    labels = clf.rules_.classes.tolist()
    return [
        row and Scored(row["votes"], _label(row["class"], labels), row["probabilities"], row["fires"])
        for row in scored
    ]


def _label(found: Any, labels: Iterable[Any]) -> Any:
    """The class label that a text or a number of another language stands for."""
    return next(label for label in labels if label == found or str(label) == found)


_STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")
_MAIN = """
#define MODEL_SELF_TEST
#define MODEL_PROBABILITIES
#include "{header}"
#include <stdio.h>
static const model_case cases[] = {{
{cases}
}};
int main(void) {{
  int i, k;
  if (model_self_test() != 0) return 1;
  for (i = 0; i < {n_cases}; i++) {{
    model_result got;
    if (model_score(&cases[i], &got) != 0) {{ puts("refused"); continue; }}
    printf("%d", got.decided);
    for (k = 0; k < {n_banks}; k++) printf(" %lld", (long long)got.votes[k]);
    {probability}
    for (k = 0; k < {n_rules}; k++) putchar('0' + got.fires[k]);
    puts("");
  }}
  return 0;
}}
"""


_FROM_TABLE = 'printf(" %a %a ", 1 - model_probability(&got), model_probability(&got));'
_COMPUTED = """double shares[{n_classes}];
    model_probabilities(&got, shares);
    for (k = 0; k < {n_classes}; k++) printf(" %a", shares[k]);
    printf(" ");"""


def score_in_c(clf: Any, columns: Columns, compiler: Sequence[str] = ("gcc",)) -> list[Scored | None]:
    """The header in a program, compiled with every warning an error."""
    path = FOLDER / f"model{next(NUMBERS)}.h"
    header = clf.export("c")
    path.write_text(header, encoding="utf-8")
    document = document_of(clf)
    cases = tested_rows(clf, columns)
    n_banks, has_table = len(document.constants), "model_probability(" in header
    path.with_suffix(".c").write_text(
        _MAIN.format(
            header=path.name,
            cases=",\n".join(f"  {{{_c_values(document.features, case) or '0'}}}" for case in cases),
            n_cases=len(cases),
            n_banks=n_banks,
            n_rules=len(document.rules),
            probability=_FROM_TABLE if has_table else _COMPUTED.format(n_classes=len(document.labels)),
        ),
        encoding="utf-8",
    )
    program = path.with_suffix("")
    subprocess.run([*compiler, *_STRICT, str(path.with_suffix(".c")), "-o", str(program), "-lm"], check=True)
    printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return [_scored_in_c(line.split(), n_banks, clf) for line in printed.splitlines()]


def _c_values(features: Sequence[Any], case: tuple[Any, ...]) -> str:
    return ", ".join(map(_c_value, features, case))


def _c_value(feature: Any, value: Any) -> str:
    if value is None:
        return "NULL" if feature.holds_text else "NAN"
    if isinstance(value, str):
        return '"' + "".join(f"\\{byte:03o}" for byte in value.encode()) + '"'
    return float(value).hex()


def _scored_in_c(words: list[str], n_banks: int, clf: Any) -> Scored | None:
    if words == ["refused"]:
        return None
    unit = document_of(clf).whole_units("C")
    votes = [int(word) / unit if unit > 1 else int(word) for word in words[1 : 1 + n_banks]]
    labels, rest = clf.rules_.classes.tolist(), words[1 + n_banks :]
    shares = [float.fromhex(word) for word in rest[: len(labels)]]
    fires = [holds == "1" for holds in "".join(rest[len(labels) :])]
    return Scored(votes, labels[int(words[0])], shares, fires)


def score_in_onnx(clf: Any, columns: Columns) -> list[Scored | None]:
    """The ONNX model in onnxruntime, all rows at once."""
    import onnx
    import onnxruntime

    from clausal.export.onnx import check_onnx, onnx_inputs

    model = clf.export("onnx")
    assert check_onnx(model) > 0
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    inputs = onnx_inputs(onnx.load_from_string(model), tested_rows(clf, columns))
    parts = [part.tolist() for part in session.run(names, inputs)]
    rows = (dict(zip(names, row, strict=True)) for row in zip(*parts, strict=True))
    labels = clf.rules_.classes.tolist()
    return [
        Scored(row["votes"], _label(row["label"], labels), row["probabilities"], row["rules"])
        if row["accepted"][0]
        else None
        for row in rows
    ]


def score_in_pmml(clf: Any, columns: Columns) -> list[Scored | None]:
    """The PMML in PMML4S, a Java program that pypmml starts."""
    import pypmml

    from clausal.export.pmml import check_pmml

    text = clf.export("pmml")
    assert check_pmml(text) > 0
    document = document_of(clf)
    n_banks = clf.rules_.n_banks
    names = document.input_names(output_names(n_banks), "PMML")
    model = pypmml.Model.fromString(text)
    rows = [[int(v) if isinstance(v, bool) else v for v in row] for row in tested_rows(clf, columns)]
    cases = [dict(zip(names, row, strict=True)) for row in rows]
    scored = json.loads(model.predict(json.dumps(cases)))
    labels = clf.rules_.classes.tolist()
    if n_banks == 1:
        _require_same_reasons(clf, columns, scored)
        shares = [[1 - row["probability"], row["probability"]] for row in scored]
        votes = [[row["vote"]] for row in scored]
    else:
        shares, votes = (
            [[row[f"{name}_{bank}"] for bank in range(n_banks)] for row in scored]
            for name in ("probability", "vote")
        )
    return [
        Scored(own, _label(row["prediction"], labels), of_class, None)
        for row, own, of_class in zip(scored, votes, shares, strict=True)
    ]


def _require_same_reasons(clf: Any, columns: Columns, scored: Sequence[dict[str, Any]]) -> None:
    """Reason codes are those of `reasons`; of equal losses the engine may name any first."""
    X = pd.DataFrame({name: pd.Series(values, dtype=object) for name, (_, values) in columns.items()})
    wanted = {"baseline": "best", "reference": None, "target": clf.rules_.outcome.pos_label}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = find_points_lost(clf.rules_, X, **wanted, n=1000)
    for place, (own, row) in enumerate(zip(found, scored, strict=True)):
        codes = list(dict.fromkeys(row[f"reason_{rank}"] for rank in range(1, N_REASONS + 1)))
        named = ((" and ".join(map(name_text, each.values)), each) for each in own.lost)
        losses = {reason_code(each.condition, name): each.lost for name, each in named}
        got = [losses.get(code) for code in codes if code is not None]
        expect = [each.lost for each in own.lost[:N_REASONS]]
        if got != expect[: len(got)] or len(got) < min(len(losses), len(expect)):
            raise DisagreementError(f"row {place}: reasons {own}, in PMML {codes}")


def score_in_database(clf: Any, columns: Columns, database: str) -> list[Scored | None]:
    """The SQL query in a database, with probabilities."""
    numbered = {**columns, "row number": ("INTEGER", list(range(len(next(iter(columns.values()))[1]))))}
    query = clf.export("sql", dialect=database, keep=["row number"], vote="v", probability="p")
    n_banks, labels = clf.rules_.n_banks, clf.rules_.classes.tolist()
    scored: list[Scored | None] = []
    for row in sorted(run_sql(database, query, numbered), key=lambda row: row[0]):
        votes, label, shares = list(row[1 : 1 + n_banks]), row[1 + n_banks], list(row[2 + n_banks :])
        shares = shares[:-1] if clf.rules_.overrides else shares
        shares = [1 - shares[0], *shares] if None not in shares and n_banks == 1 else shares
        refused = None in votes
        assert not refused or {label, *votes, *shares} == {None}
        scored.append(None if refused else Scored(votes, _label(label, labels), shares, None))
    return scored


def score_in_service(clf: Any, columns: Columns) -> list[Scored | None]:
    """The HTTP service, called without a network; refused rows are left out until it scores the others."""
    from clausal.service import make_app
    from tests.support.services import plain_rows, post

    app, rows = make_app(clf), plain_rows(columns)
    scored: list[Scored | None] = [None] * len(rows)
    places = list(range(len(rows)))
    while places:
        answer = post(app, "/predict", {"rows": [rows[place] for place in places]})
        if answer.status == 200:
            for place, row in zip(places, answer.content["predictions"], strict=True):
                shares = clf.rules_.outcome.by_label(np.array([row["probabilities"]]))[0].tolist()
                scored[place] = Scored(row["votes"], row["label"], shares, None)
            break
        assert answer.status == 422
        for refused in reversed(answer.content["rows"]):
            del places[refused["row"]]
    return scored


SCORERS: dict[str, Callable[[Any, Columns], list[Scored | None]]] = {
    "python": score_in_python,
    "javascript": score_in_javascript,
    "c": score_in_c,
    "onnx": score_in_onnx,
    "duckdb": partial(score_in_database, database="duckdb"),
    "sqlite": partial(score_in_database, database="sqlite"),
    "pmml": score_in_pmml,
    "service": score_in_service,
}
LIGHT = tuple(name for name in SCORERS if name != "pmml")
"""In `make test`; all, and Excel, in `make test-exports`."""
PROGRAMS = {"javascript": "node", "c": "gcc", "pmml": "java", "excel": "soffice"}


PACKAGES = {
    "service": ("fastapi",),
    "onnx": ("onnx", "onnxruntime"),
    "pmml": ("pypmml",),
    "excel": ("openpyxl",),
}


def export_of(target: str) -> str:
    """The export that a target is scored by; the service has none, and takes any model, as text does."""
    return {"duckdb": "sql", "sqlite": "sql", "service": "text"}.get(target, target)


def installed(target: str) -> bool:
    """Whether what the target needs is here."""
    programs = target not in PROGRAMS or shutil.which(PROGRAMS[target]) is not None
    return programs and all(find_spec(name) is not None for name in PACKAGES.get(target, ()))
