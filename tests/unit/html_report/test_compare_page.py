"""The page of `compare` shows measures, rules and decisions; names are text."""

from clausal import compare
from tests.support.periods import labels, period, scorecard
from tests.support.report_models import HOSTILE_LABELS, HOSTILE_NAME
from tests.support.report_page import Page


def test_the_page_shows_both_models(tmp_path):
    card, X = scorecard(HOSTILE_LABELS), period(900, seed=1)
    other = card.replace(rules=card.rules_.with_rules(card.rules_[:2], [-1]))
    result = compare({"<b>old": card, "new": other}, X, labels(card, X, 3))
    result.to_html(tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    assert [each["id"] for each in page.named("section")] == ["measures", "rules", "decisions", "about"]
    assert "<b>old" in page.text
    assert HOSTILE_NAME in page.text
    assert page.named("b") == page.named("img") == []
    assert f"{len(result.differing) - 50} more rows not shown" in page.text
    assert "2 rules in both" in page.text
    assert len(page.named("script")) == 1


def test_equal_models_of_three_classes_have_a_page(tmp_path):
    card, X = scorecard(("a", "b", "c")), period(100, seed=1)
    compare([card, card, card], X, labels(card, X, 3)).to_html(tmp_path / "page.html")
    assert "decide 0 of 100 rows differently" in Page(tmp_path / "page.html").text
