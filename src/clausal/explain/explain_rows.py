"""One explanation per row of a table, from the rules alone.

Here too: what a row's missing values and unknown categories count as, said where they make a rule hold.
Not here: how the other parts are found (reasons.py, counterfactual.py), how it reads (explanation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column, name_text
from clausal.encoding.encoding import Encoding
from clausal.encoding.feature_selection import plain_selection, selected_indices
from clausal.explain.cells import cells_of_rules
from clausal.explain.counterfactual import NOT_ASKED, CounterfactualFinder, value_text
from clausal.explain.explanation import Explanation
from clausal.explain.given_rows import GivenRows, Value
from clausal.explain.reasons import (
    Reason,
    count_failed,
    find_reasons,
    find_withheld,
    fired_rules,
    near_misses,
)
from clausal.parameters import OneOf, Whole, check_value
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet


def policy_notes(fired: Iterable[Rule], encoding: Encoding, values: Mapping[int, Value]) -> tuple[str, ...]:
    """One sentence per value whose own words do not say why a rule holds.

    Parameters
    ----------
    fired : the rules that hold
    encoding : how the model reads a table; its policy made them hold
    values : the row's values by position of the feature, None where missing
    """
    literals = [literal for rule in fired for literal in rule.literals]
    notes = (_note(literal, encoding, values[literal.column.feature_index]) for literal in literals)
    return tuple(dict.fromkeys(note for note in notes if note is not None))


def _note(literal: Literal, encoding: Encoding, value: Value) -> str | None:
    """What the value counts as, if that and not the value itself makes the literal hold."""
    column, head = literal.column, f"{name_text(literal.column.feature)} = {value_text(value)} counts as"
    if value is None:
        if not literal.negated or column.nullable or column.kind == "missing":
            return None
        return f"{head} {_beyond(column)}: it never was missing in training."
    above = literal.negated and column.ordered
    missing = column.kind == "missing" and not literal.negated
    categories = getattr(encoding.features[column.feature_index], "categories", None)
    if not (above or missing) or categories is None or value in categories:
        return None
    counts_as = "missing" if encoding.policy.handle_unknown == "missing" else _beyond(column)
    if counts_as == "missing" and not column.nullable:
        counts_as = f"missing, and so as {_beyond(column)}"
    return f"{head} {counts_as}: training did not have it."


def _beyond(column: Column) -> str:
    """What a value without any true column counts as."""
    if column.kind == "le":
        return "above every cut point"
    if column.kind == "true":
        return "not true"
    return "above all others" if column.ordered else "none of the listed categories"


_COUNT = (Whole(0),)


def explain_rows(
    rules: RuleSet,
    X: Any,
    *,
    counterfactuals: bool = True,
    target: Any = None,
    fixed: Any = (),
    n_near_misses: int = 3,
    n_reasons: int = 4,
) -> list[Explanation]:
    """Why each row of a table is decided as it is.

    Parameters
    ----------
    rules : RuleSet
        The model.
    X : table, array-like or sparse matrix of shape (n_samples, n_features)
        The rows to explain.
    counterfactuals : bool, default=True
        Whether to look for counterfactuals, which takes most of the time.
    target : class label or None, default=None
        The class that counterfactuals should lead to; None for any other than the one decided for.
    fixed : array-like of str, int or bool, or a single name, default=()
        Features that counterfactuals must not change: names, positions or a mask.
    n_near_misses : int, default=3
        How many rules that nearly hold to name, at most.
    n_reasons : int, default=4
        How many reasons to name, at most.

    Returns
    -------
    list of Explanation
        One per row, in the order of the rows.
    """
    check_value("explain", "counterfactuals", counterfactuals, (OneOf(True, False),))
    check_value("explain", "n_near_misses", n_near_misses, _COUNT)
    check_value("explain", "n_reasons", n_reasons, _COUNT)
    bits = rules.encoding.dense_bits(X)
    cells = list(cells_of_rules(rules))
    rows = GivenRows(X, rules.encoding, [own.feature for own in cells])
    barred, wanted = _fixed_features(fixed, rules), _target_class(target, rules)
    finder = CounterfactualFinder(rules, rows, cells, barred, wanted) if counterfactuals else None
    explainer = _RowExplainer(rules, rows, bits, n_near_misses, n_reasons)
    return [explainer.explain(row, finder) for row in range(rows.n_rows)]


class _RowExplainer:
    """Explains one row after another, from what is known of all rows together."""

    def __init__(
        self, rules: RuleSet, rows: GivenRows, bits: NDArray[np.uint8], n_near_misses: int, n_reasons: int
    ) -> None:
        self._rules, self._rows, self._bits = rules, rows, bits
        self._n_near_misses, self._n_reasons = n_near_misses, n_reasons
        self._used = sorted({feature for rule in rules for feature in rule.features})
        self._n_failed = count_failed(rules, bits)
        self._votes = rules.votes_of(self._n_failed == 0)
        self._decided = rules.decide(self._votes)
        self._labels = rules.classes[self._decided].tolist()

    def explain(self, row: int, finder: CounterfactualFinder | None) -> Explanation:
        """The explanation of one row."""
        bits, n_failed, decided = self._bits[row], self._n_failed[row], int(self._decided[row])
        fired = fired_rules(self._rules, n_failed)
        values = {feature: self._rows.value(row, feature) for feature in self._used}
        found = NOT_ASKED if finder is None else finder.find(row, bits, decided)
        return Explanation(
            values=self._rows.values(row),
            label=self._labels[row],
            votes=tuple(np.atleast_1d(self._votes[row]).tolist()),
            constants=self._rules.constants,
            fired=fired,
            near_misses=near_misses(self._rules, bits, n_failed, self._n_near_misses),
            counterfactual=None if isinstance(found, str) else found,
            no_counterfactual=found if isinstance(found, str) else None,
            reasons=self._reasons(row, fired, decided),
            outcome=self._rules.outcome,
            notes=policy_notes(fired, self._rules.encoding, values),
        )

    def _reasons(self, row: int, fired: tuple[Rule, ...], decided: int) -> tuple[Reason, ...]:
        """Reasons for the decision; of K > 2 classes for its lead over the one with the next highest vote."""
        votes = self._rules.outcome.banked(self._votes[[row]])[0]
        (signs, towards, other), n_most = self._rules.outcome.contrast(decided, votes), self._n_reasons
        given = {
            feature: (self._rows.names[feature], self._rows.value(row, feature)) for feature in self._used
        }
        if reasons := find_reasons(fired, signs, towards, given, n_most):
            return reasons
        missed = near_misses(self._rules, self._bits[row], self._n_failed[row], len(self._rules))
        if reasons := find_withheld(missed, signs, other, given, n_most):
            return reasons
        always = [rule.points * signs.get(rule.bank, 0) for rule in fired if not rule.literals]
        constant = sum(self._rules.constants[bank] * sign for bank, sign in signs.items()) + sum(always)
        return (Reason(None, None, float(constant), towards, ()),)[:n_most]


def _fixed_features(fixed: Any, rules: RuleSet) -> Iterable[int]:
    """Positions of the features that must not change."""
    listed = [fixed] if isinstance(fixed, str) else fixed
    encoding, owner = rules.encoding, "The 'fixed' parameter of explain"
    return selected_indices(plain_selection(listed, owner), encoding.names, encoding.n_features, owner)


def _target_class(target: Any, rules: RuleSet) -> int | None:
    """The place of the wanted class, None for any."""
    if target is None:
        return None
    classes = rules.classes.tolist()
    plain = target.item() if isinstance(target, np.generic) else target
    if plain not in classes:
        raise ValueError(
            f"The 'target' parameter of explain must be one of the classes {classes}. Got {target!r}."
        )
    return int(classes.index(plain))
