"""Rules in words: reading conditions such as `age > 40 and state is north`, worded as rules are printed.

    conditions   condition and condition and ...      or `always`
    condition    name                     not name
                 name <= value            name > value          value < name <= value
                 name < value             name >= value         value <= name < value
                 name is value            name in {value, value}
                 name is not value        name not in {value, value}
                 name is missing          name is not missing
                 any of these in brackets; any that is not about missing values with `or missing` after it,
                 and `>` with `or is value` or `or in {value, value}` for special values before that

Names and values are written as they are printed: a value is a number, a plain word or a text in quotes, a
name is in quotes if it could be mistaken for something else. Also accepted: other case of these words, `=`,
`==` and `!=`, and known categories of several words without quotes. `<` and `>=` are exact: `age < 20` holds
for 19.5, also where all ages were whole in training.

Not here: what the conditions mean for an encoding (conditions.py), how rules are printed (rule.py).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.columns import Category, condition_name
from clausal.encoding.encoding import Encoding
from clausal.outcome import Outcome
from clausal.rules.conditions import Condition, literals_of
from clausal.rules.new_columns import extended
from clausal.rules.rule import ALWAYS, Literal, Rule
from clausal.untrusted import short_repr

_MAX_CHARACTERS = 1_000_000
_MAX_BRACKETS = 50  # within each other
_SHOWN = 40  # characters of the rest of a text in an error

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)
_WORD = re.compile(r"[^\W\d_][\w-]*")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_AND = re.compile(r"\s*(?<!\w)and(?!\w)\s*", re.IGNORECASE)
_NOT = re.compile(r"not(?!\w)\s*", re.IGNORECASE)
_OR_LISTED = re.compile(r"\s*(?<!\w)or\s+(?:is\s+)?in\s*\{\s*", re.IGNORECASE)
_OR_IS = re.compile(r"\s*(?<!\w)or\s+is(?!\w)\s*", re.IGNORECASE)
_OR_MISSING = re.compile(r"\s*(?<!\w)or\s+missing(?!\w)", re.IGNORECASE)
_IS_MISSING = re.compile(r"\s*(?<!\w)is\s+(not\s+)?missing(?!\w)", re.IGNORECASE)
_IS_TRUTH = re.compile(r"\s*(?<!\w)is\s+(not\s+)?(true|false)(?!\w)", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?<!\w)(?:is\s+)?(not\s+)?in\s*\{\s*", re.IGNORECASE)
_IS = re.compile(r"\s*(?:(?<!\w)is(?!\w)\s*((?:not(?!\w))?)\s*|(!?)==?\s*)", re.IGNORECASE)
_BOUND = re.compile(r"\s*(<=|>=|<|>|\u2264|\u2265)\s*")
_AFTER_NAME = re.compile(
    r"\s*(?:$|[)<>=!\u2264\u2265])|\s+(?:and|is|or\s+missing)(?!\w)|\s+(?:not\s+)?in\s*\{", re.IGNORECASE
)
_AFTER_VALUE = re.compile(r"\s*(?:$|[),}<\u2264])|\s+(?:and|or)(?!\w)", re.IGNORECASE)
_AFTER_CONDITION = re.compile(r"\s*(?:$|\))|\s+and(?!\w)", re.IGNORECASE)
_OPERATORS = {"\u2264": "<=", "\u2265": ">="}


def parse_rule(text: str, model: Any, points: int | float = 1, for_class: Any = None) -> Rule:
    """Read a rule in words, such as `age > 40 and state is north`: the inverse of `str(rule)`.

    Parameters
    ----------
    text : str
        The conditions, worded as rules are printed.
    model : Encoding, RuleSet or fitted estimator
        Whose columns the conditions are on. Each must be one of them, or its negation.
    points : int or float, default=1
        The points of the rule.
    for_class : class label or None, default=None
        With more than two classes, the class whose vote the points are added to.

    Returns
    -------
    Rule
        It holds on the rows for which the words are true. `RuleSet.with_rules` makes a model of several.

    Raises
    ------
    ValueError : the words are no conditions, or not on columns of the model

    Examples
    --------
    >>> import pandas as pd
    >>> from clausal import Booleanizer, parse_rule
    >>> table = pd.DataFrame({"age": [20, 30, 40, 50], "state": ["north", "south", "east", "north"]})
    >>> print(parse_rule("age > 30 AND state = north", Booleanizer().fit(table)))
    age > 30 and state is north
    """
    encoding = model if isinstance(model, Encoding) else getattr(model, "encoding_", None) or model.encoding
    outcome = getattr(getattr(model, "rules_", model), "outcome", None)
    bank = 0 if outcome is None else bank_of(for_class, outcome)
    speaks_for = "" if outcome is None else outcome.speaks_for(bank, 1 if points > 0 else -1)
    return Rule(parse_literals(text, encoding), points, speaks_for, bank)


def bank_of(for_class: Any, outcome: Outcome) -> int:
    """The index of the bank of a class, given as its label or as printed; None only with one bank."""
    if outcome.n_banks == 1 and for_class is None:
        return 0
    if outcome.is_numeric:
        raise ValueError(f"A rule for a number must have no class. Got {for_class!r}.")
    labels, names = outcome.classes.tolist(), list(outcome.class_names)
    banks = names[-outcome.n_banks :]
    for known in (labels[-outcome.n_banks :], banks):
        if for_class in known:
            return known.index(for_class)
    raise ValueError(
        f"The class that a rule adds points to must be one of {', '.join(banks)}. Got {for_class!r}."
    )


def parse_literals(text: str, encoding: Encoding) -> tuple[Literal, ...]:
    """The literals of conditions in words; each must be a column of the encoding or its negation."""
    return literals_of(parse_conditions(text, encoding), encoding)


def encoding_for(text: str, encoding: Encoding) -> Encoding:
    """The encoding with the columns that conditions in words need: further cut points and categories."""
    return extended(encoding, parse_conditions(text, encoding))


def parse_conditions(text: str, encoding: Encoding) -> tuple[Condition, ...]:
    """The conditions of a text, in its order, on the features of an encoding."""
    if not isinstance(text, str):
        raise TypeError(f"A rule in words must be a str. Got {type(text).__name__}.")
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(
            f"A rule in words must have at most {_MAX_CHARACTERS:,} characters. Got {len(text):,}."
        )
    if text.strip().casefold() == ALWAYS:
        return ()
    try:
        return tuple(_Reader(text, encoding).read())
    except _UnreadableError as error:
        raise ValueError(error.message) from None


class _UnreadableError(Exception):
    """What cannot be read, and where."""

    def __init__(self, at: int, message: str) -> None:
        self.at, self.message = at, message


@dataclass
class _Reader:
    """Reads one text from left to right; each method begins at a position and returns the one after it."""

    text: str
    encoding: Encoding

    def __post_init__(self) -> None:
        self.indices = {name: index for index, name in enumerate(self.encoding.feature_names)}
        self.names = sorted(self.indices, key=len, reverse=True)  # a longer name before its beginning
        self.depth = 0

    def read(self) -> list[Condition]:
        """All conditions."""
        found, at = self.conditions(self.space(0))
        if at < len(self.text):
            raise self.unreadable(at, "`and` or the end")
        return found

    def conditions(self, at: int) -> tuple[list[Condition], int]:
        """Conditions joined by `and`."""
        found, at = self.bracket(at)
        while match := _AND.match(self.text, at):
            more, at = self.bracket(match.end())
            found += more
        return found, self.space(at)

    def bracket(self, at: int) -> tuple[list[Condition], int]:
        """A condition, or several in brackets."""
        if self.text[at : at + 1] != "(":
            condition, at = self.condition(at)
            return [*condition], at
        self.depth += 1
        if self.depth > _MAX_BRACKETS:
            raise _UnreadableError(
                at, f"A rule in words must have at most {_MAX_BRACKETS} brackets. Got more."
            )
        found, at = self.conditions(self.space(at + 1))
        if self.text[at : at + 1] != ")":
            raise self.unreadable(at, "`and` or `)`")
        self.depth -= 1
        return found, at + 1

    def condition(self, at: int) -> tuple[list[Condition], int]:
        """One condition; an interval is two."""
        try:
            return self.ended(*self.on_feature(at))
        except _UnreadableError as error:
            first = error
        try:
            return self.ended(*self.interval(at))
        except _UnreadableError as error:
            begins_with_value = _NUMBER.match(self.text, at) or _QUOTED.match(self.text, at)
            raise error if begins_with_value and first.at == at else first from None

    def ended(self, found: list[Condition], at: int) -> tuple[list[Condition], int]:
        """What was found, if the condition ends there."""
        if not _AFTER_CONDITION.match(self.text, at):
            raise self.unreadable(at, "`and` or the end")
        return found, at

    def interval(self, at: int) -> tuple[list[Condition], int]:
        """`value < name <= value`, or the first half of it."""
        low, after_low = self.value(at, None)
        signs, before_name = self.sign(after_low)
        feature, end = self.name(before_name)
        if _BOUND.match(self.text, end):
            sign, end = self.sign(end)
            high, end = self.value(end, feature)
            found = [Condition(feature, sign, (high,))]
            signs += sign
        else:
            found = []
        if ">" in signs:
            raise self.unreadable(after_low, "`<` or `<=`")
        lower = ">=" if signs.startswith("<=") else ">"
        return [Condition(feature, lower, (low,)), *found], end

    def on_feature(self, at: int) -> tuple[list[Condition], int]:
        """A condition that begins with a name, or with `not` and a name."""
        negation = _NOT.match(self.text, at)
        values: tuple[Category, ...]
        feature, end = self.name(negation.end() if negation else at)
        if negation:
            operator, values, end = "false", (), end
        else:
            operator, values, end = self.comparison(feature, end)
        special, end = self.or_special(end, feature)
        or_missing = _OR_MISSING.match(self.text, end)
        end = or_missing.end() if or_missing else end
        return [Condition(feature, operator, values, or_missing is not None, special)], end

    def or_special(self, at: int, feature: int) -> tuple[tuple[Category, ...], int]:
        """The values after `or is` or `or in`, if there are any."""
        if match := _OR_LISTED.match(self.text, at):
            return self.listed(match.end(), feature)
        if match := _OR_IS.match(self.text, at):
            value, end = self.value(match.end(), feature)
            return (value,), end
        return (), at

    def comparison(self, feature: int, at: int) -> tuple[str, tuple[Category, ...], int]:
        """What follows a name: an operator and its values; nothing means that the feature is true."""
        text = self.text
        if match := _IS_MISSING.match(text, at):
            return "not missing" if match[1] else "missing", (), match.end()
        if match := _IS_TRUTH.match(text, at):
            truth = (match[2].casefold() == "true") != bool(match[1])
            return str(truth).lower(), (), match.end()
        if match := _LISTED.match(text, at):
            values, end = self.listed(match.end(), feature)
            return "not in" if match[1] else "in", values, end
        if match := _IS.match(text, at):
            value, end = self.value(match.end(), feature)
            return "not in" if match[1] or match[2] else "in", (value,), end
        if _BOUND.match(text, at):
            sign, at = self.sign(at)
            value, end = self.value(at, feature)
            return sign, (value,), end
        return "true", (), at

    def listed(self, at: int, feature: int) -> tuple[tuple[Category, ...], int]:
        """Values and a closing brace."""
        values = []
        while True:
            value, at = self.value(at, feature)
            values.append(value)
            at = self.space(at)
            if self.text[at : at + 1] == "}":
                return tuple(values), at + 1
            if self.text[at : at + 1] != ",":
                raise self.unreadable(at, "`,` or `}`")
            at = self.space(at + 1)

    def sign(self, at: int) -> tuple[str, int]:
        match = _BOUND.match(self.text, at)
        if match is None:
            raise self.unreadable(at, "a comparison")
        return _OPERATORS.get(match[1], match[1]), match.end()

    def name(self, at: int) -> tuple[int, int]:
        """The index of a feature."""
        if (quoted := self.quoted(at)) is not None:
            name, end = quoted
            if name in self.indices:
                return self.indices[name], end
            raise self.no_feature(at, name)
        for name in self.names:
            end = at + len(name)
            if name and self.text.startswith(name, at) and _AFTER_NAME.match(self.text, end):
                return self.indices[name], end
        after = next((k for k in range(at, len(self.text) + 1) if _AFTER_NAME.match(self.text, k)), at)
        raise self.no_feature(at, self.text[at:after]) if after > at else self.unreadable(at, "a feature")

    def value(self, at: int, feature: int | None) -> tuple[Category, int]:
        """A number, a word, a text in quotes, or a known category of the feature."""
        if (quoted := self.quoted(at)) is not None:
            return quoted
        for pattern in (_NUMBER, _WORD):
            match = pattern.match(self.text, at)
            if match and _AFTER_VALUE.match(self.text, match.end()):
                return (float(match[0]) if pattern is _NUMBER else match[0]), match.end()
        known = None if feature is None else self.encoding.features[feature]
        if isinstance(known, (NominalFeature, RankedFeature)):
            categories = known.labels if isinstance(known, NominalFeature) else known.categories
            texts = [category for category in categories if isinstance(category, str) and category]
            for category in sorted(texts, key=len, reverse=True):
                end = at + len(category)
                if self.text.startswith(category, at) and _AFTER_VALUE.match(self.text, end):
                    return category, end
        raise self.unreadable(at, "a number, a word or a text in quotes")

    def quoted(self, at: int) -> tuple[str, int] | None:
        match = _QUOTED.match(self.text, at)
        if match is None:
            return None
        try:
            return str(ast.literal_eval(match[0])), match.end()
        except (SyntaxError, ValueError):
            raise self.unreadable(at, "a text in quotes as Python writes it") from None

    def space(self, at: int) -> int:
        return at + len(self.text[at:]) - len(self.text[at:].lstrip())

    def unreadable(self, at: int, expected: str) -> _UnreadableError:
        rest = self.text[at : at + _SHOWN]
        got = (
            f"{rest!r} after {short_repr(self.text[:at])}" if rest else f"the end of {short_repr(self.text)}"
        )
        return _UnreadableError(
            at,
            f"A rule in words must read like 'age > 40 and state is north', here with {expected}. Got {got}.",
        )

    def no_feature(self, at: int, name: str) -> _UnreadableError:
        close = get_close_matches(name, self.indices, n=1) or [
            known for known in self.indices if known.casefold() == name.casefold()
        ]
        hint = f" Did you mean {condition_name(close[0])!r}?" if close else ""
        return _UnreadableError(
            at, f"A rule in words must test features of the table. Got {short_repr(name)}.{hint}"
        )
