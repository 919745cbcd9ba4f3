"""The content of a model file for a RuleClassifier or a RuleRegressor: writing and reading.

All parts are checked for consistency (rules, risk table, path) before an estimator is created. Not here: the
file format (model_file.py), the risk table, the stability and the alternatives (scorecard_parts.py).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import get_scorer_names
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.remarks import level_of_user
from clausal.files.model_file import write_document
from clausal.files.parameters import ADDED, plain_parameters, read_parameter, read_parameters
from clausal.files.scorecard_parts import (
    plain_alternative,
    plain_stability,
    plain_table,
    read_alternatives,
    read_card_rules,
    read_floats,
    read_residuals,
    read_slope,
    read_stability,
    read_table,
)
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.settings import check_machine_parameters
from clausal.scorecard.numbers import QUANTILE, NumberLoss
from clausal.scorecard.path import CompactionPath, Floats
from clausal.scorecard.rule_classifier import RuleClassifier
from clausal.scorecard.rule_regressor import RuleRegressor
from clausal.untrusted import (
    read_integer,
    read_list,
    read_record,
    read_text,
    wrong,
)

NAME, REGRESSOR = "RuleClassifier", "RuleRegressor"
_CONTENT = ("estimator", "parameters", "rules", "slope", "risk_table", "path")
_PARAMETERS = tuple(RuleClassifier().get_params(deep=False))
_NUMBER_CONTENT = ("estimator", "parameters", "rules", "path", "stability", "residual_quantiles")
_NUMBER_PARAMETERS = tuple(RuleRegressor().get_params(deep=False))
_SEARCH = ("scores", "errors", "n_rules", "losses")  # the losses are not in files of earlier versions
_OPTIONAL = ("stability", "alternatives", "n_machine_rows")  # not in files of earlier versions
_ADDED = {
    "pos_label": ADDED["pos_label"],
    "class_weight": None,
    "max_features": None,
    "parsimony": 0.5,
    "n_alternatives": 0,
}
_ADDED |= {"fixed_rules": None, "points_bounds": None, "interaction_cst": None}
_MAX_LITERALS = 10_000
_MAX_NAME_CHARACTERS = 100


# --- writing ---


def save(estimator: RuleClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file; refuses what `load` would refuse."""
    check_is_fitted(estimator, "rules_")
    _check_storable(estimator)
    machine = estimator.estimator
    settings = plain_parameters(_without_folds(estimator).set_params(estimator=None))
    settings["estimator"] = None if machine is None else plain_parameters(machine)
    settings = {
        name: value for name, value in settings.items() if name not in _ADDED or value != _ADDED[name]
    }
    content = {
        "estimator": type(estimator).__name__,
        "parameters": settings,
        "rules": estimator.rules_.to_dict(),
        "slope": float(estimator.slope_),
        "risk_table": plain_table(estimator.risk_table_)
        if estimator.rules_.outcome.positive is not None
        else None,
        "path": _plain_path(estimator.path_),
    }
    if estimator.stability_ is not None:
        content["stability"] = plain_stability(estimator.stability_)
    if estimator.alternatives_:
        content["alternatives"] = [plain_alternative(each) for each in estimator.alternatives_]
    if estimator.n_machine_rows_ is not None:
        content["n_machine_rows"] = estimator.n_machine_rows_
    read_scorecard(content)
    write_document(path, content)


def save_regressor(estimator: RuleRegressor, path: str | os.PathLike[str]) -> None:
    """Write a fitted RuleRegressor to a model file; refuses what `load` would refuse."""
    check_is_fitted(estimator, "rules_")
    _check_storable(estimator)
    content = {
        "estimator": REGRESSOR,
        "parameters": plain_parameters(_without_folds(estimator)),
        "rules": estimator.rules_.to_dict(),
        "path": _plain_path(estimator.path_),
        "stability": plain_stability(estimator.stability_),
        "residual_quantiles": estimator.residual_quantiles_.tolist(),
    }
    if estimator.n_machine_rows_ is not None:
        content["n_machine_rows"] = estimator.n_machine_rows_
    read_regressor(content)
    write_document(path, content)


