"""The pages of `monitor` and `compare` as a reader sees them, wide and narrow."""

import pytest
from selenium.webdriver.common.by import By

import clausal
from tests.support.periods import groups, labels, period, scorecard
from tests.support.report_models import HOSTILE_LABELS

LONG = "averylongwordwithoutanyplacetobreakitatallwhichgoesonandonandonandonandon"


@pytest.fixture(scope="module", params=["monitor", "compare"])
def page(request, tmp_path_factory):
    card, path = scorecard(HOSTILE_LABELS), tmp_path_factory.mktemp("pages") / "page.html"
    X, current = period(300, seed=1), period(300, seed=2, older=8)
    y, y_current = labels(card, X, 3), labels(card, current, 4)
    if request.param == "monitor":
        current.loc[:40, "state"] = LONG
        result = clausal.monitor(card, X, current, y, y_current, protected=groups(300))
    else:
        other = card.replace(rules=card.rules_.with_rules(card.rules_[:2], [-1]))
        result = clausal.compare({LONG: card, "new": other}, X, y)
    result.to_html(path, title=LONG)
    return path


@pytest.mark.parametrize("width", [1280, 390])
def test_sections_are_seen_and_nothing_is_cut(page, visit, width):
    browser = visit(page, width=width)
    browser.execute_script("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    for section in browser.find_elements(By.TAG_NAME, "section"):
        assert section.rect["height"] > 60
    assert browser.execute_script("return document.documentElement.scrollWidth") == width
    overhanging = browser.execute_script(
        """return [...document.querySelectorAll("h1, h2, h3, p, li, table, svg, figure, .key div")]
        .filter((e) => !e.closest(".scroll"))
        .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1)
        .filter((e) => e.clientWidth).map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert overhanging == []


def test_hostile_names_are_text(page, visit):
    browser = visit(page)
    assert HOSTILE_LABELS[0] in browser.find_element(By.TAG_NAME, "main").text
    assert browser.find_elements(By.CSS_SELECTOR, "img, main b") == []
