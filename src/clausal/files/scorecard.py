"""The content of a model file for a RuleClassifier: writing and reading.

All parts are checked for consistency (rules, risk table, path) before an estimator is created. Not here: the
file format (model_file.py), rules (rules.py), machines (machine.py).
"""

from __future__ import annotations

import os
import re
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import get_scorer_names
from sklearn.utils.validation import check_is_fitted

from clausal.files.model_file import write_document
from clausal.files.parameters import ADDED, plain_parameters, read_parameter, read_parameters
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.settings import check_machine_parameters
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.path import CompactionPath, Floats
from clausal.scorecard.risk_table import RiskTable
from clausal.scorecard.rule_classifier import RuleClassifier
from clausal.untrusted import (
    read_integer,
    read_list,
    read_number,
    read_record,
    read_text,
    wrong,
)

NAME = "RuleClassifier"
_CONTENT = ("estimator", "parameters", "rules", "slope", "risk_table", "path")
_PARAMETERS = tuple(RuleClassifier().get_params(deep=False))
_ADDED = {**ADDED, "class_weight": None, "max_features": None, "parsimony": 0.5}
_MAX_POINTS = 10_000
_MAX_CONSTANT = 2**53
_MAX_SLOPE = 1e6
_MAX_OFFSET = 1e18
_MAX_LITERALS = 10_000
_MAX_NAME_CHARACTERS = 100
_PATH_IN_RULES = re.compile(r"(booleanizer|classes|constants|rules)\b")


# --- writing ---


