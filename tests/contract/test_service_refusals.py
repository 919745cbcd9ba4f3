"""What a service refuses: every bad body gets a clear error of the client, and none makes it fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal import TsetlinClassifier
from tests.support.scorecards import scorecard
from tests.support.services import get, post, request

pytest.importorskip("fastapi", reason="LEFT OUT: no fastapi")
from clausal.service import make_app
from tests.support.service_models import ROW, app_of_three, model, rows_of, table

ANSWERS = {200, 400, 413, 422}

REFUSED: dict[str, tuple[Any, int, str]] = {
    "empty body": (b"", 400, "The body must be JSON"),
    "half of JSON": (b'{"rows": [', 400, "Expecting value"),
    "not UTF-8": (b'{"rows": "\xff"}', 400, "it is not UTF-8"),
    "deep": (b"[" * 200_000, 400, "it is nested too deeply"),
    "NaN": (b'{"rows": [{"age": NaN}]}', 400, "NaN is not a number"),
    "infinite number": (b'{"rows": [{"age": 1e999}]}', 400, "the number 1e999 is not finite"),
    "key twice": (b'{"rows": [{"age": 1, "age": 2}]}', 400, "a key is repeated"),
    "no object": ([ROW], 422, "The body must be an object with the rows in 'rows'. Got a list."),
    "unknown key": ({"rows": [ROW], "row": 1}, 422, "no other keys than 'rows'. Got 'row'."),
    "no rows": ({"rows": []}, 422, "'rows' must be a list of at least one row. Got none."),
    "rows of text": ({"rows": "x"}, 422, "'rows' must be a list of at least one row. Got 'x'."),
    "row of a number": ({"rows": [1]}, 422, "Row 0: A row must be an object of values by feature. Got 1."),
    "unknown column": (
        {"rows": [{**ROW, "chest_pian": 1}]},
        422,
        "Row 0: A row must have only features of the model. Got 'chest_pian'; did you mean 'chest_pain'?",
    ),
    "missing column": (
        {"rows": [ROW, {}]},
        422,
        "Row 1: A row must have a value of 'chest_pain', null where it is missing. Got none.",
    ),
    "text for a number": ({"rows": [{**ROW, "major_vessels": "1"}]}, 422, "was numeric in training"),
    "number for a text": ({"rows": [{**ROW, "thal": 3}]}, 422, "was categorical, of text, in training"),
    "list": ({"rows": [{**ROW, "thal": []}]}, 422, "'thal' must be a number, a text, true, false or null."),
    "large integer": (
        {"rows": [ROW, {**ROW, "major_vessels": 2**60}]},
        422,
        "Row 1: Feature 'major_vessels'",
    ),
    "huge integer": ({"rows": [{**ROW, "major_vessels": 10**305}]}, 422, "must hold integers smaller"),
}


@pytest.mark.parametrize("path", ["/predict", "/explain"])
@pytest.mark.parametrize("what", REFUSED)
def test_bad_bodies_are_refused_clearly(what: str, path: str) -> None:
    body, status, message = REFUSED[what]
    if path == "/explain":
        message = message.replace("than 'rows'.", "than 'rows', 'counterfactuals', 'fixed', 'target'.")
    answer = post(app_of_three(), path, body)
    assert answer.status == status
    assert message in answer.content["detail"]


def test_the_bad_rows_are_named() -> None:
    rows: list[Any] = [dict(ROW) for _ in range(40)]
    rows[7]["major_vessels"], rows[31]["thal"] = "x", 4
    answer = post(app_of_three(), "/predict", {"rows": rows})
    assert [each["row"] for each in answer.content["rows"]] == [7, 31]
    assert answer.content["detail"] == f"Row 7: {answer.content['rows'][0]['message']}"
    rows = [{**ROW, "thal": 4}] * 40
    assert len(post(app_of_three(), "/predict", {"rows": rows}).content["rows"]) == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"counterfactuals": 1}, "'counterfactuals' must be true or false. Got 1."),
        ({"fixed": "age"}, "'fixed' must be a list of features of the model. Got 'age'."),
        ({"fixed": ["agee"]}, "'fixed' must be a list of features of the model. Got 'agee'."),
        ({"target": "dead"}, "'target' must be one of the classes 'ill', 'well'. Got 'dead'."),
        ({"target": ["ill"]}, "'target' must be one of the classes 'ill', 'well'. Got a list."),
    ],
)
def test_bad_options_are_refused_clearly(options: dict[str, Any], message: str) -> None:
    answer = post(app_of_three(), "/explain", {"rows": [ROW], **options})
    assert (answer.status, answer.content) == (422, {"detail": message})


def test_policies_that_refuse_values_name_the_rows() -> None:
    X, y = table()
    clf = scorecard().fit(X, y).set_policy(handle_unknown="error", handle_missing="error")
    rows = rows_of(X[:6])
    feature = next(iter(clf.rules_[0].literals)).column.feature
    rows[4][feature] = None
    answer = post(make_app(clf), "/predict", {"rows": rows})
    assert [each["row"] for each in answer.content["rows"]] == [4]
    assert f"Feature {feature!r} must not be missing" in answer.content["detail"]


def test_limits() -> None:
    app = make_app(model("scorecard"), max_body_bytes=1000, max_rows=3, max_explained_rows=2)
    answer = post(app, "/predict", {"rows": [{}] * 4})
    assert (answer.status, answer.content) == (
        413,
        {"detail": "'rows' must have at most 3 rows here. Got 4."},
    )
    assert post(app, "/predict", {"rows": [{}] * 3}).status == 422
    answer = post(app, "/explain", {"rows": [{}] * 3})
    assert (answer.status, answer.content) == (
        413,
        {"detail": "'rows' must have at most 2 rows here. Got 3."},
    )
    assert post(app, "/predict", b" " * 1000).status == 400
    answer = request(app, "POST", "/predict", [b" " * 300] * 100)
    assert (answer.status, answer.n_read) == (413, 4)  # the rest is not read
    assert answer.content == {"detail": "The body must have at most 1,000 bytes. Got more."}
    for name in ("max_body_bytes", "max_rows", "max_explained_rows"):
        with pytest.raises(
            ValueError, match=f"The '{name}' parameter of make_app must be an int >= 1. Got 0."
        ):
            make_app(model("scorecard"), **{name: 0})


def test_only_a_fitted_model_can_be_served() -> None:
    with pytest.raises(TypeError, match="must be a TsetlinClassifier, RuleClassifier, .* Got dict."):
        make_app({})
    with pytest.raises(ValueError, match="is not fitted yet"):
        make_app(TsetlinClassifier())


def test_a_client_that_goes_away_is_no_error_of_the_service() -> None:
    assert request(app_of_three(), "POST", "/predict", [b'{"rows"', None]).status == 400


def test_other_paths_and_methods() -> None:
    assert get(app_of_three(), "/").status == 404
    assert get(app_of_three(), "/predict").status == 405
    assert post(app_of_three(), "/health", {}).status == 405


# --- bodies of any kind ---

TEXTS = st.text(st.characters(), max_size=5) | st.sampled_from(
    ["normal", "\ud800", "\x00", "nan", "__proto__"]
)
VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
ANY_JSON = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
NEAR_ROWS = st.lists(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys((*ROW, "age", "x"), VALUES | ANY_JSON),
    )
    | st.builds(lambda value, name: {**ROW, name: value}, VALUES | ANY_JSON, st.sampled_from([*ROW, "age"])),
    max_size=4,
)
NEAR_BODIES = st.fixed_dictionaries(
    {"rows": NEAR_ROWS},
    optional={"counterfactuals": ANY_JSON, "fixed": ANY_JSON, "target": ANY_JSON | st.just("ill")},
)
BODIES = (
    st.binary(max_size=60)
    | (ANY_JSON | NEAR_BODIES).map(lambda content: json.dumps(content).encode())
    | st.builds(lambda content, at: json.dumps(content).encode()[:-at], NEAR_BODIES, st.integers(1, 9))
)


@given(BODIES, st.sampled_from(["/predict", "/explain"]))
def test_no_body_makes_the_service_fail(body: bytes, path: str) -> None:
    answer = post(app_of_three(), path, body)
    assert answer.status in ANSWERS
    if answer.status != 200:
        assert answer.content["detail"].endswith((".", "?", "..."))
