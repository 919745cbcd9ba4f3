"""The table of rules says what the statistics say."""

import numpy as np
import pytest

from clausal.html_report.page_tables import make_rule_table
from clausal.rules.statistics import rule_statistics
from tests.support.report_models import mixed_labels, mixed_model, mixed_table


@pytest.fixture(scope="module")
def known():
    clf, X, X_test = mixed_model(), mixed_table(), mixed_table(30, seed=3)
    return clf.rules_, X, mixed_labels(X), X_test, mixed_labels(X_test)


def test_each_rule_has_its_numbers_on_training_and_test_rows(known):
    rules, X, y, X_test, y_test = known
    made = make_rule_table(rule_statistics(rules, X, y, X_test, y_test), rules, ("Training", "Test"))
    assert made.names == (("Training", len(X)), ("Test", 30))
    assert [line.number for line in made.lines] == list(range(1, len(rules) + 1))
    assert made.n_left_out == 0
    for line, fires, fires_test in zip(made.lines, rules.fires(X).T, rules.fires(X_test).T, strict=True):
        assert [part.support for part in line.parts] == [fires.sum(), fires_test.sum()]
        right = (y.to_numpy() == line.rule.speaks_for)[fires].mean()
        assert line.parts[0].precision == pytest.approx(right)
        assert line.parts[0].low <= right <= line.parts[0].high
        base = (y.to_numpy() == line.rule.speaks_for).mean()
        assert line.parts[0].lift == pytest.approx(right / base)


def test_a_rule_that_never_holds_has_no_precision(known):
    rules, X, y, _, _ = known
    empty = ~rules.fires(X[:4]).any(axis=0)
    assert empty.any(), "the test needs such a rule"
    made = make_rule_table(rule_statistics(rules, X[:4], y[:4]), rules, ("Test",))
    for line, never in zip(made.lines, empty, strict=True):
        assert np.isnan(line.parts[0].precision) == never
        assert np.isnan(line.parts[0].lift) == never


def test_only_the_rules_counted_have_a_line_and_the_rest_is_numbered(known):
    rules, X, y, _, _ = known
    made = make_rule_table(rule_statistics(rules[:3], X, y), rules, ("Training",))
    assert len(made.lines) == 3
    assert made.n_left_out == len(rules) - 3


def test_pairs_that_mostly_hold_together_are_told(known):
    rules, X, y, _, _ = known
    made = make_rule_table(rule_statistics(rules, X, y), rules, ("Training",))
    fires = rules.fires(X)
    for one, other, overlap in made.pairs:
        a, b = fires[:, one - 1], fires[:, other - 1]
        assert overlap == pytest.approx((a & b).sum() / (a | b).sum())
        assert overlap >= 0.5
    assert made.pairs
