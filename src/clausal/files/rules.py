"""A rule set as JSON: writing and reading (docs/formats.md).

Reading is safe for untrusted text: any error is a ValueError that says where and why.
Not here: the file of an estimator (rule_classifier.py), which contains the output of `plain_rules`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausal.encoding.columns import Column
from clausal.encoding.patches import read_encoding
from clausal.files.model_file import canonical_json, parse_json
from clausal.files.outcome import outcome_name, plain_outcome, read_outcome
from clausal.outcome import Outcome
from clausal.rules.rule import Literal, Override, Rule
from clausal.untrusted import read_integer, read_list, read_number, read_record, read_text

if TYPE_CHECKING:
    from clausal.rules.rule_set import RuleSet

FORMAT = "clausal rules"
VERSION = 1
_CONTENT = ("booleanizer", "constants", "rules")  # and what is predicted
_OPTIONAL = ("cut_off", "overrides")  # stored where there is one
_MAX_POINTS = 2**62  # votes are int64


def plain_rules(rules: RuleSet) -> dict[str, Any]:
    """The model as JSON-compatible values; refuses what `read_rules` would refuse."""
    n_columns = len(rules.columns)
    outcome = plain_outcome(rules.outcome)
    read_outcome(outcome, ascending=False)
    _check_exact(rules, rules.constants)
    cut_off = rules.outcome.cut_off
    plain: dict[str, Any] = outcome | {
        "booleanizer": rules.encoding.to_dict(),
        "constants": list(rules.constants),
        "rules": [
            {"points": rule.points, "bank": rule.bank, "literals": _numbers(rule.literals, n_columns)}
            for rule in rules
        ],
    }
    if cut_off != 0:
        plain["cut_off"] = read_number(cut_off, "cut_off")
    if rules.overrides:
        labels = rules.classes.tolist()
        plain["overrides"] = [
            {"class": labels.index(each.label), "literals": _numbers(each.literals, n_columns)}
            for each in rules.overrides
        ]
    return plain


def _numbers(literals: Sequence[Literal], n_columns: int) -> list[int]:
    """Literals as numbers: columns first, then their negations."""
    return [literal.position + n_columns * literal.negated for literal in literals]


def read_rules(data: object) -> dict[str, Any]:
    """The constructor arguments of the RuleSet, from the output of `plain_rules`."""
    optional = [name for name in _OPTIONAL if isinstance(data, dict) and name in data]
    record = read_record(data, "the rule set", (*_CONTENT, outcome_name(data), *optional))
    encoding = read_encoding(record["booleanizer"])
    outcome = read_outcome(record, ascending=False)
    constants = [_read_points(item, "constants") for item in read_list(record["constants"], "constants")]
    rules = [
        _read_rule(item, f"rules[{index}]", encoding.columns, outcome.n_banks)
        for index, item in enumerate(read_list(record["rules"], "rules"))
    ]
    _check_exact(rules, constants)
    read = {"rules": rules, "encoding": encoding, "classes": outcome, "constants": constants}
    if "cut_off" in record:
        read["cut_off"] = _read_points(record["cut_off"], "cut_off")
    read["overrides"] = [
        _read_override(item, f"overrides[{index}]", encoding.columns, outcome)
        for index, item in enumerate(read_list(record.get("overrides", []), "overrides"))
    ]
    return read


def to_json(rules: RuleSet) -> str:
    """The unique JSON text of a rule set: sorted keys, no spaces, ASCII."""
    return canonical_json({"format": FORMAT, "version": VERSION, **plain_rules(rules)})


def read_json(text: str) -> dict[str, Any]:
    """Like `read_rules`, from the output of `to_json`."""
    text = read_text(text, "The JSON of a rule set")
    try:
        document = parse_json(text)
    except RecursionError:
        raise ValueError("The text is not a clausal rule set: it is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"The text is not a clausal rule set, or is damaged: {error}.") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"The text is not a clausal rule set: its 'format' must be {FORMAT!r}.")
    version = read_integer(document.get("version"), "version", 1, 2**31)
    if version > VERSION:
        raise ValueError(
            f"The rule set has version {version}; this clausal reads up to version {VERSION}. "
            "Install a newer clausal."
        )
    return read_rules({name: value for name, value in document.items() if name not in ("format", "version")})


def load_rules(path: str | os.PathLike[str]) -> RuleSet | None:
    """The RuleSet of a file with the output of `to_json`; None if the file holds something else."""
    from clausal.rules.rule_set import RuleSet

    try:
        text = Path(path).read_bytes().decode("ascii")
        document = parse_json(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return None
    return RuleSet.from_json(text)


def _read_rule(data: object, where: str, columns: tuple[Column, ...], n_banks: int) -> Rule:
    """A rule; its `speaks_for` is set by the RuleSet."""
    record = read_record(data, where, ("points", "bank", "literals"))
    literals = _read_literals(record["literals"], f"{where}.literals", columns)
    points = _read_points(record["points"], f"{where}.points")
    bank = read_integer(record["bank"], f"{where}.bank", 0, n_banks - 1)
    return Rule(literals, points, bank=bank)


def _read_override(data: object, where: str, columns: tuple[Column, ...], outcome: Outcome) -> Override:
    labels: list[Any] = outcome.classes.tolist()
    record = read_record(data, where, ("class", "literals"))
    literals = _read_literals(record["literals"], f"{where}.literals", columns)
    return Override(literals, labels[read_integer(record["class"], f"{where}.class", 0, len(labels) - 1)])


def _read_literals(data: object, where: str, columns: tuple[Column, ...]) -> tuple[Literal, ...]:
    literals = []
    for item in read_list(data, where):
        number = read_integer(item, where, 0, 2 * len(columns) - 1)
        index = number % len(columns)
        literals.append(Literal(columns[index], index, number >= len(columns)))
    return tuple(literals)


def _read_points(data: object, where: str) -> int | float:
    """Points or a constant: an integer of a vote's size or a float."""
    if isinstance(data, int) and not isinstance(data, bool):
        return read_integer(data, where, -_MAX_POINTS, _MAX_POINTS)
    return read_number(data, where)


def _check_exact(rules: Sequence[Rule], constants: Sequence[int | float]) -> None:
    """If one number is a float, votes are float64, which must then hold every number exactly."""
    if all(isinstance(number, int) for number in (*constants, *(rule.points for rule in rules))):
        return
    for constant in constants:
        read_number(constant, "constants")
    for index, rule in enumerate(rules):
        read_number(rule.points, f"rules[{index}].points")
