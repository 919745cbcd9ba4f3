"""A random model and random rows: Python, SQL in DuckDB and SQLite, score.js and every export agree.

Tables have all kinds of features, missing and unseen values, extreme numbers and hostile names; models are
machines and scorecards with every policy that the package allows. Not here: infinite numbers, which Python
refuses and SQL does not check (RuleSet.to_sql).
"""

from __future__ import annotations

import atexit
import json
import math
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from clausal import Booleanizer, RuleClassifier, TsetlinClassifier
from clausal.encoding.column_choice import PARAMETERS
from clausal.html_report.form import FormRows, make_fields
from clausal.html_report.page import page_model
from clausal.parameters import OneOf
from tests.support.export_scoring import (
    SCORERS,
    DisagreementError,
    installed,
    require_same,
    score_in_model,
)
from tests.support.fuzz.cards import random_card
from tests.support.sql_scoring import Columns, Row, score_in_sql

NUMBERS = [
    0.0,
    -0.0,
    0.1,
    0.30000000000000004,
    -2.5,
    7.0,
    16777217.0,
    2.0**53,
    5e-324,
    -1e-310,
    1.7e308,
    -1.7e308,
]
CODES = [-1, 0, 1, 2.5, 16777217, 1e300]
TEXTS = [
    "red",
    "RED",
    "",
    " ",
    "it's",
    'gr"een',
    "a\\",
    "\\'",
    "é ✓",
    "</script>",
    "%s",
    "1",
    "null",
    "\U0001f600",
    *(
        "*/",
        "??/",
        '"""',
        "${x}",
        "=1+1",
        "+1",
        "@x",
        "]]>",
        "&lt;",
        "\u202eab",
        "\n",
        "\t x",
        "TRUE",
        "a\u0301",
    ),
]
NAMES = [
    *(
        "x",
        "select",
        "it's",
        'a"b',
        "a;b--",
        "a\\",
        "[x]",
        "`x`",
        "é ✓",
        "</script>",
        "__proto__",
        "constructor",
    ),
    *("%s", "{x}", "a.b", " ", "NULL", "\U0001f600", "?", "$1", ":x", "x" * 70, "a\nb"),
    *("*/ #error", "??/", '"""', "${x}", "=1+1", "]]>", "&amp;<b>", "\u202eab", "//", "\u2028"),
]
LABELS: list[list[Any]] = [
    *(
        [0, 1],
        [False, True],
        ["no", "yes"],
        ["*/", "=1+1"],
        ["it's", 'a"b', "</script>"],
        [1, 2, 3, 4],
        ["", " ", "a\\"],
    ),
]
DIALECTS = ("duckdb", "sqlite")
KINDS = {"number": "DOUBLE", "code": "DOUBLE", "text": "VARCHAR", "ordered": "VARCHAR", "bool": "BOOLEAN"}
HARNESS = """
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  const {model, rows} = JSON.parse(line);
  console.log(JSON.stringify(rows.map((row) => {
    const problem = scoring.problem(model, row);
    return problem === null ? scoring.score(model, row) : null;
  })));
});
"""


class Case(NamedTuple):
    """What a model is fitted to, and with; `random` goes on to make the rows."""

    names: list[str]
    kinds: list[str]
    training: list[list[Any]]
    labels: list[Any]
    booleanizer: Booleanizer
    model: Any
    random: Random


def _any_policy(name: str, random: Random) -> Any:
    """One of the values that the package allows for a policy."""
    (allowed,) = (options for options in PARAMETERS[name] if isinstance(options, OneOf))
    return random.choice(allowed.options)


def policies(random: Random) -> dict[str, Any]:
    """Random policies for values that training did not have."""
    return {name: _any_policy(name, random) for name in ("handle_unknown", "handle_missing")}


