"""Explanations of images and sequences: every place is found, sums add up, and how they read."""

import json
from dataclasses import replace

import numpy as np
import pytest

from clausal import PatchEncoder, RuleSet, parse_rule
from clausal.explain import PatchExplanation, explain_rows
from clausal.rules.rule import Override, Rule

IMAGES = np.random.default_rng(0).integers(0, 10, (30, 6, 7, 2))
ENCODING = PatchEncoder((3, 2), stride=(1, 2), thresholds=[3, 6]).encoding(IMAGES)
LINES = np.random.default_rng(1).random((30, 12)) < 0.5
STARTS = PatchEncoder(3).encoding(LINES)


def rules(*words_and_points, encoding=ENCODING, classes=("cat", "dog"), constants=(1,)) -> RuleSet:
    found = [
        replace(parse_rule(text, encoding), points=points, bank=bank)
        for text, points, bank in words_and_points
    ]
    return RuleSet(found, encoding, list(classes), list(constants))


PICTURES = rules(
    ("pixel[0, 1, 0] > 6 and pixel[2, 0, 1] <= 3", 4, 0),
    ("pixel[1, 0, 0] > 3 and row > 0 and column <= 2", -7, 0),
    ("pixel[2, 1, 1] <= 3 and pixel[2, 1, 1] > 6", 9, 0),
)


def places_by_loop(image: np.ndarray, holds) -> list[list[int]]:
    """All places (row, column) of patches of 3 x 2 pixels, two columns apart, that satisfy a rule."""
    found = [(row, column) for row in range(4) for column in (0, 2, 4)]
    return [
        [row, column]
        for row, column in found
        if holds(image[row : row + 3, column : column + 2], row, column)
    ]


def test_places_are_all_those_where_the_conditions_hold():
    tests = {
        4: lambda patch, row, column: patch[0, 1, 0] > 6 and patch[2, 0, 1] <= 3,
        -7: lambda patch, row, column: patch[1, 0, 0] > 3 and row > 0 and column <= 2,
    }
    explained = explain_rows(PICTURES, IMAGES)
    assert len(explained) == len(IMAGES)
    for image, one in zip(IMAGES, explained, strict=True):
        expected = {
            points: places for points, holds in tests.items() if (places := places_by_loop(image, holds))
        }
        found = {rule.points: own.tolist() for rule, own in zip(one.fired, one.places, strict=True)}
        assert found == expected
        assert list(found) == sorted(found, key=abs, reverse=True)
    assert {len(one.fired) for one in explained} >= {1, 2}, "the images must tell rules apart"


def test_points_add_up_to_the_votes_and_the_label_is_that_of_the_rules():
    three = rules(
        ("value[0] and not value[1]", 5, 0),
        ("value[2] and start > 4", 3, 1),
        ("value[0] and value[1] and value[2]", 6, 2),
        encoding=STARTS,
        classes=("a", "b", "c"),
        constants=(0, 1, 2),
    )
    for model, X in ((PICTURES, IMAGES), (three, LINES)):
        votes = model.votes(X)
        explained = explain_rows(model, X, counterfactuals=False)
        assert [one.label for one in explained] == model.predict(X).tolist()
        for row, one in enumerate(explained):
            sums = list(one.constants)
            for rule in one.fired:
                sums[rule.bank] += rule.points
            assert tuple(sums) == one.votes == tuple(np.atleast_1d(votes[row]).tolist())


def test_a_sequence_has_starts():
    model = rules(("value[0] and not value[2] and start > 1", 3, 0), encoding=STARTS)
    X = np.zeros((2, 12), bool)
    X[0, [1, 4, 9]] = True
    first, second = explain_rows(model, X)
    assert [own.tolist() for own in first.places] == [[[4], [9]]]
    assert "+3  if value[0] and not value[2] and start > 1; at 4, 9\n" in str(first)
    assert "at each place (start), counted from 0" in str(first)
    assert second.fired == second.places == second.notes == ()
    assert "  none" in str(second)


def test_it_reads_as_text_html_and_json():
    image = np.full((1, 6, 7, 2), 9)
    image[..., 1] = 0
    (one,) = explain_rows(PICTURES, image)
    assert isinstance(one, PatchExplanation)
    assert str(one).splitlines() == [
        "Decided for cat with vote -2 = +1 (constant) + 4 (rules for dog) - 7 (rules against it)",
        "Rules that hold, with points for dog:",
        "  -7  if pixel[1, 0, 0] > 3 and row > 0 and column <= 2; at (1, 0), (1, 2), (2, 0) and 3 more",
        "  +4  if pixel[0, 1, 0] > 6 and pixel[2, 0, 1] <= 3; at all 12 places",
        "  Note: at each place (row, column), counted from 0, a patch begins that satisfies the rule.",
        "Counterfactual: none for images and sequences",
    ]
    html = one._repr_html_()
    assert "<th>at</th>" in html
    assert "<td>(1, 0), (1, 2), (2, 0) and 3 more</td>" in html
    plain = json.loads(json.dumps(one.to_dict()))
    assert plain["label"] == "cat"
    assert plain["fired"][0]["places"] == [[1, 0], [1, 2], [2, 0], [2, 2], [3, 0], [3, 2]]
    assert "Counterfactual: not requested" in str(explain_rows(PICTURES, image, counterfactuals=False)[0])


def test_overrides_and_rules_without_conditions():
    model = rules(("value[0]", -3, 0), encoding=STARTS)
    always = RuleSet([*model, Rule((), 2)], STARTS, ["cat", "dog"], [0])
    at_the_start = parse_rule("value[0] and start <= 0", STARTS).literals
    given = always.with_overrides([Override(at_the_start, "dog")])
    X = np.zeros((2, 12), bool)
    X[:, 3] = True
    X[0, 0] = True
    first, second = explain_rows(given, X)
    assert (first.label, second.label) == ("dog", "cat")
    assert str(first.override) in str(first)
    assert second.override is None
    assert [len(own) for own in second.places] == [1, 10]


def test_no_samples_have_no_explanations():
    assert explain_rows(PICTURES, IMAGES[:0]) == []


@pytest.mark.parametrize("given", [{"target": "cat"}, {"fixed": "row"}, {"fixed": [0]}])
def test_what_is_about_counterfactuals_is_refused(given):
    (name,) = given
    with pytest.raises(ValueError, match=f"tables for the '{name}' parameter of explain.*PatchEncoder"):
        explain_rows(PICTURES, IMAGES, **given)
    with pytest.raises(ValueError, match="'n_reasons' parameter"):
        explain_rows(PICTURES, IMAGES, n_reasons=-1)


def test_images_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"samples of shape \(6, 7, 2\)"):
        explain_rows(PICTURES, IMAGES[:, :5])
