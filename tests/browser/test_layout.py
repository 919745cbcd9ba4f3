"""The page as a reader sees it: wide and narrow, light and dark, by keyboard, on paper."""

import base64
import io

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import clausal
from clausal import RuleRegressor
from tests.support.report_models import (
    HOSTILE_LABELS,
    HOSTILE_NAME,
    mixed_labels,
    mixed_model,
    mixed_numbers,
    mixed_scorecard,
    mixed_table,
)

SECTIONS = ("scorecard", "what-if", "quality", "rules", "features", "examples", "about")


MODELS = {
    "two_classes": (mixed_model, HOSTILE_LABELS),
    "three_classes": (mixed_model, ("a", "b", "c")),
    "scorecard": (mixed_scorecard, HOSTILE_LABELS),
}
LONG = "a word and averylongwordwithoutanyplacetobreakitatallwhichgoesonandonandonandon"


@pytest.fixture(scope="module", params=MODELS)
def page(request, tmp_path_factory):
    make, labels = MODELS[request.param]
    X, X_test = mixed_table(), mixed_table(60, seed=3)
    y, y_test = (mixed_labels(table, labels) for table in (X, X_test))
    path = tmp_path_factory.mktemp("pages") / "report.html"
    ids = [f"{LONG}{row}" for row in range(60)]
    about = {"purpose": LONG, "owner": HOSTILE_NAME, LONG[:60]: "x"}
    clausal.report(make(labels), X_test, y_test, path, X, y, title=LONG, about=about, ids=ids)
    return path


@pytest.mark.parametrize("width", [1280, 390])
def test_every_section_is_seen_and_nothing_hangs_over_the_edge(page, visit, width):
    check_layout(visit(page, width=width), SECTIONS, width)


def test_the_page_of_a_model_of_numbers_is_seen_on_a_telephone(visit, tmp_path):
    X, X_test = mixed_table(), mixed_table(60, seed=3)
    y, y_test = (mixed_numbers(table) * 1e6 for table in (X, X_test))
    reg = RuleRegressor(max_literals=8, cv=2, random_state=0).fit(X, y)
    ids = [f"{LONG}{row}" for row in range(60)]
    clausal.report(
        reg, X_test, y_test, tmp_path / "a.html", X, y, title=LONG, about={LONG[:60]: LONG}, ids=ids
    )
    browser = visit(tmp_path / "a.html", width=390)
    check_layout(browser, [name for name in SECTIONS if name != "what-if"], 390)
    cut = browser.execute_script(
        """return [...document.querySelectorAll("svg.chart")].flatMap((chart) => {
          const box = chart.getBoundingClientRect();
          return [...chart.querySelectorAll("text, circle")].map((e) => [e.getBoundingClientRect(), e])
            .filter(([own]) => own.left < box.left - 1 || own.right > box.right + 1)
            .map(([, e]) => e.outerHTML);
        })"""
    )
    assert cut == []


