"""The targets of `make fuzz` run, and both of their outcomes occur."""

from __future__ import annotations

import warnings

import pytest

from tests.support.fuzz.__main__ import run_case
from tests.support.fuzz.targets import TARGETS

N_CASES = 60


@pytest.mark.parametrize("target", TARGETS)
def test_cases_are_accepted_or_refused(target: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = {run_case(target, 0, number) for number in range(N_CASES)}
    assert results == {True, False}


def test_a_finding_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = TARGETS["csv"]._replace(read=lambda case: [][0])
    monkeypatch.setitem(TARGETS, "csv", broken)
    with pytest.raises(IndexError):
        run_case("csv", 0, 0)