def make_case(random: Random) -> Case:
    """A table of a few features, its labels, and a model that is not yet fitted."""
    n_rows, n_features = random.choice([8, 20, 60]), random.randint(1, 4)
    kinds = random.choices(list(KINDS), k=n_features)
    names = random.sample(NAMES, n_features)
    known = _knowledge(names, kinds, random)
    booleanizer = Booleanizer(
        mode="auto" if "bool" in kinds or known else random.choice(["auto", "auto", "paper"]),
        max_columns=random.choice([1, 2, 16]),
        categorical_features=[
            n for n, kind in zip(names, kinds, strict=True) if kind not in ("number", "bool")
        ],
        **policies(random),
        **known,
    )
    machine = TsetlinClassifier(
        random.choice([2, 10, 30]),
        threshold=random.choice([1, 5, 50]),
        n_epochs=random.choice([1, 5]),
        weighting=random.choice(["integer", "integer", "none", "real"]),
        booleanizer=booleanizer,
        random_state=random.randrange(1000),
    )
    labels = random.choice(LABELS)
    scorecard = n_rows == 60 and random.random() < 0.3
    return Case(
        names,
        kinds,
        [_training_values(kind, n_rows, random) for kind in kinds],
        [*labels, *labels, *labels, *random.choices(labels, k=n_rows)][:n_rows],
        booleanizer,
        RuleClassifier(machine, max_literals=random.choice([2, 8]), cv=2, random_state=0)
        if scorecard
        else machine,
        random,
    )


def _knowledge(names: list[str], kinds: list[str], random: Random) -> dict[str, Any]:
    """What is known of some features, for `Booleanizer`; nothing of half of the tables."""
    known: dict[str, dict[str, Any]] = {"cut_points": {}, "special_values": {}, "groups": {}}
    for name, kind in zip(names, kinds, strict=True):
        if random.random() < 0.5:
            continue
        if kind == "number":
            numbers = sorted(random.sample(sorted({*NUMBERS}), 4))
            special = random.sample(numbers, random.randint(0, 2))
            known["special_values"] |= {name: special} if special else {}
            cuts = [number for number in numbers if number not in special]
            known["cut_points"] |= {name: cuts} if random.random() < 0.5 else {}
        elif kind in ("code", "text"):
            members = random.sample(CODES if kind == "code" else TEXTS, 4)
            known["groups"][name] = {"one group": members[:2], "it's \"": members[2:]}
    return {key: value or None for key, value in known.items()} if random.random() < 0.5 else {}


def _training_values(kind: str, n_rows: int, random: Random) -> list[Any]:
    values = {"number": NUMBERS, "code": CODES, "bool": [True, False]}.get(kind, TEXTS)
    some: list[Any] = random.sample(values, random.randint(min(2, len(values)), min(6, len(values))))
    if random.random() < 0.4:
        some.append(None)
    return random.choices(some, k=n_rows)


def compare(case: Case) -> None:
    """Fit the model and score random rows in every language.

    ValueError: the table cannot be learned from, or the model has no SQL. DisagreementError: a finding.
    """
    clf = fit_case(case)
    for dialect in DIALECTS:
        clf.rules_.to_sql(dialect)
    try:
        _compare_rows(clf, random_rows(case, clf))
    except ValueError as error:
        raise DisagreementError("an error in one language only") from error


def fit_case(case: Case) -> Any:
    """The fitted model, or a Scorecard of its rules; ValueError if the table cannot be learned from."""
    values = zip(case.names, case.kinds, case.training, strict=True)
    X = pd.DataFrame({name: _series(kind, column) for name, kind, column in values})
    clf = case.model.fit(X, np.array(case.labels))
    return random_card(clf, case.random) if case.random.random() < 0.5 else clf


def _compare_rows(clf: Any, columns: Columns) -> None:
    in_python, in_page = _python_rows(clf, columns), _page_rows(clf, columns)
    for dialect in DIALECTS:
        _require_same(dialect, in_python, score_in_sql(clf.rules_, dialect, columns))
    if in_page is not None:
        _require_same("score.js", in_python, in_page)
    compare_exports(clf, columns)


def compare_exports(
    clf: Any, columns: Columns, targets: Iterable[str] = ("python", "javascript", "c")
) -> None:
    """Every export that can be run here gives what the model gives, unless the target refuses the model."""
    expected = score_in_model(clf, columns)
    for target in filter(installed, targets):
        try:
            clf.export(target)
        except ValueError:
            continue
        require_same(target, expected, SCORERS[target](clf, columns))


def _series(kind: str, values: list[Any]) -> Any:
    if kind == "ordered":
        return pd.Categorical(values, TEXTS, ordered=True)
    return pd.Series(values, dtype=object)


