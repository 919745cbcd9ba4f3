"""A model as a Python module without dependencies.

The functions below that score a row are the module: their source is written after the model's data. They use
nothing of this package. The same in JavaScript is score.js.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any

from clausal.export.document import RuleDocument
from clausal.export.self_test import Expected

MODEL: dict[str, Any] = {}  # of an exported module; empty here
SELF_TEST: Sequence[Any] = ()

_HEAD = '''"""A model of rules, written by clausal. It needs nothing but Python.

score({...}) takes one value per feature, None where missing, and returns a dictionary: the predicted class or
number, the votes and whether each rule holds; for classes also the probability of each (None if the model has
none) and the override that decides (None if none does). It raises a ValueError for a row that the model
refuses. self_test() checks known rows and returns their number.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any
'''
_TAIL = """
if __name__ == "__main__":
    print(f"{self_test()} rows are scored as they should be")
"""


def to_python(document: RuleDocument, self_test: Sequence[Expected]) -> str:
    """The source of a module with `score` and `self_test`."""
    model = document.to_module()
    rows = [(row.values, row.votes, row.decided, row.probabilities, row.fires) for row in self_test]
    data = [f"MODEL = {_written(model)}", f"SELF_TEST = {_written(rows)}"]
    functions: tuple[Any, ...] = (score, _hold, _read, _decided, *_CLASS_FUNCTIONS, _is_right)
    if document.outcome.is_numeric:
        functions = (score, _hold, _read, _number, _is_right)
    sources = [inspect.getsource(function) for function in functions]
    sources.append(inspect.getsource(_self_test).replace("_self_test", "self_test"))
    return "\n".join([_HEAD, *data, "", "\n\n".join(["", *sources, _TAIL.lstrip()])])


def _written(value: Any) -> str:
    """Plain values in Python, ASCII only; a list or dictionary has one entry per line at the top."""
    if isinstance(value, dict):
        entries = [f"    {key!a}: {_indented(item)},\n" for key, item in value.items()]
        return "{\n" + "".join(entries) + "}"
    return "[\n" + "".join(f"    {item!a},\n" for item in value) + "]"


def _indented(item: Any) -> str:
    """A list of records with one per line, anything else in one line."""
    if isinstance(item, list) and item and isinstance(item[0], dict):
        return "[\n" + "".join(f"        {record!a},\n" for record in item) + "    ]"
    return ascii(item)


# --- what is written; `MODEL` and `SELF_TEST` are those of the module ---


def score(case: Mapping[str, Any]) -> dict[str, Any]:
    """The class, votes, probabilities and rules of a case, which holds one value per feature by name."""
    values = [_read(case, feature) for feature in MODEL["features"]]
    bits: list[bool | None] = []  # None if neither the column nor its negation holds
    for column in MODEL["columns"]:
        state, value = values[column["feature"]]
        if state == "no_rule":
            bits.append(None)
        elif column["kind"] == "missing" or state != "known":
            bits.append(column["kind"] == "missing" and state == "missing")
        elif column["kind"] in ("true", "equal"):
            bits.append(value == (1 if column["kind"] == "true" else column["value"]))
        elif column["kind"] == "le":
            special = MODEL["features"][column["feature"]]["special"]
            bits.append(value <= column["value"] and value not in special)
        else:
            bits.append(column["first"] <= value <= column["value"])
    votes = list(MODEL["constants"])
    fires = []
    for rule in MODEL["rules"]:
        fires.append(_hold(rule["literals"], bits))
        if fires[-1]:
            votes[rule["bank"]] += rule["points"]
    if "number" in MODEL:
        return {"number": _number(MODEL["number"], votes[0]), "votes": votes, "fires": fires}
    decided = _decided(votes)
    override = next((entry for entry in MODEL["overrides"] if _hold(entry["literals"], bits)), None)
    if override is not None:
        decided = override["class"]
    shares = _probabilities(MODEL["probability"], votes)
    return {
        "class": MODEL["labels"][decided],
        "votes": votes,
        "probabilities": None if shares is None else dict(zip(MODEL["labels"], shares, strict=True)),
        "fires": fires,
        "override": None if override is None else override["text"],
    }


def _number(method: Mapping[str, Any], vote: Any) -> float:
    """The number for a vote."""
    number = method["offset"] + method["unit"] * vote
    if method["low"] is not None:
        number = max(number, method["low"])
    return float(number if method["high"] is None else min(number, method["high"]))


def _decided(votes: Sequence[Any]) -> Any:
    """The index of the class by the votes: that of the first entry whose tests all hold."""
    for entry in MODEL["decision"]:
        others = [
            test["cut_off"] if test["other"] is None else votes[test["other"]] for test in entry["tests"]
        ]
        tests = zip(entry["tests"], others, strict=True)
        if all((votes[test["bank"]] >= other) != test["below"] for test, other in tests):
            return entry["class"]
    raise AssertionError("the last entry holds if no other does")


def _hold(literals: Sequence[int], bits: Sequence[bool | None]) -> bool:
    """Whether all conditions hold."""
    return all(bits[-1 - k] is False if k < 0 else bits[k] is True for k in literals)


def _read(case: Mapping[str, Any], feature: Mapping[str, Any]) -> tuple[str, Any]:
    """What becomes of the value of a feature ("known" if it is one), and the value as a number."""
    if feature["key"] not in case:
        raise ValueError(f"the case must have a value of {feature['name']}, None if it is missing")
    value, categories = case[feature["key"]], feature["categories"]
    if value is None or value != value:
        state = feature["if_missing"]
    elif categories and isinstance(categories[0], str):
        if not isinstance(value, str):
            raise ValueError(f"{feature['name']} must be a text")
        state = "known" if value in categories else feature["if_unknown"]
    else:
        if isinstance(value, str) or not abs(value) <= 1.7976931348623157e308:
            raise ValueError(f"{feature['name']} must be a finite number")
        if isinstance(value, int) and abs(value) >= 2**53:
            raise ValueError(f"{feature['name']} must be smaller than 2**53 in size, as it is a whole number")
        if feature["kind"] == "boolean" and value not in (0, 1):
            raise ValueError(f"{feature['name']} must be true or false")
        state = "known" if not categories or value in categories else feature["if_unknown"]
    if state == "refused":
        missing = value is None or value != value
        must = "not be missing" if missing else "be one of the categories seen in training"
        raise ValueError(f"{feature['name']} must {must}")
    return state, categories.index(value) if state == "known" and categories else value


def _probabilities(method: Any, votes: Sequence[Any]) -> Any:
    """One for each class; None for rules without a classifier."""
    if method is None:
        return None
    if len(votes) == 1:
        if method["kind"] == "machine":
            share = (1 + (votes[0] * method["scale"] + 0.5) / (method["threshold"] + 0.5)) / 2
            positive = min(1.0, max(0.0, share))
        else:
            log_odds = method["slope"] * votes[0] + method["offset"]
            positive = 1 / (1 + math.exp(-log_odds)) if log_odds > -700 else math.exp(log_odds)
        return [1 - positive, positive]
    shares = (_machine_shares if method["kind"] == "machine" else _exponential_shares)(votes, method)
    total = sum(shares)
    return [share / total for share in shares]


def _machine_shares(votes: Sequence[Any], method: Any) -> list[float]:
    shares = []
    for vote in votes:
        q = (1 + vote / (max(abs(vote), method["threshold"] / method["scale"]) + 1)) / 2
        shares.append(q / (q + (len(votes) - 1) * (1 - q)))
    return shares


def _exponential_shares(votes: Sequence[Any], method: Any) -> list[float]:
    highest = max(method["slope"] * vote for vote in votes)
    return [math.exp(method["slope"] * vote - highest) for vote in votes]


_CLASS_FUNCTIONS = (_probabilities, _machine_shares, _exponential_shares)


def _is_right(row: Any) -> bool:
    """Whether a row of the self-test is scored, or refused, as it should be."""
    values, votes, decided, shares, fires = row
    case = {feature["key"]: value for feature, value in zip(MODEL["features"], values, strict=True)}
    try:
        got = score(case)
    except ValueError:
        return votes is None
    if votes is None or (got["number"] if "number" in MODEL else got["class"]) != (
        decided if "number" in MODEL else MODEL["labels"][decided]
    ):
        return False
    if got["votes"] != list(votes) or got["fires"] != list(fires):
        return False
    pairs = zip(shares or (), (got.get("probabilities") or {}).values(), strict=True)
    return all(abs(share - other) < 1e-12 for share, other in pairs)


def _self_test() -> int:
    """Score known rows, among them the border of every condition; raises an error for a wrong result."""
    for row in SELF_TEST:
        if not _is_right(row):
            raise AssertionError(f"a row of the self-test is not scored as it should be: {row}")
    return len(SELF_TEST)
