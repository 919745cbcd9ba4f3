"""Stability, alternatives and errors of risks, as the page shows them."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import clausal
from clausal.html_report.page import page_model
from clausal.html_report.pool import make_pool, plain_errors
from tests.support.scorecards import scorecard
from tests.support.small_data import quick, table


def copies():
    """A table whose first two features are equal, and noisy labels."""
    rng = np.random.default_rng(5)
    x = rng.random(200).round(2)
    return np.column_stack([x, x, rng.random(200)]), ((x > 0.5) ^ (rng.random(200) < 0.15)).astype(int)


def test_a_pool_has_the_shares_and_the_differences_in_features():
    X, y = copies()
    clf = scorecard(max_literals=2, n_alternatives=1).fit(X, y)
    pool = make_pool(clf)
    assert pool.n_cards == 2
    assert [text for text, _, _ in pool.rules] == [str(rule) for rule in clf.rules_]
    assert [name for name, _ in pool.features] == list(clf.stability_.features)
    (other,) = pool.alternatives
    assert other.title == f"without {clf.alternatives_[0].without}"
    assert clf.alternatives_[0].without in other.removed
    assert len(other.added) >= 1
    assert other.text == clf.alternatives_[0].rules.to_text()


def test_a_machine_and_an_old_file_have_none():
    X, y = table()
    assert make_pool(quick().fit(X, y)) is None
    clf = scorecard().fit(X, y)
    clf.__dict__["stability_"] = None
    assert make_pool(clf) is None
    assert plain_errors(None) is None


def test_the_page_shows_them(tmp_path: Path):
    X, y = copies()
    clf = scorecard(max_literals=2, n_alternatives=1).fit(X, y)
    clausal.report(clf, X, y, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for words in (
        "<h3>Stability</h3>",
        "2 scorecards of the same kind and size were made",
        "Below the risk is its 95 % interval",
        "Other scorecards that are about as good",
        f"without {clf.alternatives_[0].without}",
    ):
        assert words in page
    clf = scorecard(max_literals=2).fit(X, y)
    clausal.report(clf, X, y, tmp_path / "report.html")
    assert "Other scorecards" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_model_without_errors_is_shown_without_intervals(tmp_path: Path):
    clf = clausal.load(Path(__file__).parents[2] / "golden/models/scorecard_two_classes.json")
    assert page_model(clf, clf.rules_)["risk_errors"] is None
    several = scorecard(max_literals=2).fit(*table(3))
    assert page_model(several, several.rules_)["risk_errors"] is None
    clausal.report(several, *table(3), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h3>Stability</h3>" in page
    assert "Below the risk" not in page


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_the_form_computes_the_intervals_of_python():
    X, y = copies()
    clf = scorecard(max_literals=4).fit(X, y)
    votes = [*clf.risk_table_.scores.tolist(), -1000, -7, -6, -2, 0, 1, 5, 1000]
    script = files("clausal.export").joinpath("score.js").read_text(encoding="utf-8")
    model = json.dumps(page_model(clf, clf.rules_))
    call = f"console.log(JSON.stringify({votes}.map((vote) => riskInterval({model}, [vote]))))"
    done = subprocess.run(["node", "-e", script + call], capture_output=True, text=True, check=True)
    found = np.array(json.loads(done.stdout))
    np.testing.assert_allclose(found, clf.risk_table_.interval(np.array(votes)), rtol=1e-9, atol=1e-12)
