"""The classic table: its points add up to votes, its figures are those of a count by hand; it is shown."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from clausal import Booleanizer, RuleSet, Scorecard, parse_rule
from tests.support.lending import card, loans
from tests.support.scorecards import scorecard

X, y = loans()
HOSTILE = ["=1+1", "<b>&", "a|b", "*/ ' \"", "\u202eab", "it's\nx"]


def test_the_figures_are_those_of_a_count_by_hand():
    frame = card().table(X, y).to_frame("pandas").set_index("bin")
    inside, bad = X["age"] <= 30, y == "bad"
    line = frame.loc["age <= 30"]
    assert line["rows"] == inside.sum()
    assert line["share"] == pytest.approx(inside.mean())
    assert line["rate"] == pytest.approx(bad[inside].mean())
    of_bad, of_good = inside[bad].mean(), inside[~bad].mean()
    assert line["woe"] == pytest.approx(np.log(of_bad / of_good))
    assert line["iv"] == pytest.approx((of_bad - of_good) * np.log(of_bad / of_good))
    assert frame.loc["income is missing", "rows"] == X["income"].isna().sum()
    assert frame.loc["always", "points"] == -5
    assert (frame.loc["otherwise", "points"], frame.loc["otherwise", "kind"]) == (0, "rule")


@pytest.mark.parametrize("model", [card(True), card().scaled(), card().scaled(positive=False)], ids=str)
def test_points_of_the_bins_add_up_to_the_mean_vote(model: Scorecard):
    frame = model.table(X, y).to_frame("pandas")
    assert (frame["points"] * frame["share"]).sum() == pytest.approx(model.votes(X).mean())
    shares = frame[frame["kind"] != "constant"].groupby(["kind", "feature"])["share"].sum()
    assert shares.tolist() == pytest.approx([1.0] * len(shares))


def test_signs_turn_with_the_positive_class():
    bad, good = (model.table(X, y) for model in (card(), card().scaled(positive=False)))
    for one, other in zip(bad.bins, good.bins, strict=True):
        assert (one.bin, one.iv) == (other.bin, pytest.approx(other.iv))
        assert one.woe == pytest.approx(-other.woe)
    assert (bad.bins[0].for_class, good.bins[0].for_class) == ("bad", "good")


def test_weights_count_as_rows():
    twice = card().table(pd.concat([X, X[:50]]), np.r_[y, y[:50]])
    weighted = card().table(X, y, np.r_[[2.0] * 50, [1.0] * (len(X) - 50)])
    assert twice.to_frame("pandas").equals(weighted.to_frame("pandas"))


def test_a_bin_with_one_class_has_finite_evidence_and_one_without_rows_none():
    table = card().table(X[X["age"] <= 50], np.where(X["age"] <= 30, "bad", y)[X["age"] <= 50])
    by_bin = {line.bin: line for line in table.bins}
    assert by_bin["age <= 30"].rate == 1
    assert 0 < by_bin["age <= 30"].woe < np.inf
    empty = by_bin["age > 50"]
    assert (empty.rows, empty.rate, empty.woe, empty.iv) == (0, None, None, 0)
    assert np.isnan(table.to_frame("pandas").set_index("bin").loc["age > 50", "woe"])


def test_values_that_were_not_seen_are_a_bin_if_there_are_any():
    model, unseen = card(), X.assign(state=X["state"].replace("east", "abroad"))
    assert "not seen in training" not in str(model.table(X, y))
    with pytest.warns(UserWarning, match="abroad"):
        found = model.table(unseen, y)
    frame = found.to_frame("pandas").set_index("bin")
    assert frame.loc["not seen in training", "rows"] == (X["state"] == "east").sum()


def test_three_classes_have_a_table_each():
    table = pd.DataFrame({"a": np.arange(300) % 10, "b": np.arange(300) % 7})
    labels = np.array(["x", "y", "z"])[(table["a"] > 5) + (table["b"] > 3) * 1]
    model = scorecard().fit(table, labels)
    found = model.table(table, labels)
    assert [line.for_class for line in found.bins if line.kind == "constant"] == ["x", "y", "z"]
    frame = found.to_frame("pandas")
    means = (frame["points"] * frame["share"]).groupby(frame["for_class"]).sum()
    assert means.tolist() == pytest.approx(model.votes(table).mean(axis=0).tolist())
    assert found.head[2] == "for"


def test_the_table_reads_well():
    lines = str(card().table(X, y)).splitlines()
    assert " ".join(lines[0].split()) == "feature bin points rows share rate of bad weight of evidence iv"
    assert lines[2].startswith("age            age <= 30                    +4    58   19.3%        55.2%")
    assert lines[3].startswith("               30 < age <= 50               +0   101")
    assert [line.split()[0] for line in lines if line[0] != " "][-1] == "age"  # age and owner
    values = card().table(X, y).information_values
    assert list(values) == ["income", "age", "state"]


def hostile_card() -> tuple[Scorecard, pd.DataFrame, np.ndarray]:
    table = pd.DataFrame({name: np.array([*HOSTILE, "other"])[np.arange(70) % 7] for name in HOSTILE})
    encoding = Booleanizer().fit(table).encoding_
    rules = RuleSet((), encoding, ["other", "=1+1"], [0])
    rules = rules.with_rules([parse_rule(f"{name!r} is {name!r}", rules, 2) for name in HOSTILE])
    return Scorecard(rules, 1.0), table, np.array(["other", "=1+1"])[np.arange(70) % 2]


def test_hostile_names_break_out_of_nothing(tmp_path: Path):
    openpyxl = pytest.importorskip("openpyxl")
    model, table, labels = hostile_card()
    found = model.table(table, labels)
    assert "<b>" not in found.to_html()
    n_cells = {line.replace("\\|", "").count("|") for line in found.to_markdown().splitlines()}
    assert n_cells == {len(found.head) + 1}
    assert all(text.isprintable() for text in str(found).splitlines())
    found.to_excel(tmp_path / "table.xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO((tmp_path / "table.xlsx").read_bytes())).active
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert all(cell.quotePrefix for cell in cells if cell.data_type == "s")
    assert len(list(sheet.iter_rows())) == 1 + len(found.lines)


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="y must hold at least 2 classes"):
        card().table(X, ["bad"] * len(X))
    with pytest.raises(ValueError, match="one label for each of the 300 rows"):
        card().table(X, y[:3])
