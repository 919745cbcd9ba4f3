"""Exports as users rely on them: each scores every row as the model does.

Tables, models and rows are those of `make fuzz`, with every policy and hostile names, categories and labels.
`make test-exports` scores many more rows. Not here: SQL (test_sql_contract.py).
"""

from __future__ import annotations

import math
import subprocess
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from clausal import Booleanizer, RuleClassifier
from clausal.datasets import load_heart_disease
from clausal.export.c import to_c
from clausal.export.javascript import to_javascript
from clausal.export.python import to_python
from clausal.export.self_test import self_test
from clausal.rules.rule import Rule
from tests.support.every_condition import CLASSES, POLICIES, TABLE, every_condition
from tests.support.export_scoring import (
    LIGHT,
    SCORERS,
    Columns,
    DisagreementError,
    ExportedRules,
    document_of,
    export_of,
    installed,
    require_same,
    score_in_model,
)
from tests.support.fuzz.differential import fit_case, make_case, random_rows
from tests.support.scorecards import machine, scorecard

N_MODELS = 12  # of each target
pytestmark = pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")
targets = pytest.mark.parametrize("target", LIGHT)


def need(target: str) -> None:
    if not installed(target):
        pytest.skip(f"LEFT OUT: what runs an export to {target}")


def options_of(target: str) -> dict[str, str]:
    return {"dialect": target} if export_of(target) == "sql" else {}


def model_and_rows(number: int) -> tuple[Any, Any]:
    """The same ones for every target."""
    case = make_case(Random(f"exports {number}"))
    clf = fit_case(case)
    return clf, random_rows(case, clf)


@targets
def test_every_row_is_scored_as_in_the_model(target: str) -> None:
    need(target)
    refused = accepted = 0
    for number in range(N_MODELS):
        clf, rows = model_and_rows(number)
        try:
            clf.export(export_of(target), **options_of(target))
        except ValueError:  # which says what the target cannot hold
            refused += 1
            continue
        require_same(target, score_in_model(clf, rows), SCORERS[target](clf, rows))
        accepted += 1
    assert accepted > refused


