"""A checkpoint changed on purpose, with a checksum that fits: the fit goes on, or a ValueError says why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import clausal
from clausal.files.model_file import encode_array
from tests.support.checkpoints import checkpoint_content, checkpoint_document, go_on
from tests.support.model_kinds import assert_says_why
from tests.support.spoiled_documents import WAYS, replaced, spoiled


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("checkpoints")


def test_the_document_of_the_example_is_accepted(folder: Path) -> None:
    clf = go_on(checkpoint_document(checkpoint_content(folder)), folder / "run")
    assert clf.history_["epoch"] == [1, 2, 3, 4]


def went_on_or_reason(content: object, path: Path) -> str | None:
    """Why the fit does not go on, if it does not; any error but a short ValueError is a failure."""
    try:
        assert go_on(checkpoint_document(content), path).n_iter_ >= 2
    except ValueError as error:
        reason = assert_says_why(error)
    else:
        return None
    assert len(reason) < 1500
    return reason


@pytest.mark.parametrize("way", list(WAYS))
def test_every_value_spoiled_in_one_way(folder: Path, way: str) -> None:
    n_refused = 0
    for keys, content in spoiled(checkpoint_content(folder), WAYS[way]):
        reason = went_on_or_reason(content, folder / "run")
        assert reason is not None or not WAYS[way].refused, keys
        n_refused += reason is not None
    assert n_refused


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("clausal", "0.0.1", f"of clausal {clausal.__version__}, since .* Got one of clausal '0.0.1'"),
        (
            "parameters.n_states",
            100,
            "'n_states' parameter of TsetlinClassifier must be 100, as in .* Got 128",
        ),
        ("seed", 1, "'random_state' parameter of TsetlinClassifier must be that of the fit that wrote"),
        ("fit.columns", "0" * 64, "must be a checkpoint of this fit. Got one with other columns"),
        ("state.step", -1, "state.step must be an integer from 0 to"),
        ("history.epoch", [1, 3], "history.epoch must be a list that counts the epochs from 1"),
        ("history.n_live_clauses", [1], "history must be lists of one length"),
        ("stopping.best", None, "stopping.best must be a dictionary"),
        ("stopping.epochs_without_gain", 3, "stopping.epochs_without_gain must be an integer from 0 to 2"),
        ("stopped", 1, "stopped must be true or false"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, path: str, value: object, reason: str) -> None:
    content = replaced(checkpoint_content(folder), path, value)
    with pytest.raises(ValueError, match=reason):
        go_on(checkpoint_document(content), folder / "run")


@pytest.mark.parametrize(
    ("name", "array", "reason"),
    [
        ("states", bytes([127] * 7 + [128]), "forbidden_features of .* must allow .* Got a clause against"),
        (
            "levels",
            (-1).to_bytes(4, "little", signed=True) * 2,
            "state.levels must be from 0 to .* Got '-1 to",
        ),
    ],
)
def test_states_that_the_fit_cannot_reach_are_refused(
    folder: Path, name: str, array: bytes, reason: str
) -> None:
    text = encode_array(np.frombuffer(array, np.uint8))
    content = replaced(checkpoint_content(folder), f"state.{name}", text)
    with pytest.raises(ValueError, match=reason):
        go_on(checkpoint_document(content), folder / "run")