def _check_storable(estimator: RuleClassifier | RuleRegressor) -> None:
    """Refuse a scorer that JSON cannot represent."""
    value = getattr(estimator, "scoring", None)
    if value is not None and not isinstance(value, str):
        raise ValueError(
            f"The 'scoring' parameter of {type(estimator).__name__} must be the name of a scorer to be "
            "saved; set_params can change it and leaves the fitted model unchanged. "
            f"Got {type(value).__name__}."
        )


def _without_folds(estimator: Any) -> Any:
    """An unfitted copy of an estimator, whose `cv` is None instead of folds; warns of these."""
    if estimator.cv is None or isinstance(estimator.cv, (int, np.integer)):
        return clone(estimator)
    warnings.warn(
        "cv is no number of folds and is saved as None; the model itself stays as it is. Give cv again "
        f"before a further fit. Got {type(estimator.cv).__name__}.",
        UserWarning,
        stacklevel=level_of_user(),
    )
    return clone(estimator).set_params(cv=None)


def _plain_path(path: CompactionPath) -> dict[str, Any]:
    searches = [
        {"name": name}
        | {key: each.tolist() for key, each in zip(_SEARCH, arrays, strict=True) if not np.isnan(each).any()}
        for name, arrays in path.searches.items()
    ]
    return {
        "n_literals": path.n_literals.tolist(),
        "chosen": int(path.chosen),
        "scoring": path.scoring,
        "search": path.search,
        "searches": searches,
    }


# --- reading ---


def read_scorecard(data: object) -> RuleClassifier:
    """The estimator with this file content; raises ValueError for anything else."""
    given = [name for name in _OPTIONAL if isinstance(data, dict) and name in data]
    content = read_record(data, "content", (*_CONTENT, *given))
    if content["estimator"] != NAME:
        raise wrong("estimator", repr(NAME), content["estimator"])
    clf = RuleClassifier(**_read_settings(content["parameters"]))
    clf._check_parameters(stored=True)
    if clf.scoring not in get_scorer_names():
        raise wrong("parameters.scoring", "the name of a scikit-learn scorer", clf.scoring)
    path = _read_path(content["path"])
    rules = read_card_rules(content["rules"], "rules", path.chosen)
    if rules.outcome.is_numeric:
        raise wrong("rules", "of classes", "a number")
    slope = read_slope(content["slope"], "slope")
    table = read_table(content["risk_table"], "risk_table", slope, rules)
    stability = read_stability(content["stability"], rules) if "stability" in given else None
    others = read_alternatives(content["alternatives"], rules, path.chosen) if "alternatives" in given else ()
    clf._set(rules, path, slope, table, stability, others)
    if "n_machine_rows" in given:
        clf.n_machine_rows_ = read_integer(content["n_machine_rows"], "n_machine_rows", 1, 2**53)
    return clf


def read_regressor(data: object) -> RuleRegressor:
    """The RuleRegressor with this file content; raises ValueError for anything else."""
    given = [name for name in ("n_machine_rows",) if isinstance(data, dict) and name in data]
    content = read_record(data, "content", (*_NUMBER_CONTENT, *given))
    if content["estimator"] != REGRESSOR:
        raise wrong("estimator", repr(REGRESSOR), content["estimator"])
    parameters = content["parameters"]
    added = {name: value for name, value in ADDED.items() if name in _NUMBER_PARAMETERS}
    given_all = {**added, **parameters} if isinstance(parameters, dict) else parameters
    record = read_record(given_all, "parameters", _NUMBER_PARAMETERS)
    reg = RuleRegressor(
        **{name: read_parameter(name, value, f"parameters.{name}") for name, value in record.items()}
    )
    if reg.loss != QUANTILE:  # files of earlier versions have one that was not used
        reg.quantile = None
    reg._check_parameters()
    path = replace(_read_path(content["path"]), loss_name=reg.loss)
    score = NumberLoss(reg.loss).score_name
    if path.scoring != score:
        raise wrong("path.scoring", f"{score!r}, as parameters.loss says", path.scoring)
    rules = read_card_rules(content["rules"], "rules", path.chosen)
    if not rules.outcome.is_numeric:
        raise wrong("rules", "of a number", "classes")
    residuals = read_residuals(content["residual_quantiles"])
    reg._set(rules, path, read_stability(content["stability"], rules), residuals)
    if given:
        reg.n_machine_rows_ = read_integer(content["n_machine_rows"], "n_machine_rows", 1, 2**53)
    return reg


