"""An edit: each step is another one, its effect is measured as it says, and what is kept is in the log."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss, roc_auc_score

from clausal import load, report
from clausal.scorecard import edit as edit_module
from clausal.scorecard.effect import GIVEN, HELD_OUT
from tests.support.lending import card, loans

X, Y = loans()


def test_a_step_makes_another_edit():
    first = card().edit(X, Y)
    second = first.drop_rule("age <= 30")
    assert first.what == ()
    assert first.after is first.before
    assert second.what == ("drop the rule `age <= 30` (+4)",)
    assert str(first) == "An edit without a step."
    third = second.add_rule("age <= 25", 6).set_points("state is north", 1).move_cut("age", 50, 55)
    assert third.what[1:] == (
        "add the rule `age <= 25` (+6)",
        "change the points of `state is north` from +3 to +1",
        "move the cut point of age from 50 to 55",
    )
    last = third.add_override("age <= 18", "bad").set_cut_off(1).drop_override("age <= 18")
    assert last.what[4:] == (
        "add the override: always bad if age <= 18",
        "move the cut-off from 0 to 1",
        "drop the override if age <= 18",
    )


def test_the_effect_on_given_rows():
    own = card()
    edit = own.edit(X, Y).drop_rule("income <= 20")
    effect = edit.effect
    for when, one in (("before", own), ("after", edit.after)):
        bad = one.predict_proba(X)[:, 0]
        assert effect[f"log-loss {when}"] == pytest.approx(log_loss(Y, one.predict_proba(X)))
        assert effect[f"roc_auc {when}"] == pytest.approx(roc_auc_score(Y == "bad", bad))
        assert effect[f"f1 {when}"] == pytest.approx(f1_score(Y == "bad", one.predict(X) == "bad"))
    assert effect["log-loss worse by"] > 0
    assert effect["measured on"] == GIVEN
    assert effect["rows"] == 300
    text = str(edit)
    assert "1. Drop the rule `income <= 20` (+5)" in text
    assert f"log-loss{effect['log-loss before']:>10.4f}{effect['log-loss after']:>10.4f}" in text
    assert "only if the scorecard was made without these rows" in text


def test_an_override_counts_in_the_score_not_in_the_probabilities():
    edit = card().edit(X, Y, scoring="accuracy").add_override("age > 18", "bad")
    assert edit.effect["log-loss worse by"] == 0
    assert edit.effect["accuracy after"] == pytest.approx((Y == "bad").mean(), abs=0.03)


def test_what_is_fitted_is_judged_on_rows_that_it_has_not_seen(monkeypatch: pytest.MonkeyPatch):
    table = X.assign(age=np.arange(len(Y)) % 60 + 18.0)
    trained: list[set[int]] = []
    plain = edit_module.refitted

    def refitted(one: Any, rows: Any, *others: Any) -> Any:
        trained.append(set(rows.X.index))
        return plain(one, rows, *others)

    judged: list[set[int]] = []
    made = edit_module.Made

    class Watched(made):  # type: ignore[misc, valid-type]
        @classmethod
        def by(cls, one: Any, rows: Any, outcome: Any) -> Any:
            judged.append(set(rows.X.index))
            return made.by(one, rows, outcome)

    monkeypatch.setattr(edit_module, "refitted", refitted)
    monkeypatch.setattr(edit_module, "Made", Watched)
    edit = card().edit(table, Y, cv=4).drop_rule("income is missing").refit()
    assert edit.effect["measured on"] == HELD_OUT
    assert trained[0] == set(range(300))
    assert len(trained) == 5
    for seen, (before, after) in zip(trained[1:], zip(judged[::2], judged[1::2], strict=True), strict=True):
        assert before == after == set(range(300)) - seen
    assert set.union(*judged) == set(range(300))
    assert "each was judged by points and probabilities that were fitted without it, in 4 folds" in str(edit)


def test_noise_does_not_look_like_an_improvement():
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(Y)
    edit = card().edit(X, shuffled).refit()
    own = log_loss(shuffled, np.tile([(Y == "bad").mean(), (Y == "good").mean()], (300, 1)))
    assert edit.effect["log-loss after"] > own - 0.005


def test_refit_keeps_what_was_edited():
    edit = card().edit(X, Y).set_points("age <= 30", 7).add_rule("age > 70", -5).refit(keep="edited")
    points = {str(rule): rule.points for rule in edit.after.rules_}
    assert (points["age <= 30"], points["age > 70"]) == (7, -5)
    listed = card().edit(X, Y).refit(keep=["age <= 30"])
    assert {str(rule): rule.points for rule in listed.after.rules_}["age <= 30"] == 4
    assert listed.what[0].startswith("fit the points again: `")


def test_a_kept_edit_is_in_the_log(tmp_path: Any):
    edit = card().edit(X, Y).drop_rule("age <= 30").refit().recalibrate().scale(positive=False)
    own = edit.keep(who="Ada", why="age must not count", when="2026-01-02T03:04:05+00:00")
    (entry,) = own.log_
    assert (entry.who, entry.why, entry.when) == ("Ada", "age must not count", "2026-01-02T03:04:05+00:00")
    assert entry.what == "; ".join(edit.what)
    assert dict(entry.effect) == dict(edit.effect)
    again = own.edit().set_cut_off(510).keep("Bob", "fewer loans")
    assert [each.who for each in again.log_] == ["Ada", "Bob"]
    assert not again.log_[1].effect
    own.save(tmp_path / "card.json")
    back = load(tmp_path / "card.json")
    assert back.log_ == own.log_
    assert (back.predict(X) == own.predict(X)).all()
    np.testing.assert_array_equal(back.predict_proba(X), own.predict_proba(X))
    report(again, X, Y, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "age must not count" in page
    assert "fewer loans" in page


def test_risks_follow_the_rows():
    with_rows = card().edit(X, Y).drop_rule("age <= 30").after
    scores, counts = np.unique(with_rows.votes(X), return_counts=True)
    assert with_rows.risk_table_.scores.tolist() == scores.tolist()
    assert with_rows.risk_table_.counts.tolist() == counts.tolist()
    without = card().edit().drop_rule("age <= 30")
    assert not hasattr(without.after, "risk_table_")
    assert "The risks of scores are not known any more" in str(without)
    assert "No rows are given, so the effect is not measured" in str(without)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: card().edit().refit(), r"refit needs rows: begin with card.edit\(X, y\)"),
        (lambda: card().edit().recalibrate(), "recalibrate needs rows"),
        (lambda: card().edit(X), "X and y must be given together"),
        (lambda: card().edit(X, Y, cv=1), "'cv' parameter of edit must be an int from 2"),
        (lambda: card().edit(X, Y, scoring="f"), "'scoring' parameter of edit must be the name"),
        (
            lambda: card().edit(X, Y).refit(keep="rest"),
            "'keep' parameter of refit must be 'edited' or a list",
        ),
        (lambda: card().edit(X, Y).refit(max_points=0), "'max_points' parameter of refit"),
        (lambda: card().edit().keep("Ada", "why"), "An edit that is kept must have a step"),
        (lambda: card().edit().set_cut_off(1).keep("", "why"), "'who' parameter of keep must not be blank"),
        (lambda: card().edit().set_cut_off(1).keep("Ada", "\x1b"), "'why' parameter of keep must be plain"),
        (lambda: card().edit().set_cut_off(1).keep("Ada", "why", when="now"), "must be a time in ISO 8601"),
        (lambda: card().edit().drop_rule("age <= 31"), "must be one of the scorecard"),
    ],
)
def test_wrong_calls(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_refit_stays_on_the_scale():
    scaled = card().scaled(600, 50, 40)
    edit = scaled.edit(X, Y).drop_rule("income is missing").refit()
    assert edit.after.about_["scale"].startswith("A score of 600 stands for odds of 50 to 1 for bad, and 40")
    assert (edit.after.slope_, edit.after.offset_) == (scaled.slope_, scaled.offset_)
    assert edit.after.votes(X).min() > 200
    assert edit.what[1].endswith("and the probabilities and the decision with them, on the same scale")
    by_hand = scaled.edit(X, Y).set_cut_off(450).refit()
    assert by_hand.after.rules_.outcome.cut_off == 450
    assert by_hand.what[1].endswith(
        "and the probabilities with them, on the same scale, and the cut-off stays 450"
    )
    assert by_hand.after.cut_off_by_hand_


def test_what_leaves_the_scale_says_so():
    scaled = card().scaled(600, 50, 20).edit().set_points("age <= 30", 46).set_cut_off(450).after
    for edit in (scaled.edit(X, Y).refit(keep=["age <= 30"]), scaled.edit(X, Y).recalibrate()):
        assert "; the scorecard leaves its scale" in edit.what[0]
        assert "scale" not in edit.after.about_
    assert (
        "; the cut-off 450, which was set by hand, is replaced by 0"
        in (scaled.edit(X, Y).refit(keep=["age <= 30"]).what[0])
    )
    assert "replaced" not in scaled.edit(X, Y).recalibrate().what[0]
    plain = card().edit(X, Y).set_cut_off(3).refit()
    assert plain.what[1].endswith("; the cut-off 3, which was set by hand, is replaced by 0")
    assert not plain.after.cut_off_by_hand_
