"""Changes of a scorecard by hand: each function makes another Scorecard from one.

Rules, conditions and overrides are given in words, as they are printed; a column that the encoding lacks,
such as a new cut point, is added to it. A change of votes drops the risk table, which belongs to the former
ones. Not here: what is fitted to rows (refit.py), the record and the effect of changes (edit.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clausal.encoding.columns import Column, condition_name, plain_selection, selected_indices
from clausal.encoding.encoding import Encoding
from clausal.parameters import Whole, check_value
from clausal.rules.conditions import Condition
from clausal.rules.new_columns import extended
from clausal.rules.parse import bank_of, encoding_for, parse_literals
from clausal.rules.patterns import check_possible
from clausal.rules.rule import Conjunction, Literal, Override, Rule
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import moved_rules, sorted_rules
from clausal.untrusted import short_repr
from clausal.wording import Number

if TYPE_CHECKING:
    from clausal.scorecard.scorecard import Scorecard

Key = tuple[frozenset[tuple[Column, bool]], int]
"""What identifies a rule, whatever its points: its conditions and its bank."""

_POINTS = Whole(-(10**9), 10**9)


def key_of(rule: Rule) -> Key:
    """What identifies a rule."""
    return _conditions(rule), rule.bank


def _conditions(each: Conjunction) -> frozenset[tuple[Column, bool]]:
    return frozenset((literal.column, literal.negated) for literal in each.literals)


def find_rule(card: Scorecard, rule: str | Rule, for_class: Any = None) -> Rule:
    """The rule of a scorecard with these conditions, given as the rule or in words."""
    rules = card.rules_
    if isinstance(rule, Rule):
        found = [own for own in rules if key_of(own) == key_of(rule)]
    else:
        _check_words(rule, "rule")
        found = [own for own in rules if str(own) == rule]
        if not found:
            wanted = _literals(rule, rules.encoding)
            found = [own for own in rules if _conditions(own) == wanted]
        if for_class is not None:
            bank = bank_of(for_class, rules.outcome)
            found = [own for own in found if own.bank == bank]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"The class of a rule that several classes have must be given. Got {str(rule)!r}.")
    listed, got = (short_repr(text) for text in ("; ".join(map(str, rules)), str(rule)))
    raise ValueError(f"A rule to be changed must be one of the scorecard: {listed}. Got {got}.")


def _literals(words: str, encoding: Encoding) -> frozenset[tuple[Column, bool]] | None:
    """The conditions of words; None if the encoding has no such columns, so that no rule tests them."""
    try:
        return frozenset((each.column, each.negated) for each in parse_literals(words, encoding))
    except ValueError:
        return None


def _check_words(words: object, what: str) -> None:
    if not isinstance(words, str):
        raise TypeError(f"A {what} must be given in words. Got {type(words).__name__}.")


# --- rules ---


def without_rule(card: Scorecard, key: Key) -> Scorecard:
    """A scorecard without a rule."""
    return _with_rules(card, [rule for rule in card.rules_ if key_of(rule) != key])


def with_points(card: Scorecard, key: Key, points: int) -> Scorecard:
    """A scorecard in which a rule has other points."""
    check_points(points)
    rules = [replace(rule, points=int(points)) if key_of(rule) == key else rule for rule in card.rules_]
    return _with_rules(card, rules)


def check_points(points: object) -> None:
    """Refuse what is no number of points that a rule can have."""
    if not _POINTS.accepts(points) or not points:
        raise ValueError(f"The points of a rule must be {_POINTS} other than 0. Got {points!r}.")


def with_rule(card: Scorecard, words: str, points: int, for_class: Any = None) -> tuple[Scorecard, Key]:
    """A scorecard with one more rule, and what identifies it."""
    check_points(points)
    _check_words(words, "rule")
    rules, literals = _with_words(card.rules_, words)
    rule = Rule(literals, int(points), bank=bank_of(for_class, rules.outcome))
    check_possible(rule, rules.encoding, words)
    if key_of(rule) in map(key_of, rules):
        raise ValueError(f"A new rule must have other conditions than the others. Got {str(rule)!r}.")
    return _with_rules(card, [*rules, rule], rules), key_of(rule)


def _with_words(rules: RuleSet, words: str) -> tuple[RuleSet, tuple[Literal, ...]]:
    """Rules whose encoding has the columns for words, and the literals of the words."""
    encoding = encoding_for(words, rules.encoding)
    return moved_rules(rules, encoding), parse_literals(words, encoding)


def _with_rules(card: Scorecard, rules: list[Rule], encoded: RuleSet | None = None) -> Scorecard:
    """A scorecard with other rules, of the encoding of `encoded`; in the order of fitted ones."""
    own = card.rules_ if encoded is None else encoded
    return card.replace(rules=sorted_rules(own.with_rules(rules)))


# --- cut points ---


def with_cut(card: Scorecard, feature: str | int, old: Any, new: Any) -> Scorecard:
    """A scorecard in which a cut point of a feature is another one, in all rules and overrides."""
    rules, owner = card.rules_, "The 'feature' parameter of move_cut"
    (index,) = selected_indices(
        plain_selection([feature], owner), rules.encoding.names, rules.encoding.n_features, owner
    )
    name = condition_name(rules.encoding.feature_names[index])
    cuts = {
        _end(literal.column): literal.column
        for each in (*rules, *rules.overrides)
        for literal in each.literals
        if literal.column.feature_index == index and literal.column.kind in ("le", "upto")
    }
    below = {column.below: column for column in cuts.values() if column.below is not None}  # as in `age < 20`
    cuts, operator = (below, "<") if old in below and old not in cuts else (cuts, "<=")
    if old not in cuts:
        listed = ", ".join(sorted(column.bound[1] for column in cuts.values())) or "none"
        raise ValueError(f"A cut point to be moved must be one of {name}, {listed}. Got {old!r}.")
    if isinstance(cuts[old].value, tuple) and not cuts[old].ordered:
        raise ValueError(
            f"A cut point to be moved must be of values with an order. Got categories of {name}."
        )
    encoding = extended(rules.encoding, [Condition(index, operator, (new,))])
    columns = [column for column in encoding.columns if column.feature_index == index]
    end = new if operator == "<=" else math.nextafter(new, -math.inf)
    (target,) = [column for column in columns if column.kind in ("le", "upto") and _end(column) == end]
    rules, source = moved_rules(rules, encoding), cuts[old]
    position = encoding.columns.index(target)

    def moved(literal: Literal) -> Literal:
        return Literal(target, position, literal.negated) if literal.column == source else literal

    found = [replace(rule, literals=tuple(map(moved, rule.literals))) for rule in rules]
    overrides = [replace(each, literals=tuple(map(moved, each.literals))) for each in rules.overrides]
    for each in (*found, *overrides):
        check_possible(each, encoding)
    keys = list(map(key_of, found))
    if len(set(keys)) < len(keys):
        raise ValueError(f"A moved cut point must not make two rules equal. Got {new!r} for {name}.")
    return _with_rules(card, found, rules.with_overrides(overrides))


def _end(column: Column) -> Any:
    """The last value for which a column with a cut point holds."""
    return column.value[-1] if isinstance(column.value, tuple) else column.value


# --- overrides and the decision: votes stay ---


def with_override(card: Scorecard, words: str, label: Any) -> Scorecard:
    """A scorecard with one more override, after the others."""
    _check_words(words, "override")
    rules, literals = _with_words(card.rules_, words)
    override = Override(literals, label_of(card, label))
    check_possible(override, rules.encoding, words)
    if _conditions(override) in map(_conditions, rules.overrides):
        raise ValueError(f"A new override must have other conditions than the others. Got {str(override)!r}.")
    return _same_votes(card, lambda _: rules.with_overrides([*rules.overrides, override]))


def without_override(card: Scorecard, words: str) -> Scorecard:
    """A scorecard without the override with these conditions."""
    _check_words(words, "override")
    own = card.rules_.overrides
    wanted = _literals(words, card.encoding_)
    kept = [each for each in own if str(each) != words and _conditions(each) != wanted]
    if len(kept) == len(own):
        listed = short_repr("; ".join(map(str, own))) if own else "none"
        raise ValueError(
            f"An override to be dropped must be one of the scorecard: {listed}. Got {short_repr(words)}."
        )
    return _same_votes(card, lambda rules: rules.with_overrides(kept))


def with_cut_off(card: Scorecard, cut_off: Number) -> Scorecard:
    """A scorecard of two classes that predicts the positive one if the total is this or more."""
    card.rules_.outcome.require_classes("A cut-off")
    check_value("set_cut_off", "cut_off", cut_off, (_POINTS,))
    own = _same_votes(card, lambda rules: rules.with_cut_off(int(cut_off)))
    return own.replace(cut_off_by_hand=True)


def label_of(card: Scorecard, label: Any) -> Any:
    """A class, given as its label or as printed."""
    outcome = card.rules_.outcome
    outcome.require_classes("An override")
    labels = outcome.classes.tolist()
    for known in (labels, list(outcome.class_names), list(map(str, labels))):
        if label in known:
            return labels[known.index(label)]
    raise ValueError(
        f"The class of an override must be one of {', '.join(outcome.class_names)}. Got {label!r}."
    )


def _same_votes(card: Scorecard, change: Callable[[RuleSet], RuleSet]) -> Scorecard:
    """A scorecard with the same votes, whose risk table stays."""
    return card.replace(rules=change(card.rules_), **card._measures)
