"""A report with a protected column has a section about its groups; without one it has none."""

import clausal
from tests.support.periods import groups, labels, period, scorecard
from tests.support.report_page import Page


def test_the_report_has_a_section_about_groups(tmp_path):
    card, X = scorecard(), period(150, seed=1)
    y = labels(card, X, 3)
    clausal.report(card, X.assign(sex=groups(150)), y, tmp_path / "with.html", protected="sex", n_examples=1)
    clausal.report(card, X, y, tmp_path / "without.html", n_examples=1)
    page = Page(tmp_path / "with.html")
    assert "Groups of sex" in page.text
    assert "selection rate" in page.text
    assert "fairness" not in {each["id"] for each in Page(tmp_path / "without.html").named("section")}
