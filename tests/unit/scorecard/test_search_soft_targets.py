"""Soft targets: closer to the true probabilities than the labels, and independent of sign constraints."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from clausal.outcome import make_outcome
from clausal.scorecard import search as module
from clausal.scorecard.candidates import Candidates
from clausal.scorecard.logistic import Targets
from clausal.scorecard.search import soft_targets
from clausal.scorecard.selection import forward_path

OUTCOMES = {k: make_outcome(range(k)) for k in range(2, 6)}

N = 300


def make(n_classes=2, seed=0):
    """Thermometers of two features, a weak smooth truth [n, classes], and labels drawn from it."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(N, 2))
    cuts = np.linspace(-1.5, 1.5, 12)
    fires = (features[:, :, None] > cuts).reshape(N, -1).astype(np.float32)
    scores = np.zeros((N, n_classes))
    scores[:, 1] = features[:, 0]
    scores[:, -1] += 0.5 * features[:, 1]
    truth = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    codes = np.array([rng.choice(n_classes, p=p) for p in truth])
    targets = Targets.of(codes, OUTCOMES[n_classes])
    signs = np.ones((fires.shape[1], targets.n_banks, 2), bool)
    return Candidates(fires, np.ones(fires.shape[1], np.intp), signs), targets, truth


@pytest.mark.parametrize("n_classes", [2, 3])
def test_soft_targets_are_closer_to_the_truth_than_labels_and_a_plain_fit(n_classes):
    candidates, targets, truth = make(n_classes)
    truth = truth[:, 1:] if n_classes == 2 else truth
    share = soft_targets(candidates, targets).share
    assert share.shape == targets.share.shape
    assert ((share > 0) & (share < 1)).all()
    if n_classes > 2:
        np.testing.assert_allclose(share.sum(axis=1), 1.0)
    plain = LogisticRegression(C=1.0).fit(
        candidates.fires, (targets.share * range(1, 1 + targets.n_banks)).sum(axis=1)
    )
    plain_share = plain.predict_proba(candidates.fires)[:, -targets.n_banks :]
    off = np.abs(share - truth).mean()
    assert off < 0.8 * np.abs(plain_share - truth).mean()
    assert off < 0.3 * np.abs(targets.share - truth).mean()


def test_the_ridge_has_the_lowest_leave_one_out_loss():
    candidates, targets, _ = make()
    fires, targets = candidates.fires[:80], targets.take(np.arange(80))
    y = targets.share[:, 0].astype(int)
    share = soft_targets(Candidates(fires, candidates.n_literals, candidates.signs), targets).share[:, 0]
    off, losses = {}, {}
    for ridge in module._RIDGES:
        fit = LogisticRegression(C=1 / ridge, tol=1e-8, max_iter=1000)
        left = cross_val_predict(fit, fires, y, cv=LeaveOneOut(), method="predict_proba")
        losses[ridge] = log_loss(y, left)
        off[ridge] = np.abs(fit.fit(fires, y).predict_proba(fires)[:, 1] - share).max()
    used = min(off, key=off.get)
    assert off[used] < 1e-3
    assert used == min(losses, key=losses.get)


def test_weights_stay_and_a_weight_is_a_repetition():
    candidates, targets, _ = make()
    weights = np.random.default_rng(1).integers(1, 4, N)
    repeated = np.repeat(np.arange(N), weights)
    weighted = soft_targets(candidates, Targets(targets.share, weights.astype(float)))
    again = Candidates(candidates.fires[repeated], candidates.n_literals, candidates.signs)
    np.testing.assert_array_equal(weighted.weights, weights)
    each = soft_targets(again, targets.take(repeated))
    np.testing.assert_allclose(weighted.share[repeated], each.share, atol=1e-6)


def test_of_many_candidates_those_with_the_largest_gradients_are_used(monkeypatch):
    candidates, targets, _ = make()
    monkeypatch.setattr(module, "_MAX_COLUMNS", 5)
    few = soft_targets(candidates, targets)
    gradients = np.abs(candidates.fires.T @ (targets.share[:, 0] - targets.share.mean()))
    best = np.sort(np.argsort(-gradients)[:5])
    kept = Candidates(candidates.fires[:, best], candidates.n_literals[best], candidates.signs[best])
    np.testing.assert_allclose(few.share, soft_targets(kept, targets).share, atol=1e-9)


def test_without_candidates_soft_targets_are_the_class_frequency():
    _, targets, _ = make()
    none = Candidates(np.zeros((N, 0), np.float32), np.zeros(0, np.intp), np.ones((0, 1, 2), bool))
    np.testing.assert_allclose(soft_targets(none, targets).share, targets.share.mean(), atol=1e-4)


def test_soft_targets_ignore_signs_and_the_selection_respects_them():
    candidates, targets, _ = make()
    free = soft_targets(candidates, targets)
    candidates.signs[:12, 0, 0] = False  # without this, the first feature would have positive coefficients
    np.testing.assert_array_equal(soft_targets(candidates, targets).share, free.share)
    path = forward_path(candidates, free, 8, 0.3)
    assert path
    for model in path:
        assert (model.fit.coefficients[model.rules < 12] < 0).all()