def save(estimator: RuleClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file; refuses what `load` would refuse."""
    check_is_fitted(estimator, "rules_")
    _check_storable(estimator)
    machine = estimator.estimator
    settings = plain_parameters(clone(estimator).set_params(estimator=None))
    settings["estimator"] = None if machine is None else plain_parameters(machine)
    settings = {
        name: value for name, value in settings.items() if name not in _ADDED or value != _ADDED[name]
    }
    content = {
        "estimator": type(estimator).__name__,
        "parameters": settings,
        "rules": estimator.rules_.to_dict(),
        "slope": float(estimator.slope_),
        "risk_table": _plain_table(estimator.risk_table_)
        if estimator.rules_.outcome.positive is not None
        else None,
        "path": _plain_path(estimator.path_),
    }
    read_scorecard(content)
    write_document(path, content)


def _check_storable(estimator: RuleClassifier) -> None:
    """Refuse parameters that JSON cannot represent."""
    for name, expected, types in (
        ("scoring", "the name of a scorer", str),
        ("cv", "None or an int", (int, np.integer)),
    ):
        value = getattr(estimator, name)
        if value is not None and not isinstance(value, types):
            raise ValueError(
                f"The {name!r} parameter of {NAME} must be {expected} to be saved; set_params can change it "
                f"and leaves the fitted model unchanged. Got {type(value).__name__}."
            )


def _plain_table(table: RiskTable) -> dict[str, Any]:
    arrays = {name: getattr(table, name).tolist() for name in ("scores", "counts", "positives")}
    return {"offset": float(table.offset), **arrays}


def _plain_path(path: CompactionPath) -> dict[str, Any]:
    searches = [
        {"name": name, "scores": scores.tolist(), "errors": errors.tolist(), "n_rules": n_rules.tolist()}
        for name, (scores, errors, n_rules) in path.searches.items()
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
    content = read_record(data, "content", _CONTENT)
    if content["estimator"] != NAME:
        raise wrong("estimator", repr(NAME), content["estimator"])
    clf = RuleClassifier(**_read_settings(content["parameters"]))
    clf._check_parameters(stored=True)
    if clf.scoring not in get_scorer_names():
        raise wrong("parameters.scoring", "the name of a scikit-learn scorer", clf.scoring)
    rules = _read_rules(content["rules"])
    _check_rules(rules)
    slope = _read_within(content["slope"], "slope", 0.0, _MAX_SLOPE)
    if slope == 0:
        raise wrong("slope", "above 0", slope)
    path = _read_path(content["path"])
    if rules.n_literals > path.chosen:
        raise wrong("rules", f"of at most path.chosen = {path.chosen} literals", rules.n_literals)
    clf._set(rules, path, slope)
    if rules.outcome.positive is not None:
        clf.risk_table_ = _read_table(content["risk_table"], slope, rules)
    elif content["risk_table"] is not None:
        raise wrong("risk_table", "null for more than two classes", content["risk_table"])
    return clf


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


def _read_rules(data: object) -> RuleSet:
    """The rule set; the path in an error begins at the content of the file, not at the rule set."""
    if not isinstance(data, dict):
        raise wrong("rules", "a dictionary", data)
    try:
        return RuleSet.from_dict(data)
    except ValueError as error:
        text = str(error)
        if _PATH_IN_RULES.match(text):
            text = f"rules.{text}"
        raise ValueError(text.replace("the rule set must", "rules must", 1)) from None


def _check_rules(rules: RuleSet) -> None:
    """Check that the rules are a scorecard: sorted classes, small integer points, no empty rules."""
    if len(rules.classes) > 2 and np.any(rules.classes[:-1] >= rules.classes[1:]):
        raise wrong("rules.classes", "sorted", "another order")
    for constant in rules.constants:
        read_integer(constant, "rules.constants", -_MAX_CONSTANT, _MAX_CONSTANT)
    for index, rule in enumerate(rules):
        if read_integer(rule.points, f"rules.rules[{index}].points", -_MAX_POINTS, _MAX_POINTS) == 0:
            raise wrong(f"rules.rules[{index}].points", "other than 0", 0)
        if not rule.literals:
            raise wrong(f"rules.rules[{index}].literals", "at least one literal", "none")


def _read_table(data: object, slope: float, rules: RuleSet) -> RiskTable:
    record = read_record(data, "risk_table", ("offset", "scores", "counts", "positives"))
    offset = _read_within(record["offset"], "risk_table.offset", -_MAX_OFFSET, _MAX_OFFSET)
    lowest, highest = (
        int(rules.constants[0] + sum(rule.points for rule in rules if sign * rule.points > 0))
        for sign in (-1, 1)
    )
    scores = [
        read_integer(score, "risk_table.scores", lowest, highest)
        for score in read_list(record["scores"], "risk_table.scores")
    ]
    if not scores or any(a >= b for a, b in pairwise(scores)):
        raise wrong("risk_table.scores", "at least one score, ascending", f"{len(scores)} in another order")
    counts = _read_floats(record["counts"], "risk_table.counts", len(scores))
    positives = _read_floats(record["positives"], "risk_table.positives", len(scores))
    if counts.min() <= 0:
        raise wrong("risk_table.counts", "above 0", float(counts.min()))
    above = positives[positives > counts]
    if len(above):
        raise wrong("risk_table.positives", "at most risk_table.counts", float(above[0]))
    return RiskTable(slope, offset, np.array(scores, np.int64), counts, positives, rules.outcome.pos_label)


def _read_path(data: object) -> CompactionPath:
    record = read_record(data, "path", ("n_literals", "chosen", "scoring", "search", "searches"))
    sizes = [
        read_integer(size, "path.n_literals", 1, _MAX_LITERALS)
        for size in read_list(record["n_literals"], "path.n_literals")
    ]
    if sizes[:1] != [1] or any(a >= b for a, b in pairwise(sizes)):
        raise wrong("path.n_literals", "ascending from 1", f"{len(sizes)} in another order")
    chosen = read_integer(record["chosen"], "path.chosen", 1, sizes[-1])
    if chosen not in sizes:
        raise wrong("path.chosen", "one of path.n_literals", chosen)
    searches: dict[str, tuple[Floats, Floats, Floats]] = {}
    for index, item in enumerate(read_list(record["searches"], "path.searches")):
        name, arrays = _read_search(item, f"path.searches[{index}]", sizes)
        if name in searches:
            raise wrong("path.searches", "of different names", name)
        searches[name] = arrays
    search = read_text(record["search"], "path.search")
    if search not in searches:
        raise wrong("path.search", "one of path.searches", search)
    scoring = _read_name(record["scoring"], "path.scoring")
    return CompactionPath(np.array(sizes, np.intp), chosen, scoring, search, searches)


def _read_search(data: object, where: str, sizes: list[int]) -> tuple[str, tuple[Floats, Floats, Floats]]:
    record = read_record(data, where, ("name", "scores", "errors", "n_rules"))
    name = _read_name(record["name"], f"{where}.name")
    scores = _read_floats(record["scores"], f"{where}.scores", len(sizes), low=-np.inf)
    errors, n_rules = (
        _read_floats(record[name], f"{where}.{name}", len(sizes)) for name in ("errors", "n_rules")
    )
    if np.any(n_rules > sizes):
        raise wrong(f"{where}.n_rules", "at most path.n_literals", float(n_rules[n_rules > sizes][0]))
    return name, (scores, errors, n_rules)


def _read_name(data: object, where: str) -> str:
    """A short name of printable characters."""
    name = read_text(data, where)
    if not (0 < len(name) <= _MAX_NAME_CHARACTERS and name.isprintable()):
        raise wrong(where, f"1 to {_MAX_NAME_CHARACTERS} printable characters", name)
    return name


def _read_floats(data: object, where: str, length: int, low: float = 0.0) -> Floats:
    """A list of `length` finite numbers, none below `low`."""
    listed = read_list(data, where)
    if len(listed) != length:
        raise wrong(where, f"a list of {length} numbers", f"{len(listed)}")
    return np.array([_read_within(item, where, low, np.inf) for item in listed], np.float64)


def _read_within(data: object, where: str, low: float, high: float) -> float:
    number = float(read_number(data, where))
    if not low <= number <= high:
        raise wrong(where, f"from {low:g} to {high:g}", number)
    return number
