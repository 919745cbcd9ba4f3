"""The scorecard lists every rule or says how many it does not."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np

from clausal.html_report.page_tables import make_cards, make_risks
from tests.support.evaluations import evaluation
from tests.support.report_models import mixed_model

SCORECARD = import_module("clausal.html_report.page_tables")


def test_two_classes_have_one_card_with_all_rules():
    rules = mixed_model().rules_
    (card,) = make_cards(rules)
    rows = card.shown + card.folded
    assert card.class_name is None
    assert card.constant == rules.constants[0]
    assert [(row.points, row.text) for row in rows] == [(rule.points, str(rule)) for rule in rules]
    assert [row.number for row in rows] == list(range(1, len(rules) + 1))
    assert all(row.side == (row.points > 0) for row in rows)
    assert card.n_left_out == 0


def test_several_classes_have_a_card_each_and_share_the_numbering():
    rules = mixed_model(labels=("a", "b", "c")).rules_
    cards = make_cards(rules)
    assert [card.class_name for card in cards] == ["a", "b", "c"]
    numbers = sorted(row.number for card in cards for row in card.shown + card.folded)
    assert numbers == list(range(1, len(rules) + 1))
    for bank, card in enumerate(cards):
        assert all(rules[row.number - 1].bank == bank for row in card.shown)


def test_long_lists_are_folded_then_cut_and_the_cut_is_counted(monkeypatch):
    rules = mixed_model().rules_
    monkeypatch.setattr(SCORECARD, "_MAX_OPEN_RULES", 2)
    monkeypatch.setattr(SCORECARD, "MAX_RULES", 5)
    (card,) = make_cards(rules)
    assert (len(card.shown), len(card.folded), card.n_left_out) == (2, 3, len(rules) - 5)


def risk_table(scores):
    n = len(scores)
    return SimpleNamespace(
        scores=np.array(scores),
        counts=np.arange(n) + 2.0,
        positives=np.ones(n),
        risks=np.linspace(0.1, 0.9, n),
    )


def test_each_total_has_its_risk_and_what_was_seen():
    clf = SimpleNamespace(risk_table_=risk_table([-2, 0, 3]))
    risks = make_risks(clf, evaluation([0, 1, 1, 0], [0, 0, 3, 7]))
    assert [(row.score, row.risk, row.train, row.train_positive) for row in risks.rows] == [
        (-2, 0.1, 2, 1),
        (0, 0.5, 3, 1),
        (3, 0.9, 4, 1),
    ]
    assert [(row.test, row.test_positive) for row in risks.rows] == [(0, 0), (2, 1), (1, 1)]
    assert risks.n_left_out == 0


def test_very_many_totals_are_thinned_out_and_counted():
    clf = SimpleNamespace(risk_table_=risk_table(range(-500, 500)))
    risks = make_risks(clf, evaluation([0, 1], [0, 1]))
    assert len(risks.rows) + risks.n_left_out == 1000
    assert len(risks.rows) <= 200
    assert [risks.rows[0].score, risks.rows[-1].score] == [-500, 499]


def test_without_a_risk_table_there_is_none():
    assert make_risks(SimpleNamespace(), evaluation([0, 1], [0, 1])) is None
    clf = SimpleNamespace(risk_table_=None)
    assert make_risks(clf, evaluation([0, 1], [[0, 1, 2], [2, 1, 0]])) is None
