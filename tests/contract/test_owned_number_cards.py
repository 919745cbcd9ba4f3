"""A Scorecard of numbers that a user owns: predictions, edits, what is fitted again, tables, files."""

from __future__ import annotations

import copy
import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, mean_squared_error, r2_score

import clausal
from clausal import RuleRegressor, RuleSet, Scorecard, TsetlinRegressor, load
from clausal.files.scorecard import plain_card, read_card
from clausal.outcome import NumericOutcome
from tests.support.command_line import done
from tests.support.spoiled_documents import replaced

N_TRAIN = 240


def houses(n_rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Size, age and place of houses, and prices that are steps of them with noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.integers(30, 200, n_rows).astype(float),
            "age": rng.integers(0, 90, n_rows),
            "place": rng.choice(["city", "town", "village"], n_rows),
        }
    )
    price = 100 + 80 * (X["size"] > 90) + 40 * (X["place"] == "city") - 30 * (X["age"] > 50)
    return X, (price + rng.normal(scale=10, size=n_rows)).to_numpy()


X, Y = houses()
NEW, NEW_Y = X[N_TRAIN:], Y[N_TRAIN:]


@pytest.fixture(scope="module")
def reg() -> RuleRegressor:
    return RuleRegressor(max_literals=5, cv=3, random_state=0).fit(X[:N_TRAIN], Y[:N_TRAIN])


@pytest.fixture(scope="module")
def card(reg: RuleRegressor) -> Scorecard:
    return reg.to_scorecard(about={"owner": "the office"})


def test_it_predicts_as_the_regressor(reg: RuleRegressor, card: Scorecard):
    assert is_regressor(card)
    assert clone(card) is card
    assert (card.unit_, card.constant_, card.loss, card.quantile) == (
        reg.unit_,
        reg.constant_,
        "squared_error",
        None,
    )
    for name in ("predict", "votes", "predict_interval"):
        np.testing.assert_array_equal(getattr(card, name)(NEW), getattr(reg, name)(NEW))
    assert card.score(NEW, NEW_Y) == pytest.approx(r2_score(NEW_Y, reg.predict(NEW)))
    assert card.score(NEW, NEW_Y) > 0.7
    assert str(card) == str(reg.rules_)
    assert repr(card).startswith("Scorecard of")


def test_what_is_of_classes_is_not_there(card: Scorecard):
    for name in ("predict_proba", "decision_function", "predict_risk_interval", "classes_", "slope_"):
        assert not hasattr(card, name)
    with pytest.raises(AttributeError, match="This Scorecard predicts numbers"):
        _ = card.risk_table_
    for refused in (
        lambda: card.scaled(),
        lambda: card.edit().set_cut_off(2),
        lambda: card.edit().add_override("age > 10", 3),
    ):
        with pytest.raises(ValueError, match="is for models that predict one class per row"):
            refused()
    with pytest.raises(ValueError, match="'scoring' parameter of edit of a scorecard of numbers must be"):
        card.edit(scoring="f1")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"slope": 0.5}, "'slope' parameter of Scorecard must not be given for rules that predict numbers"),
        ({"offset": 1.0}, "'offset' parameter of Scorecard must not be given"),
        ({"loss": "log"}, "'loss' parameter of Scorecard must be 'squared_error'"),
        ({"quantile": 0.5}, "'quantile' parameter of Scorecard must be None"),
        ({"loss": "quantile"}, "'quantile' parameter of Scorecard must be a number > 0 and < 1. Got None"),
        ({"residual_quantiles": [1.0, 2.0]}, "'residual_quantiles' parameter of Scorecard must be 199"),
        ({"residual_quantiles": np.arange(199.0)[::-1]}, "must be 199 ascending numbers"),
        ({"residual_quantiles": [np.nan] * 199}, "must be 199 ascending numbers"),
    ],
)
def test_parts_that_do_not_belong_are_refused(card: Scorecard, given: dict[str, Any], said: str):
    with pytest.raises(ValueError, match=said):
        Scorecard(card.rules_, **given)


def test_parts_of_numbers_are_refused_for_classes():
    rules = RuleSet((), load_classes().encoding_, ["a", "b"])
    with pytest.raises(ValueError, match="'loss' parameter of Scorecard must not be given for rules that"):
        Scorecard(rules, 1.0, loss="squared_error")
    with pytest.raises(AttributeError, match="A scorecard of classes has no unit"):
        _ = Scorecard(rules, 1.0).unit_


def load_classes() -> clausal.Booleanizer:
    return clausal.Booleanizer().fit(X)


