"""The study of intervals: the figures are honest, and intervals cover about as often as they say."""

import numpy as np
import pytest

from clausal.scorecard.risk_table import RiskErrors
from studies.intervals import GENERATORS, additive, categories, coverage, rules, steep


@pytest.mark.parametrize("name", list(GENERATORS))
def test_generators_make_probabilities_that_differ(name):
    X, p = GENERATORS[name](np.random.default_rng(0), 500)
    assert len(X) == len(p) == 500
    assert ((p > 0) & (p < 1)).all()
    assert p.std() > 0.05


def shares(confidence=0.95):
    """The coverage of a few quick scorecards."""
    return [
        coverage(generate, 300, seed, confidence, max_literals=6, cv=5).share
        for generate in (additive, rules, categories, steep)
        for seed in range(2)
    ]


def test_intervals_cover_about_as_often_as_they_say():
    assert 0.85 <= np.mean(shares()) <= 1.0
    assert 0.35 <= np.mean(shares(0.5)) <= 0.9


def test_intervals_that_are_too_short_are_found_out(monkeypatch):
    plain = RiskErrors.variance
    monkeypatch.setattr(RiskErrors, "variance", lambda self, *given: plain(self, *given) / 16)
    assert np.mean(shares()) < 0.75