def _read_settings(data: object) -> dict[str, Any]:
    record = read_record({**_ADDED, **data} if isinstance(data, dict) else data, "parameters", _PARAMETERS)
    settings = {}
    for name, value in record.items():
        where = f"parameters.{name}"
        if name == "estimator" and value is not None:
            settings[name] = TsetlinClassifier(**read_parameters(value, where))
            check_machine_parameters(settings[name])
        else:
            settings[name] = read_parameter(name, value, where)
    return settings


def _read_path(data: object) -> CompactionPath:
    record = read_record(data, "path", ("n_literals", "chosen", "scoring", "search", "searches"))
    sizes = [
        read_integer(size, "path.n_literals", 1, _MAX_LITERALS)
        for size in read_list(record["n_literals"], "path.n_literals")
    ]
    if not sizes or any(a >= b for a, b in pairwise(sizes)):
        raise wrong("path.n_literals", "one or more sizes, ascending", f"{len(sizes)} in another order")
    chosen = read_integer(record["chosen"], "path.chosen", 1, sizes[-1])
    if chosen not in sizes:
        raise wrong("path.chosen", "one of path.n_literals", chosen)
    searches: dict[str, tuple[Floats, Floats, Floats, Floats]] = {}
    items = read_list(record["searches"], "path.searches")
    stored = _SEARCH if any(isinstance(item, dict) and "losses" in item for item in items) else _SEARCH[:-1]
    for index, item in enumerate(items):
        name, arrays = _read_search(item, f"path.searches[{index}]", sizes, stored)
        if name in searches:
            raise wrong("path.searches", "of different names", name)
        searches[name] = arrays
    search = read_text(record["search"], "path.search")
    if search not in searches:
        raise wrong("path.search", "one of path.searches", search)
    scoring = _read_name(record["scoring"], "path.scoring")
    return CompactionPath(np.array(sizes, np.intp), chosen, scoring, search, searches)


def _read_search(
    data: object, where: str, sizes: list[int], stored: Sequence[str]
) -> tuple[str, tuple[Floats, Floats, Floats, Floats]]:
    record = read_record(data, where, ("name", *stored))
    name = _read_name(record["name"], f"{where}.name")
    scores = read_floats(record["scores"], f"{where}.scores", len(sizes), low=-np.inf)
    errors, n_rules = (
        read_floats(record[name], f"{where}.{name}", len(sizes)) for name in ("errors", "n_rules")
    )
    if np.any(n_rules > sizes):
        raise wrong(f"{where}.n_rules", "at most path.n_literals", float(n_rules[n_rules > sizes][0]))
    losses = np.full(len(sizes), np.nan)
    if "losses" in record:
        losses = read_floats(record["losses"], f"{where}.losses", len(sizes))
    return name, (scores, errors, n_rules, losses)


def _read_name(data: object, where: str) -> str:
    """A short name of printable characters."""
    name = read_text(data, where)
    if not (0 < len(name) <= _MAX_NAME_CHARACTERS and name.isprintable()):
        raise wrong(where, f"1 to {_MAX_NAME_CHARACTERS} printable characters", name)
    return name
