"""The content of a model file for a TsetlinClassifier or TsetlinRegressor: writing and reading.

All parts are checked for consistency (shapes, ranges, labels, columns) before an estimator is created.
Not here: the file format (model_file.py), `load` (__init__.py), parameters (parameters.py), the encoding
(encoding/encoding.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.encoding import Encoding
from clausal.encoding.patches import read_encoding, view_of
from clausal.engine.weight_rule import MAX_LEVEL, MAX_REAL_WEIGHT, REAL_SCALE
from clausal.files.model_file import decode_array, encode_array, write_document
from clausal.files.outcome import NUMBER, outcome_name, plain_outcome, read_outcome
from clausal.files.parameters import plain_parameters, read_parameters
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.clause_model import ClauseModel
from clausal.machine.estimator import TsetlinEstimator
from clausal.machine.read import Fitted
from clausal.machine.regressor import TsetlinRegressor
from clausal.machine.settings import MAX_NUMBER, MAX_SPECIFICITY, Chosen, Group, check_machine_parameters
from clausal.outcome import Outcome
from clausal.untrusted import (
    read_bool,
    read_integer,
    read_list,
    read_number,
    read_record,
    read_text,
    short_repr,
    wrong,
)

ESTIMATORS: dict[str, type[TsetlinEstimator]] = {
    "TsetlinClassifier": TsetlinClassifier,
    "TsetlinRegressor": TsetlinRegressor,
}
_CONTENT = ("estimator", "parameters", "booleanizer", "model", "history", "n_iter")
_MODEL_NUMBERS = {  # name: (minimum, maximum)
    "n_clauses": (1, 2**24),
    "n_states": (1, 128),
    "threshold": (1, 2**46),
    "scale": (1, REAL_SCALE),
    "seed": (0, 2**32 - 1),
    "step": (0, 2**62),
    "epoch": (0, 2**62),
    "row": (0, 2**62),
}
_GROUP_NUMBERS = {"n_clauses": (2, 2**24), "threshold": (1, 2**30), "factor": (1, 2**15)}
_MAX_SLOPE = 2**10  # log-odds per vote
_MAX_THRESHOLD = 2**30
_MAX_REAL_LEVEL = 2**14  # with the smallest gain, 0.001, levels range from -11,789 to 9,708


def save(estimator: TsetlinEstimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file; refuses what `load` would refuse."""
    check_is_fitted(estimator, "model_")
    model = estimator.model_
    numbers = {name: int(getattr(model, name)) for name in _MODEL_NUMBERS}
    arrays = {name: encode_array(getattr(model, name)) for name in ("states", "levels", "points")}
    content = {
        "estimator": type(estimator).__name__,
        "parameters": plain_parameters(estimator),
        **plain_outcome(estimator._outcome),
        "booleanizer": estimator.encoding_.to_dict(),
        "model": numbers | arrays | ({"shared": True} if model.shared else {}),
        "history": estimator.history_,
        "n_iter": estimator.n_iter_,
    }
    if estimator.chosen_ is not None:
        content["chosen"] = _plain_chosen(estimator.chosen_)
    read_estimator(content)
    write_document(path, content)


def read_estimator(data: object) -> Any:
    """The estimator with this file content; raises ValueError for anything else."""
    known = (*_CONTENT, "chosen") if isinstance(data, dict) and "chosen" in data else _CONTENT
    content = read_record(data, "content", (*known, outcome_name(data)))
    name = read_text(content["estimator"], "estimator")
    if name not in ESTIMATORS:
        raise wrong("estimator", f"one of {sorted(ESTIMATORS)}", name)
    kind = ESTIMATORS[name]
    estimator = kind(**read_parameters(content["parameters"], of_numbers=kind._predicts_numbers))
    check_machine_parameters(estimator)
    if NUMBER in content:
        read_record(content[NUMBER], NUMBER, ("high", "low", "offset", "unit"))
    outcome = read_outcome(content, ascending=True)
    if outcome.is_numeric != kind._predicts_numbers or (outcome.is_numeric and "chosen" in content):
        raise wrong("content", f"what a {name} has", "what another estimator has")
    encoding = read_encoding(content["booleanizer"])
    if not encoding.columns:
        raise ValueError("booleanizer must have at least one column. Got 0.")
    chosen = _read_chosen(content["chosen"]) if "chosen" in content else None
    model = _read_model(content["model"], outcome, encoding, chosen)
    history = read_history(content["history"])
    n_iter = read_integer(content["n_iter"], "n_iter", 0, 2**62)
    estimator._keep(Fitted(model, encoding, outcome, chosen), history, n_iter)
    return estimator


def _plain_chosen(chosen: Chosen) -> dict[str, Any]:
    return asdict(chosen) | {"groups": [asdict(group) for group in chosen.groups]}


def _read_chosen(data: object) -> Chosen:
    record = read_record(data, "chosen", [field.name for field in fields(Chosen)])
    groups = []
    for index, item in enumerate(read_list(record["groups"], "chosen.groups")):
        where = f"chosen.groups[{index}]"
        group = read_record(item, where, [*_GROUP_NUMBERS, "specificity"])
        numbers = {
            name: read_integer(group[name], f"{where}.{name}", low, high)
            for name, (low, high) in _GROUP_NUMBERS.items()
        }
        specificity = read_number(group["specificity"], f"{where}.specificity")
        if not 1 <= specificity <= MAX_SPECIFICITY or numbers["n_clauses"] % 2:
            raise wrong(where, f"even n_clauses and specificity from 1 to {MAX_SPECIFICITY:g}", item)
        groups.append(Group(**numbers, specificity=specificity))
    if not groups:
        raise wrong("chosen.groups", "at least 1 group", "none")
    slope, log_loss, accuracy = (
        read_number(record[name], f"chosen.{name}") for name in ("slope", "log_loss", "accuracy")
    )
    if not 0 < slope <= _MAX_SLOPE:
        raise wrong("chosen.slope", f"above 0 and at most {_MAX_SLOPE}", slope)
    n_epochs = read_integer(record["n_epochs"], "chosen.n_epochs", 1, 2**31)
    return Chosen(tuple(groups), n_epochs, slope, log_loss, accuracy)


