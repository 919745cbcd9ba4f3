"""The targets of `make fuzz` run, and both of their outcomes occur."""

from __future__ import annotations

import shutil
import warnings
from functools import partial
from random import Random
from typing import Any

import pytest

from clausal.encoding.column_choice import PARAMETERS
from clausal.html_report.page import page_model
from clausal.rules.rule_set import RuleSet
from tests.support.fuzz import differential
from tests.support.fuzz.__main__ import run_case
from tests.support.fuzz.differential import DisagreementError
from tests.support.fuzz.targets import TARGETS
from tests.support.sql_scoring import Columns, Row, score_in_sql

N_CASES = {"scores": 20}


@pytest.mark.parametrize("target", TARGETS)
def test_cases_are_accepted_or_refused(target: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = {run_case(target, 0, number) for number in range(N_CASES.get(target, 60))}
    assert results == {True, False}


def test_a_finding_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = TARGETS["csv"]._replace(read=lambda case: [][0])
    monkeypatch.setitem(TARGETS, "csv", broken)
    with pytest.raises(IndexError):
        run_case("csv", 0, 0)


def test_every_policy_of_the_package_is_tried() -> None:
    drawn = [differential.policies(Random(seed)) for seed in range(100)]
    for name in ("handle_unknown", "handle_missing"):
        (allowed,) = PARAMETERS[name]
        assert {policy[name] for policy in drawn} == set(allowed.options)


def changed_sql(rules: RuleSet, dialect: str, columns: Columns) -> list[Row]:
    first, *others = score_in_sql(rules, dialect, columns)
    return [(99, *first[1:]), *others]


def changed_page(clf: Any, rules: RuleSet) -> dict[str, Any]:
    return {**page_model(clf, rules), "constants": [99] * rules.n_banks}


@pytest.mark.parametrize(
    ("name", "changed", "language"),
    [("score_in_sql", changed_sql, "duckdb"), ("page_model", changed_page, "score.js")],
)
def test_a_disagreement_is_seen(
    name: str, changed: Any, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if language == "score.js" and shutil.which("node") is None:
        pytest.skip("LEFT OUT: no node (Node.js)")
    monkeypatch.setattr(differential, name, changed)
    with pytest.raises(DisagreementError, match=rf"row \d+: Python .*, {language}"):
        list(map(partial(run_case, "scores", 0), range(20)))