def random_rows(case: Case, clf: Any, n_rows: int = 30) -> Columns:
    """Rows by column. A feature that no rule tests has known values only: Python alone refuses others."""
    columns: Columns = {}
    for index, (name, kind) in enumerate(zip(case.names, case.kinds, strict=True)):
        asked = list(dict.fromkeys(case.training[index]))
        if index in clf.rules_.used_features:
            asked += _other_values(kind, clf.encoding_.features[index])
        columns[name] = (KINDS[kind], case.random.choices(asked, k=n_rows))
    return columns


def _other_values(kind: str, feature: Any) -> list[Any]:
    """Cut points and their neighbours, unseen and missing values."""
    match kind:
        case "number":
            cuts = [float(cut) for cut in (*getattr(feature, "cuts", ()), *getattr(feature, "special", ()))]
            near = [math.nextafter(cut, end) for cut in cuts for end in (-math.inf, math.inf)]
            return [None, math.nan, *NUMBERS, *cuts, *(number for number in near if math.isfinite(number))]
        case "code":
            return [None, math.nan, *CODES, 2.5000000000000004, -7]
        case "bool":
            return [None, True, False]
        case _:
            return [None, *TEXTS, "unseen"]


def _frame(columns: Columns) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, (_, values) in columns.items()})


def _python_rows(clf: Any, columns: Columns) -> list[Row]:
    """Votes and class of each row, None where it is refused: of all rows, of one alone, by the rules."""
    X, n_banks = _frame(columns), clf.rules_.n_banks
    scored = _scored(clf, X, n_banks)
    if scored[0][-1] is None:  # one refuses all
        scored = [_scored(clf, X.iloc[[place]], n_banks)[0] for place in range(len(X))]
    accepted = [place for place, row in enumerate(scored) if row[-1] is not None]
    if accepted:
        first, kept = scored[accepted[0]], [scored[place] for place in accepted]
        _require_same("a row alone", [first], _scored(clf, X.iloc[accepted[:1]], n_banks))
        _require_same("a batch", kept, _scored(clf, X.iloc[accepted], n_banks))
        votes = clf.rules_.votes(X.iloc[accepted]).reshape(len(accepted), -1).tolist()
        _require_same("rules_", [row[:-1] for row in kept], [tuple(row) for row in votes])
    return scored


def _scored(clf: Any, X: pd.DataFrame, n_banks: int) -> list[Row]:
    try:
        votes = clf.votes(X).reshape(len(X), -1).tolist()
        return [(*row, label) for row, label in zip(votes, clf.predict(X).tolist(), strict=True)]
    except ValueError:
        return [(None,) * (n_banks + 1)] * len(X)


def _require_same(what: str, expected: list[Row], got: list[Row]) -> None:
    for place, (one, other) in enumerate(zip(expected, got, strict=True)):
        if one != other:
            raise DisagreementError(f"row {place}: Python {one}, {what} {other}")


# --- the page ---


@cache
def _node() -> subprocess.Popen[str] | None:
    """A process that scores rows with the page's own script, until its input ends; None without Node.js."""
    program = shutil.which("node")
    if program is None:
        print("LEFT OUT: no node (Node.js), so the page's score.js is not compared", flush=True)
        return None
    script = files("clausal.export").joinpath("score.js").read_text(encoding="utf-8")
    node = subprocess.Popen(
        [program, "-e", script + HARNESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(node.communicate)
    return node


def _page_rows(clf: Any, columns: Columns) -> list[Row] | None:
    """Votes and class of each row as the page computes them, None where it names a problem."""
    node = _node()
    if node is None:
        return None
    rows = FormRows(clf.encoding_, make_fields(clf.rules_), _frame(columns))
    values = [rows.row(place) for place in range(len(next(iter(columns.values()))[1]))]
    assert node.stdin is not None
    assert node.stdout is not None
    node.stdin.write(json.dumps({"model": page_model(clf, clf.rules_), "rows": values}) + "\n")
    node.stdin.flush()
    labels, scored = clf.classes_.tolist(), json.loads(node.stdout.readline())
    nothing = (None,) * (clf.rules_.n_banks + 1)
    return [nothing if item is None else (*item["votes"], labels[item["decided"]]) for item in scored]