def test_an_edit_says_what_it_does_to_the_loss(card: Scorecard):
    largest = max(card.rules_, key=lambda rule: abs(rule.points))
    edit = card.edit(NEW, NEW_Y).drop_rule(largest)
    before, after = (mean_squared_error(NEW_Y, one.predict(NEW)) for one in (card, edit.after))
    assert edit.effect["mean squared error before"] == pytest.approx(before)
    assert edit.effect["mean squared error after"] == pytest.approx(after)
    assert edit.effect["mean squared error worse by"] == pytest.approx(after - before)
    assert edit.effect["r2 after"] == pytest.approx(r2_score(NEW_Y, edit.after.predict(NEW)))
    assert after > before
    assert "The mean squared error changes by +" in str(edit)
    kept = edit.keep(who="Ada", why="size must not count")
    assert kept.log_[0].effect == edit.effect
    residuals = NEW_Y - kept.predict(NEW)
    assert kept.residual_quantiles_[99] == np.sort(residuals)[len(residuals) // 2 - 1]  # those of the rows


def test_without_rows_the_errors_are_lost_and_it_says_so(card: Scorecard):
    edit = card.edit().set_points(card.rules_[0], 1)
    assert "The errors of predictions are not known any more" in str(edit)
    assert not hasattr(edit.after, "predict_interval")
    assert hasattr(card, "predict_interval")
    with pytest.raises(AttributeError, match="not known. An edit without rows drops them; one with"):
        edit.after.predict_interval(X)
    assert "rows" in str(inspect.signature(Scorecard.predict_interval)) + Scorecard.predict_interval.__doc__
    of_classes = Scorecard(RuleSet((), load_classes().encoding_, ["a", "b"]), 1.0)
    with pytest.raises(AttributeError, match="This Scorecard has no predict_interval: it predicts classes"):
        of_classes.predict_interval(X)


def test_rules_are_added_and_cuts_moved_in_words(card: Scorecard):
    edit = card.edit().add_rule("age > 70 and place is city", -3).move_cut("age", 70, 72)
    rule = next(rule for rule in edit.after.rules_ if len(rule.literals) == 2)
    assert (str(rule), rule.points) == ("age > 72 and place is city", -3)
    inside = (X["age"] > 72) & (X["place"] == "city")
    expected = card.predict(X) - 3 * card.unit_ * inside
    np.testing.assert_allclose(edit.after.predict(X), expected)
    with pytest.raises(ValueError, match="A rule for a number must have no class"):
        card.edit().add_rule("age > 70", 2, for_class="a")


@pytest.mark.parametrize(
    ("loss", "quantile", "measure"),
    [
        ("squared_error", None, mean_squared_error),
        ("absolute_error", None, mean_absolute_error),
        ("quantile", 0.8, lambda y, p: mean_pinball_loss(y, p, alpha=0.8)),
    ],
)
def test_what_is_fitted_again_has_the_lowest_loss(card: Scorecard, loss: str, quantile: Any, measure: Any):
    spoiled = RuleSet(card.rules_, card.encoding_, NumericOutcome(1.0, 500.0), card.rules_.constants)
    own = Scorecard(spoiled, loss=loss, quantile=quantile)
    again = own.edit(NEW, NEW_Y).recalibrate().after
    found = measure(NEW_Y, again.predict(NEW))
    for unit, constant in ((1.1, 0), (0.9, 0), (1, 5), (1, -5)):
        other = constant + again.constant_ + unit * again.unit_ * card.votes(NEW)
        assert found <= 1.01 * measure(NEW_Y, other)
    assert found < 0.5 * measure(NEW_Y, own.predict(NEW))
    share = float((again.predict(NEW) >= NEW_Y).mean())
    assert quantile is None or abs(share - quantile) < 0.1


def test_points_are_fitted_again(card: Scorecard):
    spoiled = card
    for rule in card.rules_:
        spoiled = spoiled.edit().set_points(rule, 1).after
    edit = spoiled.edit(NEW, NEW_Y).refit()
    assert edit.after.score(NEW, NEW_Y) > card.score(NEW, NEW_Y) - 0.02 > spoiled.score(NEW, NEW_Y)
    assert edit.effect["measured on"] == "cross-validation"
    assert edit.effect["r2 after"] < edit.after.score(NEW, NEW_Y)
    assert "and the unit and the constant with them" in edit.what[0]
    assert "were fitted without it, in 5 folds" in str(edit)
    rule = spoiled.rules_[0]
    held = spoiled.edit(NEW, NEW_Y).set_points(rule, 4).refit(keep="edited").after
    assert next(own.points for own in held.rules_ if own.literals == rule.literals) == 4
    low, high = edit.after.predict_interval(NEW).T
    assert 0.8 < ((low <= NEW_Y) & (high >= NEW_Y)).mean() < 0.98


def test_a_refit_needs_different_numbers(card: Scorecard):
    same = card.edit(NEW, np.full(len(NEW), 3.0))
    for step in (same.refit, same.recalibrate):
        with pytest.raises(ValueError, match="y must hold at least 2 different numbers"):
            step()


def test_bounds_of_a_machine_stay():
    machine = TsetlinRegressor(20, n_epochs=5, random_state=0).fit(X[["size", "age"]], Y)
    own = Scorecard(machine.rules_)
    again = own.edit(X[["size", "age"]], Y).recalibrate().after
    before, after = own.rules_.outcome.numbers, again.rules_.outcome.numbers
    assert (after["low"], after["high"]) == (before["low"], before["high"]) == (Y.min(), Y.max())
    assert after["unit"] != before["unit"]


def test_reasons_are_the_points_lost(card: Scorecard):
    assert all(why.lost == () for why in card.reasons(X[card.votes(X) == card.votes(X).max()][:3]))
    row = X[card.votes(X) == card.votes(X).min()][:1]
    (why,) = card.reasons(row, n=9)
    assert (why.label, why.target) == (card.predict(row)[0], "higher")
    assert sum(each.lost for each in why.lost) >= card.votes(X).max() - card.votes(row)[0]
    assert str(why).startswith("Predicts ")
    assert "Points lost towards a higher prediction:" in str(why)
    assert card.reasons(row, target="lower")[0].lost == ()
    mean = card.reasons(row, baseline="mean", reference=X, n=9)[0]
    lost = sum(each.lost for each in mean.lost)
    assert lost == pytest.approx(card.votes(X).mean() - card.votes(row)[0])
    with pytest.raises(ValueError, match=r"must be one of \['lower', 'higher'\]. Got 'up'"):
        card.reasons(row, target="up")


def test_the_table_has_means(card: Scorecard, tmp_path: Path):
    table = card.table(X, Y)
    frame = table.to_frame("pandas")
    assert list(frame) == ["kind", "feature", "bin", "points", "rows", "share", "mean", "above_mean"]
    assert (frame["points"] * frame["share"]).sum() == pytest.approx(card.votes(X).mean())
    line = frame[frame["bin"] == "place is city"].iloc[0]
    inside = (X["place"] == "city").to_numpy()
    assert (line["rows"], line["mean"]) == (inside.sum(), pytest.approx(Y[inside].mean()))
    assert line["above_mean"] == pytest.approx(Y[inside].mean() - Y.mean())
    assert table.information_values == {}
    assert "above mean" in table.to_text()
    table.to_excel(tmp_path / "table.xlsx")


def test_it_is_stored_with_its_log(card: Scorecard, tmp_path: Path):
    own = card.edit(NEW, NEW_Y).set_points(card.rules_[0], 2).keep("Ada", "why")
    path = tmp_path / "card.json"
    for one in (own, Scorecard(card.rules_, loss="quantile", quantile=0.8)):
        one.save(path)
        for again in (load(path), pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
            assert again.log_ == one.log_
            assert again.about_ == one.about_
            assert (again.loss, again.quantile) == (one.loss, one.quantile)
            np.testing.assert_array_equal(again.predict(X), one.predict(X))
            assert hasattr(again, "predict_interval") == hasattr(one, "predict_interval")


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("loss", "log", "'loss' parameter of Scorecard must be"),
        ("quantile", 0.5, "'quantile' parameter of Scorecard must be None"),
        ("quantile", 2.0, "quantile must be from 0 to 1"),
        ("residual_quantiles", [1.0], "residual_quantiles must be a list of 199 numbers"),
        ("residual_quantiles", [1.0] * 198 + [0.0], "residual_quantiles must be ascending"),
        ("rules.number.unit", -1.0, "unit"),
    ],
)
def test_a_spoiled_file_is_refused(card: Scorecard, path: str, value: Any, said: str):
    with pytest.raises(ValueError, match=said):
        read_card(replaced(plain_card(card), path, value))
    with pytest.raises(ValueError, match="slope"):
        read_card({**plain_card(card), "slope": 1.0})


def test_the_command_line_edits_and_reports(reg: RuleRegressor, tmp_path: Path):
    model, table, new = (str(tmp_path / name) for name in ("model.json", "houses.csv", "new.json"))
    reg.save(model)
    NEW.assign(price=NEW_Y).to_csv(table, index=False)
    rule = str(reg.rules_[0])
    done("edit", model, "--points", f"{rule}: 2", "--recalibrate", "--data", table, "--target", "price")
    done("edit", model, "--drop-rule", rule, "-o", new, "--who", "Ada", "--why", "test")
    assert [str(each) for each in load(new).rules_] == [str(each) for each in reg.rules_[1:]]
    page = str(tmp_path / "report.html")
    done("report", new, table, "--target", "price", "-o", page)
    text = Path(page).read_text()
    assert "A scorecard of" in text
    assert "above mean" in text
    assert "size must" not in text
