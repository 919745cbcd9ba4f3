"""Exports as users rely on them: each scores every row as the model does.

Tables, models and rows are those of `make fuzz`, with every policy and hostile names, categories and labels.
`make test-exports` scores many more rows. Not here: SQL (test_sql_contract.py).
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.support.export_scoring import (
    LIGHT,
    SCORERS,
    DisagreementError,
    installed,
    require_same,
    score_in_model,
)
from tests.support.fuzz.differential import fit_case, make_case, random_rows

N_MODELS = 12  # of each target
pytestmark = pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")
targets = pytest.mark.parametrize("target", LIGHT)


def need(target: str) -> None:
    if not installed(target):
        pytest.skip(f"LEFT OUT: what runs an export to {target}")


def export_of(target: str) -> str:
    return "sql" if target in ("duckdb", "sqlite") else target


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