def check_layout(browser, sections, width):
    for name in sections:
        section = browser.find_element(By.ID, name)
        assert section.is_displayed()
        assert section.rect["height"] > 60
        assert section.find_element(By.TAG_NAME, "h2").is_displayed()
    assert browser.execute_script("return document.documentElement.scrollWidth") == width
    overhanging = browser.execute_script(
        """return [...document.querySelectorAll("h1, h2, h3, p, table, svg, input, select, figure, .result")]
        .filter((e) => !e.closest(".scroll") && !e.closest("details:not([open])"))
        .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert overhanging == []


HINTS = """
return [...document.querySelectorAll(".scroll")].filter((e) => e.clientWidth).map((e) => {
  const hint = getComputedStyle(e, "::before").content, shadow = getComputedStyle(e).backgroundImage;
  return [e.getAttribute("aria-label"), e.scrollWidth > e.clientWidth + 1, hint, shadow];
});
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_a_box_that_goes_on_at_the_side_says_so(page, visit, width):
    browser = visit(page, width=width)
    browser.execute_script("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    boxes = browser.execute_script(HINTS)
    assert len(boxes) > 5
    for name, goes_on, hint, shadow in boxes:
        assert ("Scroll sideways" in hint) == goes_on, name
        assert "gradient" in shadow
    if width == 390:
        assert any(goes_on for _, goes_on, _, _ in boxes)
    else:
        assert [name for name, goes_on, *_ in boxes if goes_on and not name.startswith("Rules in")] == []


def test_the_hint_comes_and_goes_with_the_width(page, visit):
    browser = visit(page, width=1280)
    for width, cut in ((390, True), (1280, False)):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        box = browser.find_element(By.CSS_SELECTOR, ".scroll[aria-label='Measures']")
        assert ("cut" in box.get_attribute("class").split()) == cut


CUT = """
const inside = (e) => e.closest(".scroll, details:not([open]), .hidden, .skip, noscript");
const wide = [...document.querySelectorAll("body *:not(svg *):not(select *)")]
  .filter((e) => !inside(e) && e.clientWidth && e.scrollWidth > e.clientWidth + 1)
  .filter((e) => getComputedStyle(e).textOverflow !== "ellipsis");
const texts = [...document.querySelectorAll("svg.chart text")].filter((e) => {
  const box = e.getBBox(), all = e.ownerSVGElement.viewBox.baseVal;
  return box.x < -1 || box.x + box.width > all.width + 1 || box.y < -1 || box.y + box.height > all.height + 1;
});
return [...wide, ...texts].map((e) => e.outerHTML.slice(0, 120));
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_cut_outside_the_boxes_that_scroll(page, visit, width):
    assert visit(page, width=width).execute_script(CUT) == []


def pixels(browser):
    from matplotlib.image import imread

    return imread(io.BytesIO(base64.b64decode(browser.get_screenshot_as_base64())), format="png")


def test_a_screenshot_shows_text_and_pictures(page, visit):
    browser = visit(page)
    seen = pixels(browser)
    assert seen.shape[:2] == (900, 1280)
    assert len(np.unique((seen[..., :3] * 255).astype(int).reshape(-1, 3), axis=0)) > 50
    assert 0.01 < (seen[..., :3].mean(axis=2) < 0.6).mean() < 0.4


CONTRAST = """
const light = (c) => { const v = c / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
const behind = (e) => {
  for (let at = e; at; at = at.parentElement) {
    const color = numbers(getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
const poor = [];
for (const e of document.querySelectorAll("body *")) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!own || e.closest("script, style, noscript, .hidden, .skip, select, title")) continue;
  const style = getComputedStyle(e);
  const ink = luminance(numbers(e.closest("svg") ? style.fill : style.color)), paper = luminance(behind(e));
  const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  if (ratio < 4.5) poor.push([ratio, e.outerHTML.slice(0, 80)]);
}
return poor;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(page, visit, scheme):
    browser = visit(page)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    assert (
        browser.execute_script("return getComputedStyle(document.body).backgroundColor") != "rgba(0, 0, 0, 0)"
    )
    poor = browser.execute_script(CONTRAST)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert poor == []


def test_on_paper_the_form_is_gone_and_what_was_folded_is_open(page, visit):
    width = 680  # about A4 between its margins
    browser = visit(page, width=width)
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not browser.find_element(By.ID, "what-if").is_displayed()
    assert not browser.find_element(By.TAG_NAME, "nav").is_displayed()
    assert all(item.get_attribute("open") for item in browser.find_elements(By.TAG_NAME, "details"))
    assert browser.find_element(By.ID, "rules").is_displayed()
    assert browser.execute_script("return document.documentElement.scrollWidth") == width
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")


def column(browser, place):
    """What the table sorts by in one column, from top to bottom."""
    return browser.execute_script(
        """return [...document.querySelectorAll("table.sortable tbody tr")]
        .map((row) => row.cells[arguments[0]].dataset.sort ?? row.cells[arguments[0]].textContent)""",
        place,
    )


def test_tables_are_sorted_by_keyboard(page, visit):
    browser = visit(page)
    heads = browser.find_elements(By.CSS_SELECTOR, "table.sortable th[data-column]")
    assert len(heads) == 9
    for head in heads[1:2] + heads[3:]:
        button, place = head.find_element(By.TAG_NAME, "button"), int(head.get_attribute("data-column"))
        browser.execute_script("arguments[0].focus()", button)
        assert browser.switch_to.active_element == button
        button.send_keys(Keys.ENTER)
        assert head.get_attribute("aria-sort") == "ascending"
        values = [float(value) for value in column(browser, place) if value]
        assert values == sorted(values)
        button.send_keys(Keys.SPACE)
        assert head.get_attribute("aria-sort") == "descending"
        values = [float(value) for value in column(browser, place) if value]
        assert values == sorted(values, reverse=True)
        sorts = [other.get_attribute("aria-sort") for other in heads]
        assert sorts.count("none") == len(heads) - 1
        assert "" not in column(browser, place)[: len(values)]  # what is not defined comes last


def test_the_keyboard_reaches_the_form_and_focus_shows(page, visit):
    browser = visit(page)
    field = browser.find_element(By.ID, "field-0")
    browser.execute_script("document.getElementById('start').focus()")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element == field
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert browser.execute_script(outline) == "solid"


def test_hostile_names_are_text_and_nothing_of_them_runs(page, visit):
    browser = visit(page)
    assert HOSTILE_NAME in browser.find_element(By.TAG_NAME, "main").text
    assert browser.find_elements(By.TAG_NAME, "img") == []
    assert len(browser.find_elements(By.TAG_NAME, "script")) == 3
