"""The content of a model file for a Scorecard: writing and reading.

Not here: the file format (model_file.py), rules and risk table (scorecard_parts.py).
"""

from __future__ import annotations

import os
from typing import Any

from clausal.files.model_file import write_document
from clausal.files.outcome import NUMBER, outcome_name
from clausal.files.parameters import plain_parameter, read_parameter
from clausal.files.scorecard_parts import (
    plain_table,
    read_residuals,
    read_rules,
    read_slope,
    read_table,
    read_within,
)
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.edit_log import LogEntry
from clausal.scorecard.kept_constraints import NAMES
from clausal.scorecard.scale import Scale
from clausal.scorecard.scorecard import Scorecard
from clausal.untrusted import read_bool, read_list, read_record, read_text, wrong

NAME = "Scorecard"
_COMMON = ("estimator", "rules", "about", "log")
_OF_CLASSES = ("slope", "offset", "risk_table")
_OF_NUMBERS = ("loss", "quantile", "residual_quantiles")
_OPTIONAL = ("constraints",)  # written only if there is something to say; not in files of earlier versions
_OPTIONAL_OF_CLASSES = (*_OPTIONAL, "class_weight", "scale", "cut_off_by_hand")
_SCALE = ("base_score", "base_odds", "points_to_double")
_ENTRY = ("when", "who", "why", "what", "effect")
_MAX_OFFSET = 1e18


def save(card: Scorecard, path: str | os.PathLike[str]) -> None:
    """Write a scorecard to a model file; refuses what `load` would refuse."""
    content = plain_card(card)
    read_card(content)
    write_document(path, content)


def plain_card(card: Scorecard) -> dict[str, Any]:
    """A scorecard as JSON-compatible values."""
    return {
        "estimator": NAME,
        "rules": card.rules_.to_dict(),
        **_plain_parts(card),
        "about": card.about_,
        "log": [
            {name: getattr(entry, name) for name in _ENTRY[:-1]} | {"effect": dict(entry.effect)}
            for entry in card.log_
        ],
        **_plain_optional(card),
    }


def _plain_optional(card: Scorecard) -> dict[str, Any]:
    """What is only written where there is something to say."""
    scale = card._scale
    found = {
        "constraints": {name: plain_parameter(name, each) for name, each in card.constraints_.items()},
        "class_weight": plain_parameter("class_weight", card.class_weight),
        "scale": None if scale is None else {name: getattr(scale, name) for name in _SCALE},
        "cut_off_by_hand": card.cut_off_by_hand_,
    }
    return {name: value for name, value in found.items() if value}


def _plain_parts(card: Scorecard) -> dict[str, Any]:
    """What totals mean, and how good they are."""
    if card.rules_.outcome.is_numeric:
        residuals = vars(card).get("residual_quantiles_")
        plain = None if residuals is None else residuals.tolist()
        return {"loss": card.loss, "quantile": card.quantile, "residual_quantiles": plain}
    table = vars(card).get("risk_table_")
    plain_or_none = None if table is None else plain_table(table)
    return {"slope": card.slope_, "offset": card.offset_, "risk_table": plain_or_none}


def read_card(data: object) -> Scorecard:
    """The scorecard with this file content; raises ValueError for anything else."""
    of_numbers = isinstance(data, dict) and outcome_name(data.get("rules")) == NUMBER
    optional = _OPTIONAL if of_numbers else _OPTIONAL_OF_CLASSES
    given = [name for name in optional if isinstance(data, dict) and name in data]
    content = read_record(data, "content", (*_COMMON, *(_OF_NUMBERS if of_numbers else _OF_CLASSES), *given))
    if content["estimator"] != NAME:
        raise wrong("estimator", repr(NAME), content["estimator"])
    rules = read_rules(content["rules"], "rules")
    log = tuple(_read_entry(item, f"log[{k}]") for k, item in enumerate(read_list(content["log"], "log")))
    parts = _read_number_parts(content) if of_numbers else _read_class_parts(content, rules)
    parts |= {name: _READ[name](content[name], name) for name in given}
    return Scorecard(rules, **parts, about=_read_named(content["about"], "about"), log=log)


def _read_constraints(data: object, where: str) -> dict[str, Any]:
    """Constraints, whose values the Scorecard checks."""
    known = [name for name in NAMES if isinstance(data, dict) and name in data]
    record = read_record(data, where, known)
    return {name: read_parameter(name, value, f"{where}.{name}") for name, value in record.items()}


def _read_scale(data: object, where: str) -> Scale:
    record = read_record(data, where, _SCALE)
    base, odds, double = (read_within(record[name], f"{where}.{name}", -1e9, 1e9) for name in _SCALE)
    for name, value in (("base_odds", odds), ("points_to_double", double)):
        if value <= 0:
            raise wrong(f"{where}.{name}", "above 0", value)
    return Scale(base, odds, double)


def _read_class_weight(data: object, where: str) -> Any:
    return read_parameter("class_weight", data, where)


_READ = {
    "constraints": _read_constraints,
    "class_weight": _read_class_weight,
    "scale": _read_scale,
    "cut_off_by_hand": read_bool,
}


def _read_class_parts(content: dict[str, Any], rules: RuleSet) -> dict[str, Any]:
    slope = read_slope(content["slope"], "slope")
    offset = read_within(content["offset"], "offset", -_MAX_OFFSET, _MAX_OFFSET)
    table = None
    if content["risk_table"] is not None:
        table = read_table(content["risk_table"], "risk_table", slope, rules)
        if table is not None and table.offset != offset:
            raise wrong("risk_table.offset", f"offset = {offset!r}", table.offset)
    return {"slope": slope, "offset": offset, "risk_table": table}


def _read_number_parts(content: dict[str, Any]) -> dict[str, Any]:
    """The parts of a scorecard of numbers; the Scorecard checks the quantile and the loss."""
    quantile, residuals = content["quantile"], content["residual_quantiles"]
    return {
        "loss": read_text(content["loss"], "loss"),
        "quantile": None if quantile is None else read_within(quantile, "quantile", 0.0, 1.0),
        "residual_quantiles": None if residuals is None else read_residuals(residuals),
    }


def _read_named(data: object, where: str) -> dict[str, Any]:
    """A dictionary, whose values the Scorecard checks."""
    if not isinstance(data, dict):
        raise wrong(where, "a dictionary", data)
    return data


def _read_entry(data: object, where: str) -> LogEntry:
    """An edit, whose texts the Scorecard checks."""
    record = read_record(data, where, _ENTRY)
    texts = {name: read_text(record[name], f"{where}.{name}") for name in _ENTRY[:-1]}
    return LogEntry(**texts, effect=_read_named(record["effect"], f"{where}.effect"))
