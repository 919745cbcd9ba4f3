"""Estimators on images and sequences: rules are the model, files, resuming, and what is refused."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import clausal
from clausal import (
    Checkpoint,
    PatchEncoder,
    RuleClassifier,
    RuleRegressor,
    RuleSet,
    Scorecard,
    TsetlinClassifier,
    TsetlinRegressor,
    parse_rule,
)
from clausal.explain import explain_rows
from clausal.rules.simplify import simplify
from tests.support.command_line import fails


def images(n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Noise; in the images of class 1 a vertical pair of bright pixels somewhere."""
    X = np.random.default_rng(0).random((n, 6, 5))
    X[X > 0.7] *= 0.5
    y = np.arange(n) % 2
    for i in np.flatnonzero(y):
        X[i, i % 4 : i % 4 + 2, i % 5] = 0.9
    return X, y


ENCODER = PatchEncoder((2, 1), thresholds=0.7)


def machine(**changes) -> TsetlinClassifier:
    given = {"n_clauses": 20, "threshold": 20, "n_epochs": 12, "random_state": 0, "booleanizer": ENCODER}
    return TsetlinClassifier(**{**given, **changes})


@pytest.fixture(scope="module")
def fitted() -> TsetlinClassifier:
    return machine().fit(*images())


def test_thresholds_outside_the_grey_levels_are_named():
    images = np.random.default_rng(0).random((60, 3, 3))
    y = images[:, 0, 0] > 0.5
    encoder = PatchEncoder((1, 1), thresholds=[4, 8])
    with pytest.warns(clausal.TableWarning, match="No threshold of the PatchEncoder") as said:
        TsetlinClassifier(4, n_epochs=1, booleanizer=encoder).fit(images, y)
    assert len(said) == 1
    assert "(4, 8) is within the values of X, which are from 0.0" in str(said[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TsetlinClassifier(4, n_epochs=1, booleanizer=PatchEncoder((1, 1), thresholds=[0.5, 8])).fit(images, y)


def test_a_pattern_is_found_wherever_it_is(fitted):
    X = np.random.default_rng(0).random((200, 6, 6)) < 0.3
    y = (X[:, :-1] & X[:, 1:]).any(axis=(1, 2))
    pairs = machine(booleanizer=PatchEncoder((2, 1)), n_epochs=30).fit(X, y)
    assert pairs.score(X, y) == 1
    assert str(pairs.rules_[0]).startswith("pixel[0, 0] and pixel[1, 0]")
    assert pairs.rules_[0].points > 0
    assert "on at least one 2x1 patch: pixel[i, j] is i rows below `row`" in fitted.rules_.to_text()


def test_rules_are_the_model(fitted):
    X, y = images()
    rules = fitted.rules_
    assert np.array_equal(rules.votes(X), fitted.votes(X))
    assert np.array_equal(rules.predict(X), fitted.predict(X))
    assert rules.fires(X).shape == (len(X), len(rules))
    assert RuleSet.from_json(rules.to_json()) == rules
    assert parse_rule(str(rules[0]), fitted).literals == rules[0].literals
    assert rules.statistics(X, y).train.support.tolist() == rules.fires(X).sum(axis=0).tolist()
    assert np.allclose(fitted.feature_effects(X).sum(axis=1) + rules.constants[0], fitted.votes(X))


def test_a_rule_about_places_alone_is_a_constant():
    encoding = ENCODER.encoding(images()[0])
    rules = RuleSet([], encoding, [0, 1], [3])
    places = parse_rule("row > 1 and column <= 2", encoding)
    pixel = parse_rule("pixel[0, 0] > 0.7 and column <= 2", encoding)
    other = parse_rule("pixel[0, 0] <= 0.7 and column <= 2", encoding)
    never = parse_rule("row > 1 and row <= 0", encoding)
    given = rules.with_rules([replace(rule, points=5) for rule in (places, pixel, other, never)])
    simple = simplify(given)
    assert simple.constants == (8,)
    assert len(simple) == 2, "a pixel may be bright in one patch and dark in another"
    assert np.array_equal(simple.votes(images()[0]), given.votes(images()[0]))


def test_transform_says_which_clauses_fire(fitted):
    X, _ = images()
    fires = fitted.transform(X)
    model = fitted.model_
    assert np.array_equal(fires @ model.signed_points[0].astype(np.int64), fitted.votes(X))


@pytest.mark.parametrize("changes", [{}, {"backend": "reference", "n_epochs": 2}, {"n_jobs": 2}])
def test_files_pickles_and_clones(tmp_path, changes):
    X, y = images(60)
    made = machine(**changes).fit(X, y)
    made.save(tmp_path / "model.json")
    for again in (clausal.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(made))):
        assert np.array_equal(again.votes(X), made.votes(X))
        assert np.array_equal(again.rules_.votes(X), made.votes(X))
        more = [each.partial_fit(X, y).model_.states for each in (again, pickle.loads(pickle.dumps(made)))]
        assert np.array_equal(*more)
    assert np.array_equal(clone(made).fit(X, y).model_.states, made.model_.states)


def test_backends_and_threads_give_the_same_bits():
    X, y = images(40)
    X = np.stack([X, X[:, ::-1]], axis=3)  # two channels
    y = np.arange(40) % 3
    given = {"n_epochs": 2, "booleanizer": PatchEncoder((2, 2), stride=(2, 1), thresholds=[0.3, 0.7])}
    states = [
        machine(**given, **changes).fit(X, y).model_.states
        for changes in ({"backend": "reference"}, {"n_jobs": 1}, {"n_jobs": 3})
    ]
    assert np.array_equal(states[0], states[1])
    assert np.array_equal(states[0], states[2])


def test_numbers_and_classes_that_share_clauses(tmp_path):
    X, y = images(60)
    given = {"n_clauses": 20, "threshold": 100, "n_epochs": 4, "random_state": 0, "booleanizer": ENCODER}
    for estimator, target in (
        (TsetlinRegressor(**given), 3.0 * y + X[:, 0, 0]),
        (TsetlinClassifier(**given, sharing="clauses"), np.arange(60) % 3),
    ):
        made = estimator.fit(X, target)
        expected = clone(made).set_params(backend="reference").fit(X, target)
        assert np.array_equal(made.model_.states, expected.model_.states)
        assert np.array_equal(made.predict(X), expected.predict(X))
        assert np.allclose(made.rules_.predict(X), made.predict(X))
        made.save(tmp_path / "model.json")
        assert np.array_equal(clausal.load(tmp_path / "model.json").predict(X), made.predict(X))


def test_partial_fit_depends_on_the_rows_not_on_the_chunks():
    X, y = images(60)
    whole = machine().partial_fit(X, y, classes=[0, 1])
    parts = machine().partial_fit(X[:25], y[:25], classes=[0, 1]).partial_fit(X[25:], y[25:])
    assert np.array_equal(whole.model_.states, parts.model_.states)
    with pytest.raises(ValueError, match=r"samples of shape \(6, 5\), as TsetlinClassifier"):
        whole.partial_fit(X[:, :4], y)


def test_a_checkpoint_goes_on_to_the_same_bits(tmp_path):
    X, y = images(60)
    path, whole = tmp_path / "checkpoint.json", machine(n_epochs=4).fit(X, y)

    def interrupt(end):
        if end.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        machine(n_epochs=4).fit(X, y, callbacks=interrupt, checkpoint=Checkpoint(path, every_epochs=1))
    assert path.exists()
    resumed = machine(n_epochs=4).fit(X, y, checkpoint=path)
    assert np.array_equal(resumed.model_.states, whole.model_.states)


def test_settings_are_chosen_and_held_out_images_scored():
    X, y = images(100)
    small, encoder = np.random.default_rng(0).random((60, 3, 3)), PatchEncoder((1, 2), thresholds=0.5)
    auto = dict.fromkeys(("n_clauses", "threshold", "n_epochs"), "auto")
    chosen = machine(**auto, booleanizer=encoder).fit(small, (small[:, :, 1] > 0.8).any(axis=1))
    assert chosen.chosen_ is not None
    assert np.array_equal(chosen.rules_.votes(small), chosen.votes(small))
    stopped = machine(early_stopping=True, n_epochs=3).fit(X, y, eval_set=(X[:20], y[:20]))
    assert len(stopped.history_["eval"]) <= 3
    merged = clausal.merge([machine(n_epochs=3, random_state=k).fit(X, y) for k in (1, 2)])
    assert merged.score(X, y) > 0.8


def test_sequences():
    X = np.random.default_rng(0).random((120, 30)) < 0.2
    y = (X[:, :-2] & X[:, 2:]).any(axis=1)
    made = machine(booleanizer=PatchEncoder(3), n_epochs=40, specificity=5.0).fit(X, y)
    assert made.score(X, y) > 0.9
    assert "on at least one stretch of 3 values" in str(made.rules_)


def test_forbidden_places_make_rules_that_hold_anywhere():
    X, y = images()
    made = machine(forbidden_features=["row", "column"]).fit(X, y)
    assert made.rules_.used_features <= {0, 1}
    assert made.feature_importances_.shape == (4,)
    assert not hasattr(made, "feature_names_in_")


def test_explanations_say_where_rules_hold(fitted):
    X, _ = images()
    explained = fitted.explain(X)
    fires = fitted.rules_.fires(X)
    assert [one.label for one in explained] == fitted.predict(X).tolist()
    assert [one.votes[0] for one in explained] == fitted.votes(X).tolist()
    assert [len(one.fired) for one in explained] == fires.sum(axis=1).tolist()
    bright = parse_rule("pixel[0, 0] > 0.7 and pixel[1, 0] > 0.7", fitted).literals
    alone = fitted.rules_.with_rules([replace(fitted.rules_[0], literals=bright)])
    for image, one in zip(X, explain_rows(alone, X), strict=True):
        both = (image[:-1] > 0.7) & (image[1:] > 0.7)
        assert [own.tolist() for own in one.places] == ([np.argwhere(both).tolist()] if both.any() else [])
    assert fitted.explain(X[:0]) == []
    assert fitted.rules_.votes(X[:0]).shape == (0,)


def test_what_makes_no_sense_for_images_is_refused(fitted, tmp_path):
    X, y = images()
    calls = {
        "the 'target' parameter of explain": lambda: fitted.explain(X[:2], target=1),
        "adverse-action reasons": lambda: fitted.reasons(X[:2]),
        "an export other": lambda: fitted.export("sql"),
        "an export": fitted.to_expressions,
        "a report": lambda: clausal.report(fitted, X, y, tmp_path / "report.html"),
        "a service": lambda: clausal.service.make_app(fitted),
        "monitor": lambda: clausal.monitor(fitted, X[:80], X[80:]),
        "the 'monotonic_cst' parameter": lambda: machine(monotonic_cst=[0] * 4).fit(X, y),
    }
    for asked, call in calls.items():
        with pytest.raises(ValueError, match=f"must be one of tables for {asked}.*PatchEncoder"):
            call()
    for call in (
        lambda: RuleClassifier(booleanizer=ENCODER).fit(X, y),
        lambda: RuleRegressor(booleanizer=ENCODER).fit(X, y.astype(float)),
        lambda: clausal.compact(fitted, X, y),
    ):
        with pytest.raises(ValueError, match="must not be a PatchEncoder"):
            call()
    with pytest.raises(ValueError, match=r"must be a table, as tune finds .* shape \(150, 6, 5\)"):
        clausal.tune(X, y, n_candidates=1, verbose=0)


def test_the_command_line_says_that_a_file_has_no_images(fitted, tmp_path):
    model, table = tmp_path / "model.json", tmp_path / "table.csv"
    fitted.save(model)
    table.write_text("a,b\n1,2\n")
    for command in ("predict", "explain"):
        assert "must be one of tables for rows of a file" in " ".join(fails(command, model, table).split())


def test_rules_of_a_scorecard_are_edited_within_the_columns_of_patches(fitted):
    X, y = images()
    card = Scorecard(fitted.rules_, slope=0.1)
    bright = (X[:, :-1] > 0.7).any(axis=(1, 2))  # where a patch of two rows begins
    added = card.edit(X, y).add_rule("pixel[0, 0] > 0.7", 3).after
    assert np.array_equal(added.votes(X), card.votes(X) + 3 * bright)
    for change in (
        lambda edit: edit.add_rule("pixel[0, 0] > 0.5", 3),
        lambda edit: edit.move_cut("pixel[0, 0]", 0.7, 0.5),
        lambda edit: edit.add_override("row > 0 and pixel[1, 0] > 0.5", 1),
    ):
        with pytest.raises(
            ValueError, match=r"thresholds and places that the model has. Got `.* 0.5` of pixel"
        ):
            change(card.edit(X, y))