def _read_model(data: object, outcome: Outcome, encoding: Encoding, chosen: Chosen | None) -> ClauseModel:
    names = (*_MODEL_NUMBERS, "states", "levels", "points")
    has_sharing = isinstance(data, dict) and "shared" in data  # models of clauses that are not shared lack it
    record = read_record(data, "model", (*names, "shared") if has_sharing else names)
    shared = has_sharing and read_bool(record["shared"], "model.shared")
    numbers = {
        name: read_integer(record[name], f"model.{name}", low, high)
        for name, (low, high) in _MODEL_NUMBERS.items()
    }
    n_clauses = numbers.pop("n_clauses")
    if n_clauses % 2 and not outcome.is_numeric:
        raise wrong("model.n_clauses", "even", n_clauses)
    if numbers["scale"] not in (1, REAL_SCALE):
        raise wrong("model.scale", f"1 or {REAL_SCALE}", numbers["scale"])
    if numbers["threshold"] > _MAX_THRESHOLD * numbers["scale"]:
        raise wrong("model.threshold", f"at most {_MAX_THRESHOLD} * scale", numbers["threshold"])
    if outcome.is_numeric:
        _check_range(outcome, numbers["threshold"], numbers["scale"])
    shape, n_sets = (outcome.n_banks, n_clauses), 1 if shared else outcome.n_banks
    n_literals = 2 * encoding.n_columns
    states = decode_array(record["states"], "model.states", np.uint8, (n_sets, n_clauses, n_literals))
    levels = decode_array(record["levels"], "model.levels", np.int32, shape)
    points = decode_array(record["points"], "model.points", np.int32, shape)
    if states.max() >= 2 * numbers["n_states"]:
        raise wrong("model.states", f"below 2 * n_states = {2 * numbers['n_states']}", int(states.max()))
    _check_groups(chosen, n_clauses, numbers["threshold"])
    if shared and outcome.is_numeric:
        raise wrong("model.shared", "false where a number is predicted", shared)
    _check_weights(levels, points, numbers["scale"], shared)
    return ClauseModel(
        states=states,
        levels=levels,
        points=points,
        shared=shared,
        view=view_of(encoding),
        all_for=outcome.is_numeric,
        **numbers,
    )


def _check_range(outcome: Outcome, threshold: int, scale: int) -> None:
    """Check that T votes are the whole range."""
    low, high = outcome.numbers["low"], outcome.numbers["high"]
    if not -MAX_NUMBER <= low < high <= MAX_NUMBER or outcome.numbers["offset"] != low:
        rule = f"with offset = low < high, from -{MAX_NUMBER:g} to {MAX_NUMBER:g}"
        raise wrong("number", rule, outcome.numbers)
    if threshold % scale or outcome.numbers["unit"] != (high - low) / (threshold // scale):
        raise wrong("number.unit", "(high - low) * model.scale / model.threshold", outcome.numbers["unit"])


def _check_groups(chosen: Chosen | None, n_clauses: int, threshold: int) -> None:
    """Check that the groups make up the machine."""
    if chosen is None:
        return
    total = sum(group.n_clauses for group in chosen.groups)
    if total != n_clauses:
        raise wrong("chosen.groups", f"groups of {n_clauses} clauses together", total)
    if sum(group.factor * group.threshold for group in chosen.groups) != threshold:
        raise wrong("chosen.groups", f"groups with factor * threshold of {threshold} together", "others")


def _check_weights(levels: NDArray[np.int32], points: NDArray[np.int32], scale: int, shared: bool) -> None:
    """Check that levels and points are possible for some weighting.

    The weighting itself is unknown here, because the parameters may have been changed after training.
    Predictions use points only, and `partial_fit` refuses to continue with levels that the parameters do not
    allow or that have other points.
    """
    if shared and scale != 1:
        raise wrong("model.scale", "1 if model.shared is true", scale)
    least, most, largest = (-MAX_LEVEL if shared else 0, MAX_LEVEL, MAX_LEVEL)
    if scale != 1:
        least, most, largest = (-_MAX_REAL_LEVEL, _MAX_REAL_LEVEL, MAX_REAL_WEIGHT * REAL_SCALE)
    for name, array, low, high in (
        ("points", points, least if scale == 1 else 1, largest),
        ("levels", levels, least, most),
    ):
        for extreme in (int(array.min()), int(array.max())):
            if not low <= extreme <= high:
                raise wrong(f"model.{name}", f"from {low} to {high} if model.scale is {scale}", extreme)


def read_history(data: object) -> dict[str, list[float]]:
    """`history_`: lists of numbers by name."""
    if not isinstance(data, Mapping):
        raise wrong("history", "a dictionary", data)
    history = {}
    for name, values in data.items():
        where = f"history[{short_repr(name)}]"
        history[read_text(name, "history")] = [read_number(item, where) for item in read_list(values, where)]
    return history
