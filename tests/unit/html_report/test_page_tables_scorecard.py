"""The scorecard lists every rule or says how many it does not."""

from importlib import import_module

from markupsafe import escape

import clausal
from clausal.html_report.page_tables import make_cards
from tests.support.report_models import mixed_labels, mixed_model, mixed_scorecard, mixed_table

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


def test_a_scorecard_is_also_shown_as_the_classic_table(tmp_path):
    X = mixed_table()
    clf, y = mixed_scorecard(), mixed_labels(X)
    table = clf.table(X, y)
    with_training = tmp_path / "training.html"
    clausal.report(clf, X[:80], y[:80], with_training, X, y)
    source = with_training.read_text(encoding="utf-8")
    assert "weight of evidence" in source
    assert "those of the training rows" in source
    for line in table.texts():
        assert all(str(escape(cell)) in source for cell in line)
    on_test, machine = tmp_path / "test.html", tmp_path / "machine.html"
    clausal.report(clf, X, y, on_test)
    assert "those of the test rows" in on_test.read_text(encoding="utf-8")
    clausal.report(mixed_model(), X, y, machine)
    assert "information value" not in machine.read_text(encoding="utf-8")
