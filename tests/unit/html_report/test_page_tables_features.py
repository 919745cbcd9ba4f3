"""Features: importances and effects as tables."""

from importlib import import_module

import numpy as np
import pytest

from clausal.html_report.form import make_fields
from clausal.html_report.page_tables import make_features
from tests.support.report_models import mixed_model, mixed_table

FEATURES = import_module("clausal.html_report.page_tables")


def test_features_are_ordered_by_importance_and_effects_average_what_they_add():
    clf = mixed_model()
    X = mixed_table(80, seed=2)
    rows = make_features(clf.rules_, make_fields(clf.rules_), X)
    importances = [row.importance for row in rows]
    assert importances == sorted(importances, reverse=True)
    assert sum(importances) == pytest.approx(1)
    for row in rows:
        assert sum(part.count for part in row.parts) == 80
    mean = sum(part.count * part.effects[0] for row in rows for part in row.parts) / 80
    assert mean + clf.rules_.constants[0] == pytest.approx(clf.votes(X).mean())


def test_several_classes_have_an_effect_each():
    clf = mixed_model(labels=("a", "b", "c"))
    X = mixed_table(40, seed=2)
    rows = make_features(clf.rules_, make_fields(clf.rules_), X)
    means = np.sum([np.multiply(part.effects, part.count) for row in rows for part in row.parts], axis=0) / 40
    np.testing.assert_allclose(means + clf.rules_.constants, clf.votes(X).mean(axis=0))


def test_what_is_left_out_is_counted(monkeypatch):
    clf = mixed_model()
    fields, X = make_fields(clf.rules_), mixed_table(40)
    whole = make_features(clf.rules_, fields, X)
    monkeypatch.setattr(FEATURES, "_MAX_PARTS", 2)
    monkeypatch.setattr(FEATURES, "_MAX_EFFECT_FEATURES", 3)
    cut = make_features(clf.rules_, fields, X)
    assert [row.name for row in cut] == [row.name for row in whole]
    for row, full in zip(cut[:3], whole, strict=False):
        assert len(row.parts) + row.n_left_out == len(full.parts)
    assert not any(row.parts for row in cut[3:])


def test_effects_on_very_many_classes_are_left_out(monkeypatch):
    monkeypatch.setattr(FEATURES, "MAX_EFFECT_CLASSES", 2)
    clf = mixed_model(labels=("a", "b", "c"))
    rows = make_features(clf.rules_, make_fields(clf.rules_), mixed_table(40))
    assert rows
    assert not any(row.parts for row in rows)
