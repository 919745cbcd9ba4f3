"""Which rows are refused, and why; what they are scored as is in tests/contract/test_service.py."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("fastapi", reason="LEFT OUT: no fastapi")
from clausal.datasets import load_heart_disease
from clausal.service.scoring import MOST_REFUSED, RefusedRowsError, RowScorer
from tests.support.scorecards import machine


@cache
def scorer() -> RowScorer:
    clf = machine(n_clauses=30).fit(*load_heart_disease(return_X_y=True, as_frame=True))
    return RowScorer(clf.rules_, clf._probability())


def good_row() -> dict[str, Any]:
    return dict.fromkeys(scorer().required)


@given(st.integers(1, 70), st.sets(st.integers(0, 69), min_size=1))
def test_halving_finds_every_refused_row(n_rows: int, bad: set[int]) -> None:
    rows = [good_row() for _ in range(n_rows)]
    wrong = [row for row in sorted(bad) if row < n_rows]
    for row in wrong:
        rows[row]["thal" if row % 2 else "oldpeak"] = 5 if row % 2 else "text"
    if not wrong:
        assert len(scorer().predict(rows)) == n_rows
        return
    with pytest.raises(RefusedRowsError) as found:
        scorer().predict(rows)
    assert [each.row for each in found.value.refused] == wrong[:MOST_REFUSED]
    for each in found.value.refused:
        assert repr("thal" if each.row % 2 else "oldpeak") in each.message


def test_messages_are_short() -> None:
    rows = [{**good_row(), "oldpeak": "x" * 10_000}, {**good_row(), "y" * 10_000: 1}]
    for row in rows:
        with pytest.raises(RefusedRowsError) as found:
            scorer().predict([row])
        assert len(found.value.refused[0].message) <= 503
