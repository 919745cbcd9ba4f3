"""Parts of the content of a scorecard's model file: rules, risk table, stability, alternatives.

Not here: the file as a whole, its parameters and its path (rule_classifier.py).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np

from clausal.rules.rule_set import RuleSet
from clausal.scorecard.alternatives import Alternative
from clausal.scorecard.calibration import Floats
from clausal.scorecard.numbers import LEVELS
from clausal.scorecard.risk_table import RiskErrors, RiskTable
from clausal.scorecard.stability import Stability, feature_names
from clausal.untrusted import read_integer, read_list, read_number, read_record, read_text, wrong

_MAX_POINTS = 10_000
_MAX_CONSTANT = 2**53
_MAX_SLOPE = 1e6
_MAX_OFFSET = 1e18
_MAX_VARIANCE = 1e60
_MAX_CARDS = 2**31
_MAX_ALTERNATIVES = 100
_PATH_IN_RULES = re.compile(r"(booleanizer|classes|number|constants|rules|cut_off|overrides)\b")
_NUMBERS = ("score", "error", "loss", "worse_by", "worse_by_error")


# --- rules ---


def read_rules(data: object, where: str) -> RuleSet:
    """Rules; the path in an error begins at the content of the file."""
    if not isinstance(data, dict):
        raise wrong(where, "a dictionary", data)
    try:
        rules = RuleSet.from_dict(data)
    except ValueError as error:
        text = str(error)
        if _PATH_IN_RULES.match(text):
            text = f"{where}.{text}"
        raise ValueError(text.replace("the rule set must", f"{where} must", 1)) from None
    return rules


def read_card_rules(data: object, where: str, max_literals: int) -> RuleSet:
    """The rules of a scorecard that was found."""
    rules = read_rules(data, where)
    _check_rules(rules, where)
    if rules.n_literals > max_literals:
        raise wrong(where, f"of at most path.chosen = {max_literals} literals", rules.n_literals)
    return rules


def _check_rules(rules: RuleSet, where: str) -> None:
    """Check that the rules are a scorecard: sorted classes, small integer points, no empty rules."""
    if rules.n_banks > 1 and np.any(rules.classes[:-1] >= rules.classes[1:]):
        raise wrong(f"{where}.classes", "sorted", "another order")
    for constant in rules.constants:
        read_integer(constant, f"{where}.constants", -_MAX_CONSTANT, _MAX_CONSTANT)
    for index, rule in enumerate(rules):
        place = f"{where}.rules[{index}]"
        if read_integer(rule.points, f"{place}.points", -_MAX_POINTS, _MAX_POINTS) == 0:
            raise wrong(f"{place}.points", "other than 0", 0)
        if not rule.literals:
            raise wrong(f"{place}.literals", "at least one literal", "none")


def read_slope(data: object, where: str) -> float:
    """The log-odds per point."""
    slope = read_within(data, where, 0.0, _MAX_SLOPE)
    if slope == 0:
        raise wrong(where, "above 0", slope)
    return slope


# --- the risk table ---


def plain_table(table: RiskTable) -> dict[str, Any]:
    """A risk table as JSON-compatible values; the slope, the label and missing errors are left out."""
    arrays = {name: getattr(table, name).tolist() for name in ("scores", "counts", "positives")}
    plain = {"offset": float(table.offset), **arrays}
    if table.errors is not None:
        plain["errors"] = {
            "slope_variance": float(table.errors.slope_variance),
            "covariance": float(table.errors.covariance),
            "offset_variance": float(table.errors.offset_variance),
            "spread": table.errors.spread.tolist(),
            "rows_below": float(table.errors.rows_below),
            "rows_above": float(table.errors.rows_above),
        }
    return plain


def read_table(data: object, where: str, slope: float, rules: RuleSet) -> RiskTable | None:
    """The risk table of rules with two classes, or None, which the file must hold for more classes."""
    if rules.outcome.positive is None:
        if data is not None:
            raise wrong(where, "null for more than two classes", data)
        return None
    optional = ["errors"] if isinstance(data, dict) and "errors" in data else []
    record = read_record(data, where, ("offset", "scores", "counts", "positives", *optional))
    offset = read_within(record["offset"], f"{where}.offset", -_MAX_OFFSET, _MAX_OFFSET)
    lowest, highest = (
        int(rules.constants[0] + sum(rule.points for rule in rules if sign * rule.points > 0))
        for sign in (-1, 1)
    )
    scores = [
        read_integer(score, f"{where}.scores", lowest, highest)
        for score in read_list(record["scores"], f"{where}.scores")
    ]
    if not scores or any(a >= b for a, b in pairwise(scores)):
        raise wrong(f"{where}.scores", "at least one score, ascending", f"{len(scores)} in another order")
    counts = read_floats(record["counts"], f"{where}.counts", len(scores))
    positives = read_floats(record["positives"], f"{where}.positives", len(scores))
    if counts.min() <= 0:
        raise wrong(f"{where}.counts", "above 0", float(counts.min()))
    above = positives[positives > counts]
    if len(above):
        raise wrong(f"{where}.positives", f"at most {where}.counts", float(above[0]))
    errors = _read_errors(record["errors"], f"{where}.errors", len(scores)) if optional else None
    label = rules.outcome.pos_label
    return RiskTable(slope, offset, np.array(scores, np.int64), counts, positives, label, errors)


def _read_errors(data: object, where: str, n_scores: int) -> RiskErrors:
    lows = {"slope_variance": 0.0, "covariance": -_MAX_VARIANCE, "offset_variance": 0.0}
    lows |= {"rows_below": 0.0, "rows_above": 0.0}
    record = read_record(data, where, (*lows, "spread"))
    numbers = {
        name: read_within(record[name], f"{where}.{name}", low, _MAX_VARIANCE) for name, low in lows.items()
    }
    spread = read_floats(record["spread"], f"{where}.spread", n_scores)
    if spread.max() > _MAX_VARIANCE:
        raise wrong(f"{where}.spread", f"at most {_MAX_VARIANCE:g}", float(spread.max()))
    return RiskErrors(spread=spread, **numbers)


# --- stability ---


def plain_stability(stability: Stability) -> dict[str, Any]:
    """The stability as JSON-compatible values; the rules and features are those of the scorecard."""
    return {
        "exact": list(stability.exact),
        "similar": list(stability.similar),
        "features": list(stability.feature_shares),
        "n_cards": stability.n_cards,
    }


def read_stability(data: object, rules: RuleSet) -> Stability:
    """The inverse of `plain_stability`."""
    record = read_record(data, "stability", ("exact", "similar", "features", "n_cards"))
    lengths = {"exact": len(rules), "similar": len(rules), "features": len(feature_names(rules))}
    shares = {
        name: [
            read_within(item, f"stability.{name}", 0.0, 1.0)
            for item in read_floats(record[name], f"stability.{name}", length).tolist()
        ]
        for name, length in lengths.items()
    }
    n_cards = read_integer(record["n_cards"], "stability.n_cards", 1, _MAX_CARDS)
    return Stability.from_shares(rules, shares["exact"], shares["similar"], shares["features"], n_cards)


# --- alternatives ---


def plain_alternative(alternative: Alternative) -> dict[str, Any]:
    """An alternative as JSON-compatible values."""
    table = alternative.risk_table
    return {
        "rules": alternative.rules.to_dict(),
        "slope": float(alternative.slope),
        "risk_table": None if table is None else plain_table(table),
        "without": alternative.without,
        **{name: float(getattr(alternative, name)) for name in _NUMBERS},
    }


def read_alternatives(data: object, rules: RuleSet, max_literals: int) -> tuple[Alternative, ...]:
    """The alternatives to a scorecard of these rules; at least one, because none are not stored."""
    listed = read_list(data, "alternatives")
    if not 1 <= len(listed) <= _MAX_ALTERNATIVES:
        raise wrong("alternatives", f"1 to {_MAX_ALTERNATIVES} scorecards", f"{len(listed)}")
    return tuple(
        _read_alternative(item, f"alternatives[{index}]", rules, max_literals)
        for index, item in enumerate(listed)
    )


def _read_alternative(data: object, where: str, chosen: RuleSet, max_literals: int) -> Alternative:
    record = read_record(data, where, ("rules", "slope", "risk_table", "without", *_NUMBERS))
    rules = read_card_rules(record["rules"], f"{where}.rules", max_literals)
    if rules.outcome != chosen.outcome:
        raise wrong(f"{where}.rules.classes", "those of rules.classes", str(rules.classes.tolist()))
    encoding, own = rules.encoding, chosen.encoding
    if (encoding.n_features, encoding.names) != (own.n_features, own.names):
        raise wrong(f"{where}.rules.booleanizer", "of the features of rules.booleanizer", "other features")
    slope = read_slope(record["slope"], f"{where}.slope")
    table = read_table(record["risk_table"], f"{where}.risk_table", slope, rules)
    without = None if record["without"] is None else read_text(record["without"], f"{where}.without")
    lows = (-np.inf, 0.0, 0.0, -np.inf, 0.0)
    numbers = [
        read_within(record[name], f"{where}.{name}", low, np.inf)
        for name, low in zip(_NUMBERS, lows, strict=True)
    ]
    return Alternative(rules, table, slope, without, *numbers)


# --- numbers ---


def read_floats(data: object, where: str, length: int, low: float = 0.0) -> Floats:
    """A list of `length` finite numbers, none below `low`."""
    listed = read_list(data, where)
    if len(listed) != length:
        raise wrong(where, f"a list of {length} numbers", f"{len(listed)}")
    return np.array([read_within(item, where, low, np.inf) for item in listed], np.float64)


def read_residuals(data: object) -> Floats:
    """The quantiles of residuals of a scorecard of numbers."""
    residuals = read_floats(data, "residual_quantiles", len(LEVELS), low=-np.inf)
    if np.any(np.diff(residuals) < 0):
        raise wrong("residual_quantiles", "ascending", "another order")
    return residuals


def read_within(data: object, where: str, low: float, high: float) -> float:
    """A number from low to high."""
    number = float(read_number(data, where))
    if not low <= number <= high:
        raise wrong(where, f"from {low:g} to {high:g}", number)
    return number
