"""Forward selection and lasso: within the limits, with the right rules, at the optimum."""

from itertools import pairwise

import numpy as np
import pytest

from clausal.outcome import make_outcome
from clausal.scorecard.candidates import Candidates
from clausal.scorecard.logistic import Targets
from clausal.scorecard.selection import _Lasso, forward_path, lasso_path

OUTCOMES = {k: make_outcome(range(k)) for k in range(2, 6)}

RNG = np.random.default_rng(1)
N = 400


def make(n_classes=2, n_rules=30):
    """Rules 3 (one literal) and 7 (three literals) matter; the others are noise."""
    fires = (RNG.random((N, n_rules)) < 0.4).astype(np.float32)
    n_literals = RNG.integers(1, 4, n_rules)
    n_literals[[3, 7]] = 1, 3
    scores = np.zeros((N, n_classes))
    scores[:, 1] = 4 * fires[:, 3] - 4 * fires[:, 7] + 0.5
    y = (scores + RNG.gumbel(size=scores.shape)).argmax(axis=1)
    targets = Targets.of(y, OUTCOMES[n_classes])
    return Candidates(fires, n_literals, np.ones((n_rules, targets.n_banks, 2), bool)), targets


@pytest.mark.parametrize("select", [forward_path, lasso_path])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_rules_that_matter_are_found_within_the_limit(select, n_classes):
    candidates, targets = make(n_classes)
    path = select(candidates, targets, 12, 1.0)
    assert path
    for model in path:
        assert 0 < model.n_literals <= 12
        assert model.n_literals == candidates.n_literals[model.rules].sum()
        assert len(set(zip(model.rules, model.banks, strict=True))) == len(model.rules)
        again = targets.loss(model.fit.scores)
        assert model.fit.loss == pytest.approx(again)
    assert path[0].n_literals <= 3
    assert {3, 7} <= set(path[-1].rules)
    losses = [model.fit.loss for model in path]
    assert losses[-1] < losses[0]


def test_a_forward_step_always_lowers_the_penalized_loss():
    candidates, targets = make()
    path = forward_path(candidates, targets, 40, 2.0)
    objective = [m.fit.loss + 1.0 * m.fit.coefficients @ m.fit.coefficients for m in path]
    assert all(b < a for a, b in pairwise(objective))


@pytest.mark.parametrize("select", [forward_path, lasso_path])
def test_signs_that_are_not_allowed_never_occur(select):
    candidates, targets = make()
    candidates.signs[3, 0, 0] = False  # without this, rule 3 would have a positive coefficient
    candidates.signs[10:, 0, 1] = False
    path = select(candidates, targets, 30, 0.5)
    assert path
    for model in path:
        for rule, coefficient in zip(model.rules, model.fit.coefficients, strict=True):
            assert candidates.signs[rule, 0, 0 if coefficient > 0 else 1]
    assert all(3 not in model.rules for model in path)


def test_the_lasso_is_at_the_optimum_for_each_penalty():
    candidates, targets = make()
    lasso = _Lasso(candidates, targets)
    for penalty in lasso.max_penalty * np.geomspace(0.9, 0.1, 6):
        rules, _ = lasso.solve(penalty)
        gradient = candidates.sums(targets.negative_gradient(lasso.scores))[:, 0]
        penalties = penalty * candidates.n_literals
        inside = np.abs(gradient) <= penalties * 1.02 + 0.05
        assert inside.all()
        signed = np.sign(lasso.coefficients[rules, 0]) * gradient[rules]
        np.testing.assert_allclose(signed, penalties[rules], rtol=0.02, atol=0.05)
    assert len(rules) > 2


def test_no_candidate_no_path():
    _, targets = make()
    none = Candidates(np.zeros((N, 0), np.float32), np.zeros(0, np.intp), np.ones((0, 1, 2), bool))
    assert forward_path(none, targets, 5, 1.0) == []
    assert lasso_path(none, targets, 5, 1.0) == []
