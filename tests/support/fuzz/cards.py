"""Random scorecards from the rules of a fitted model: with overrides, edited, on another scale."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

from clausal import Scorecard
from clausal.rules.rule import Literal, Override, Rule


def random_card(clf: Any, random: Random) -> Any:
    """A Scorecard of rules, cut-off and overrides, edited and scaled; the model if points are fractions."""
    rules, two = clf.rules_, len(clf.classes_) == 2
    if not all(isinstance(points, int) for points in (*rules.constants, *(rule.points for rule in rules))):
        return clf
    rules = rules.with_cut_off(random.randint(-9, 9)) if two else rules
    card = Scorecard(rules, random.choice([0.01, 0.25, 1.0]), -0.5 if two else 0.0)
    columns, labels = list(enumerate(rules.columns)), rules.classes.tolist()
    overrides = []
    for _ in range(random.randint(0, 3) if columns else 0):
        chosen = random.sample(columns, min(len(columns), random.randint(1, 2)))
        literals = tuple(Literal(column, k, random.random() < 0.5) for k, column in chosen)
        overrides.append(Override(literals, random.choice(labels)))
    card = edited(card.replace(rules=rules.with_overrides(overrides)), random)
    if two and random.random() < 0.5:
        with suppress(ValueError):  # a scale that is too coarse for these points
            card = card.scaled(points_to_double=random.choice([20, 500]), positive=random.random() < 0.5)
    return card


def edited(card: Scorecard, random: Random) -> Scorecard:
    """After a few random edits, those that are refused left out; rules in words have the model's names."""
    edit = card.edit()
    for _ in range(random.randint(0, 3)):
        rules, columns = list(edit.after.rules_), list(enumerate(edit.after.rules_.columns))
        if not rules:
            break
        rule, points = random.choice(rules), random.choice([-7, -1, 3, 40])
        words = random.sample(columns, min(len(columns), random.randint(1, 2)))
        new = Rule(tuple(Literal(column, k, random.random() < 0.5) for k, column in words), points)
        cuts = [literal.column for literal in rule.literals if literal.column.kind == "le"]
        label = None if edit.after.rules_.n_banks == 1 else edit.after.classes_.tolist()[rule.bank]
        step = random.choice(["drop", "points", "add", "cut"])
        with suppress(ValueError):
            if step == "drop":
                edit = edit.drop_rule(rule)
            elif step == "points":
                edit = edit.set_points(rule, points)
            elif step == "add":
                edit = edit.add_rule(str(new), points, label)
            elif cuts:
                value = random.choice([-3.25, 0.1, 7.0, 2.0**53])
                edit = edit.move_cut(cuts[0].feature_index, cuts[0].value, value)
    return edit.keep("Ada", "a test") if edit.what else card
