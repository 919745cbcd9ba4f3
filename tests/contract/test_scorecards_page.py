"""The examples of docs/scorecards.md run, one after the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "scorecards.md").read_text(encoding="utf-8")


def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 10
    for example in examples:
        exec(compile(example, "scorecards.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "Add the override: always bad if age <= 19" in printed
    assert "weight of evidence" in printed
    assert printed.count("Points lost towards good:") == 3
    assert all(row.lost or row.override for row in names["points"].reasons(names["declined"]))
    assert names["reasons"]["rank"].max() <= 4
    assert set(names["reasons"]["applicant"]) <= set(names["declined"].index)
    assert (tmp_path / "scorecard.xlsx").read_bytes()[:2] == b"PK"
    assert len(names["points"].log_) == 1


def test_links_lead_to_pages_and_headings() -> None:
    for name in ("scorecards.md", "deployment.md", "service.md", "monitoring.md", "command-line.md"):
        text = (DOCS / name).read_text(encoding="utf-8")
        for page, heading in re.findall(r"\]\(([\w-]+\.md)(?:#([\w-]+))?\)", text):
            headings = re.findall(r"^#+ (.*)$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
            ids = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
            assert not heading or heading in ids, (name, page, heading)