@targets
def test_a_wrong_vote_is_seen(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    need(target)
    clf, rows = model_and_rows(1)
    expected = score_in_model(clf, rows)
    changed = [
        None if row is None else row._replace(votes=[vote + 1 for vote in row.votes]) for row in expected
    ]
    with pytest.raises(DisagreementError):
        require_same(target, changed, SCORERS[target](clf, rows))


def rows_of_self_test(model: ExportedRules) -> Columns:
    """The rows at every border, with missing and unknown values, that every export carries."""
    features = document_of(model).features
    values = zip(*(row.values for row in self_test(model.rules_)), strict=True)
    kinds = {"boolean": "BOOLEAN"}
    types = ["VARCHAR" if feature.holds_text else kinds.get(feature.kind, "DOUBLE") for feature in features]
    named = zip(features, types, values, strict=True)
    return {feature.name: (kind, list(column)) for feature, kind, column in named}


@pytest.mark.parametrize(("unknown", "missing"), POLICIES)
@pytest.mark.parametrize("n_classes", CLASSES)
@targets
def test_every_policy_at_every_border(target: str, n_classes: int, unknown: str, missing: str) -> None:
    need(target)
    model = every_condition(n_classes, unknown, missing)
    rows = rows_of_self_test(model)
    expected = score_in_model(model, rows)
    assert ("error" in (unknown, missing)) == (None in expected)
    assert len({str(row) for row in expected}) > 20
    require_same(target, expected, SCORERS[target](model, rows))


@targets
def test_a_scaled_card_with_special_values_groups_and_an_override(target: str) -> None:
    need(target)
    numbers, states = [-1.0, 5.0, 20.0, 70.0, 99.0], ["a", "b", "c", "d"]
    X = pd.DataFrame([(number, state) for number in numbers for state in states] * 6, columns=["n", "s"])
    y = (X.n > 10) & (X.n < 99) | X.s.isin(["a", "b"]) & (X.index % 3 > 0)
    known = Booleanizer(
        cut_points={"n": [10, 50]}, special_values={"n": [-1, 99]}, groups={"s": {"ab": ["a", "b", "e"]}}
    )
    fixed = ["n is 99", "s is ab", "n > 10 or is -1"]
    clf = RuleClassifier(booleanizer=known, fixed_rules=fixed, max_literals=9, cv=2, random_state=0)
    card = clf.fit(X, y).to_scorecard().scaled(600, 20, 40)
    card = card.edit(X, y).add_override("n is -1 and s is ab", True).keep("who", "why")
    values = [*numbers, 10.0, math.nextafter(10, 11), 50.0, 98.5, None]
    rows: Columns = {
        "n": ("DOUBLE", [value for value in values for _ in range(6)]),
        "s": ("VARCHAR", [*states, "e", "ab"] * len(values)),
    }
    expected = score_in_model(card, rows)
    assert len({str(row) for row in expected}) > 6
    require_same(target, expected, SCORERS[target](card, rows))


def test_self_tests_have_both_sides_of_every_condition() -> None:
    model = every_condition(2, "no_match", "as_false")
    fires = np.array([row.fires for row in self_test(model.rules_)])
    assert fires.any(axis=0).all()
    assert not fires.all(axis=0).any()


def test_a_wrong_point_is_seen_by_every_self_test(tmp_path: Path) -> None:
    model = every_condition(2, "no_rule", "no_rule")
    wrong = ExportedRules(model.rules_.with_rules([*model.rules_[1:], model.rules_[0], Rule((), 1)]))
    wrong_document, rows = document_of(wrong), self_test(model.rules_, model._probability())
    rows = tuple(replace(row, fires=(*row.fires[1:], row.fires[0], True)) for row in rows)  # votes remain
    module: dict[str, Any] = {"__name__": "exported"}
    exec(to_python(wrong_document, rows), module)
    with pytest.raises(AssertionError, match="a row of the self-test is not scored as it should be"):
        module["self_test"]()
    if find_spec("onnxruntime") is not None:
        from clausal.export.onnx import check_onnx, to_onnx

        with pytest.raises(ValueError, match="A row of the self-test must be scored as the model does"):
            check_onnx(to_onnx(wrong_document, rows))
    if installed("javascript"):
        path = tmp_path / "wrong.mjs"
        path.write_text(to_javascript(wrong_document, rows))
        call = f"import {{selfTest}} from {str(path)!r}; selfTest();"
        done = subprocess.run(["node", "--input-type=module", "-e", call], capture_output=True, check=False)
        assert b"a row is not scored as it should be" in done.stderr
    if installed("c"):
        path = tmp_path / "wrong.h"
        path.write_text(to_c(wrong_document, rows))
        main = '#define MODEL_SELF_TEST\n#include "wrong.h"\nint main(void) { return model_self_test(); }\n'
        (tmp_path / "wrong.c").write_text(main)
        program = str(tmp_path / "wrong")
        subprocess.run(["gcc", str(tmp_path / "wrong.c"), "-o", program], check=True)
        assert subprocess.run([program], check=False).returncode == 1


def test_probabilities_are_those_of_the_classifier() -> None:
    X, y = load_heart_disease(return_X_y=True, as_frame=True)
    for clf in (scorecard().fit(X, y), machine().fit(X, y)):
        kinds = {bool: "BOOLEAN", str: "VARCHAR"}
        columns = {name: column.tolist() for name, column in X.items()}
        rows: Columns = {name: (kinds.get(type(c[0]), "DOUBLE"), c) for name, c in columns.items()}
        expected = score_in_model(clf, rows)
        shares = [row.probabilities for row in expected if row is not None]
        np.testing.assert_array_equal(shares, clf.predict_proba(X))
        assert [row.label for row in expected if row is not None] == clf.predict(X).tolist()
        require_same("sql", expected, SCORERS["duckdb"](clf, rows))


@pytest.mark.parametrize("clf", [scorecard(), machine()])
def test_only_a_fitted_model_can_be_exported(clf: Any) -> None:
    with pytest.raises(NotFittedError):
        clf.export("python")


def test_what_a_target_cannot_hold_is_said() -> None:
    three, strict = every_condition(3, "no_rule", "no_rule"), every_condition(2, "error", "error")
    with pytest.raises(ValueError, match="Reason codes of PMML must be those of two classes.*Got 3 classes"):
        three.export("pmml", target="a")
    with pytest.raises(ValueError, match="must not have the policy 'error'.*Got one that refuses values of"):
        strict.export("pmml")
    with pytest.raises(ValueError, match="'probability' parameter of to_sql must be None for a RuleSet"):
        strict.rules_.export("sql", probability="p")
    empty = ExportedRules(three.rules_.with_rules([]))
    for target in ("onnx", "pmml", "excel"):
        with pytest.raises(ValueError, match=r"a rule with a condition|at least one condition"):
            empty.export(target)
    rules = strict.rules_
    unequal = ExportedRules(rules.with_rules([*rules, Rule((rules[0].literals[0],), 0.1), Rule((), 1e300)]))
    for target in ("c", "javascript", "onnx", "excel"):
        with pytest.raises(ValueError, match=r"that add up to less than 2\*\*53 in size. Got a sum of"):
            unequal.export(target)


def test_rules_without_a_classifier_have_no_probabilities() -> None:
    rules = every_condition(2, "no_rule", "no_rule").rules_
    module: dict[str, Any] = {"__name__": "exported"}
    exec(rules.export("python"), module)
    assert module["self_test"]() == len(self_test(rules))
    case = dict(zip(TABLE, TABLE.astype(object).iloc[0], strict=True))
    got = module["score"](case)
    assert got["votes"] == rules.votes(TABLE.iloc[[0]]).tolist()
    assert got["probabilities"] is None
    assert "probability" not in rules.export("c")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"number": "1"}, "number must be a finite number"),
        ({"number": math.inf}, "number must be a finite number"),
        ({"number": 2**53}, r"number must be smaller than 2\*\*53"),
        ({"text": 1}, "text must be a text"),
        ({"yes": 2}, "yes must be true or false"),
    ],
)
def test_a_value_of_another_kind_is_refused(changes: dict[str, Any], message: str) -> None:
    model = every_condition(2, "no_rule", "no_rule")
    module: dict[str, Any] = {"__name__": "exported"}
    exec(model.export("python"), module)
    case = dict(zip(TABLE, TABLE.astype(object).iloc[0], strict=True))
    with pytest.raises(ValueError, match=message):
        module["score"]({**case, **changes})
    del case["number"]
    with pytest.raises(ValueError, match="the case must have a value of number"):
        module["score"](case)
