"""Checks of files to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausal.tables.table_file import check_outputs


def test_new_and_old_results_may_be_written(tmp_path: Path):
    (tmp_path / "old.json").write_text("{}")
    check_outputs([str(tmp_path / "old.json"), str(tmp_path / "new.html"), None, "-"], ["-"])


def test_an_input_is_never_written_over_also_not_through_a_link(tmp_path: Path):
    table = tmp_path / "t.csv"
    table.write_text("a\n1\n")
    (tmp_path / "link.csv").symlink_to(table)
    for name in ("t.csv", "link.csv", "../" + tmp_path.name + "/t.csv"):
        with pytest.raises(ValueError, match="is read by this command"):
            check_outputs([str(tmp_path / name)], [str(table)])


@pytest.mark.parametrize(
    ("names", "message"),
    [((".",), "Got a folder"), (("none/m.json",), "existing folder"), (("a", "a"), "written twice")],
)
def test_what_cannot_be_written_is_refused_before_any_work(names: tuple[str], message: str, tmp_path: Path):
    with pytest.raises(ValueError, match=message):
        check_outputs([str(tmp_path / name) for name in names], [])
