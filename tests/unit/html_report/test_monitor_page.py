"""The page of `monitor` shows its verdicts, escapes names, and is the same again."""

import numpy as np
import pytest

from clausal import monitor
from tests.support.periods import groups, labels, period, scorecard
from tests.support.report_models import HOSTILE_CATEGORY, HOSTILE_LABELS, HOSTILE_NAME
from tests.support.report_page import Page


@pytest.fixture(scope="module", params=[HOSTILE_LABELS, ("a", "b", "c")], ids=["two", "three"])
def result(request):
    card = scorecard(request.param)
    reference, current = period(400, seed=1), period(300, seed=2, older=8)
    y = labels(card, reference, 3), labels(card, current, 4)
    current.loc[:40, "state"] = "<i>moon"
    protected = groups(300) if len(request.param) == 2 else None
    return monitor(card, reference, current, *y, protected=protected)


def test_the_page_has_every_section_and_says_the_verdict(result, tmp_path):
    result.to_html(tmp_path / "page.html", title="May <2026>")
    page = Page(tmp_path / "page.html")
    sections = [each["id"] for each in page.named("section")]
    fair = ["fairness"] if result.fairness is not None else []
    assert sections == ["attention", "features", "rules", "scores", "performance", *fair, "about"]
    assert "May <2026>" in page.text
    assert result.verdict in page.text
    assert "age" in page.text
    assert "<i>moon" in page.text


def test_hostile_names_are_text_and_nothing_is_loaded(result, tmp_path):
    result.to_html(tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    assert HOSTILE_NAME in page.text
    assert HOSTILE_CATEGORY.replace('"', "") in page.text.replace('"', "")
    assert len(page.named("script")) == 1
    assert page.named("img") == page.named("i") == []
    assert "http" not in page.source.replace("http-equiv", "")


def test_the_same_result_gives_the_same_page_without_classes_too(tmp_path):
    card = scorecard()
    for name in ("one", "two"):
        monitor(card, period(60, seed=1), period(50, seed=2)).to_html(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    page = Page(tmp_path / "one")
    assert "performance" not in [each["id"] for each in page.named("section")]
    assert not np.isin(["nan"], page.text.split()).any()


def test_a_title_must_be_plain_text(result, tmp_path):
    with pytest.raises(ValueError, match="title must not be blank"):
        result.to_html(tmp_path / "page.html", title=" ")
