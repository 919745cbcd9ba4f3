"""`explain_rows`: one explanation per row of a table, computed from the rules.

Also here: notes on values that were not seen in training, and the mixin that gives classifiers with `rules_`
explanations, feature importances and feature effects. Not here: reasons (reasons.py), counterfactuals
(counterfactual.py), and the text of an explanation (explanation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.columns import Column, name_text, plain_selection, selected_indices
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import NEITHER
from clausal.encoding.patches import PatchEncoding, require_table
from clausal.explain.cells import GivenRows, Value, dense_bits
from clausal.explain.counterfactual import (
    NO_TARGET,
    NOT_ASKED,
    Counterfactual,
    CounterfactualFinder,
    NumberFinder,
    value_text,
)
from clausal.explain.explanation import Explanation
from clausal.explain.patch_explanation import NOT_FOR_PATCHES, explain_samples
from clausal.explain.points_lost import RowReasons, find_points_lost
from clausal.explain.reasons import (
    Given,
    Reason,
    count_failed,
    feature_effects,
    feature_importances,
    find_reasons,
    find_withheld,
    fired_rules,
    near_misses,
    shown_sign,
)
from clausal.parameters import Number as Finite
from clausal.parameters import OneOf, Whole, check_value
from clausal.rules.cells import cells_of_rules
from clausal.rules.rule import Conjunction, Literal, Override, Rule
from clausal.rules.rule_set import RuleSet


def policy_notes(
    fired: Iterable[Conjunction], encoding: Encoding, values: Mapping[int, Value]
) -> tuple[str, ...]:
    """One sentence per value not seen in training that makes a rule or an override hold.

    Parameters
    ----------
    fired : the rules and the override that hold
    encoding : the encoding, whose policy says how such values are treated
    values : the values of the row by index of the feature that rules test, None if missing
    """
    literals = [literal for rule in fired for literal in rule.literals]
    notes = (_note(literal, encoding, values[literal.column.feature_index]) for literal in literals)
    return tuple(dict.fromkeys(note for note in notes if note is not None))


def unseen_notes(bits: NDArray[np.uint8], encoding: Encoding, values: Mapping[int, Value]) -> tuple[str, ...]:
    """One sentence per value that satisfies no condition, since training did not have it.

    Parameters
    ----------
    bits : the boolean columns of the row, [columns]
    encoding : the encoding
    values : the values of the row by index of the feature that rules test, None if missing
    """
    names = map(name_text, (encoding.feature_names[index] for index in values))
    return tuple(
        f"{name} = {value_text(value)} was not seen in training: no rule that tests it holds."
        for name, (index, value) in zip(names, values.items(), strict=True)
        if (bits[encoding.column_slice(index)] == NEITHER).any()
    )


def _note(literal: Literal, encoding: Encoding, value: Value) -> str | None:
    """What the value counts as, if the literal holds only for that reason; else None."""
    column, head = literal.column, f"{name_text(literal.column.feature)} = {value_text(value)} counts as"
    if value is None:
        if not literal.negated or column.nullable or column.kind == "missing":
            return None
        return f"{head} {_no_match_text(column)}: it was never missing in training."
    above = literal.negated and column.ordered
    missing = column.kind == "missing" and not literal.negated
    categories = getattr(encoding.features[column.feature_index], "categories", None)
    if not (above or missing) or categories is None or value in categories:
        return None
    counts_as = "missing" if encoding.policy.handle_unknown == "missing" else _no_match_text(column)
    if counts_as == "missing" and not column.nullable:
        counts_as = f"missing, and so as {_no_match_text(column)}"
    return f"{head} {counts_as}: not seen in training."


def _no_match_text(column: Column) -> str:
    """What a value that matches no column counts as."""
    if column.kind == "le":
        return "above every cut point"
    if column.kind == "true":
        return "not true"
    return "above all others" if column.ordered else "none of the listed categories"


_COUNT = (Whole(0),)
_MAX_TARGET = 1e100


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
    """One explanation per row of a table; `Explainable.explain` says what the parameters mean."""
    check_value("explain", "counterfactuals", counterfactuals, (OneOf(True, False),))
    check_value("explain", "n_near_misses", n_near_misses, _COUNT)
    check_value("explain", "n_reasons", n_reasons, _COUNT)
    rules.outcome.require_single("explain")
    if isinstance(rules.encoding, PatchEncoding):
        _refuse_changes(rules, target, fixed)
        return [*explain_samples(rules, X, NOT_FOR_PATCHES if counterfactuals else NOT_ASKED)]
    bits = dense_bits(rules, X, "explanations of rows")
    cells = list(cells_of_rules(rules.deciding))
    rows = GivenRows(X, rules.encoding, [each.feature for each in cells])
    fixed_features = _fixed_features(fixed, rules)
    explainer = _RowExplainer(rules, rows, bits, n_near_misses, n_reasons)
    if rules.outcome.is_numeric:
        number = _target_number(target)
        to_number = None
        if counterfactuals and number is not None:
            to_number = NumberFinder(rules, rows, cells, fixed_features, number)
        return [explainer.explain_number(row, counterfactuals, to_number) for row in range(rows.n_rows)]
    target_class, finder = _target_class(target, rules), None
    if counterfactuals:
        finder = CounterfactualFinder(rules, rows, cells, fixed_features, target_class)
    return [explainer.explain(row, finder) for row in range(rows.n_rows)]


class _RowExplainer:
    """Explains single rows; what all rows need is computed once."""

    def __init__(
        self, rules: RuleSet, rows: GivenRows, bits: NDArray[np.uint8], n_near_misses: int, n_reasons: int
    ) -> None:
        self._rules, self._rows, self._bits = rules, rows, bits
        self._n_near_misses, self._n_reasons = n_near_misses, n_reasons
        self._used = sorted(rules.used_features)
        self._n_failed = count_failed(rules, bits)
        self._votes = rules.votes_of(self._n_failed == 0)
        self._overridden = rules.overridden_on(bits)
        if rules.outcome.is_numeric:
            self._labels = rules.outcome.predictions(rules.outcome.banked(self._votes)).tolist()
            return
        self._decided = rules.decide(self._votes, self._overridden)
        self._labels = rules.classes[self._decided].tolist()

    def explain(self, row: int, finder: CounterfactualFinder | None) -> Explanation:
        """The explanation of one row."""
        decided, override = int(self._decided[row]), self._override(row)
        found = NOT_ASKED if finder is None else finder.find(row, self._bits[row], decided)
        fired = fired_rules(self._rules, self._n_failed[row])
        reasons = self._reasons(row, fired, decided) if override is None else ()
        return self._explanation(row, found, reasons, override)

    def explain_number(self, row: int, asked: bool, finder: NumberFinder | None) -> Explanation:
        """The explanation of a predicted number, with the changes that reach the target of a finder."""
        found: Counterfactual | str = NO_TARGET if asked else NOT_ASKED
        if finder is not None:
            found = finder.find(row, self._bits[row], self._labels[row])
        return self._explanation(row, found, self._number_reasons(row), None)

    def _explanation(
        self,
        row: int,
        found: Counterfactual | str,
        reasons: tuple[Reason, ...],
        override: Override | None,
    ) -> Explanation:
        bits, n_failed = self._bits[row], self._n_failed[row]
        fired = fired_rules(self._rules, n_failed)
        values = {feature: self._rows.value(row, feature) for feature in self._used}
        encoding = self._rules.encoding
        holding = fired if override is None else (*fired, override)
        return Explanation(
            values=self._rows.values(row),
            label=self._labels[row],
            votes=tuple(np.atleast_1d(self._votes[row]).tolist()),
            constants=self._rules.constants,
            fired=fired,
            near_misses=near_misses(self._rules, bits, n_failed, self._n_near_misses),
            counterfactual=None if isinstance(found, str) else found,
            no_counterfactual=found if isinstance(found, str) else None,
            reasons=reasons,
            outcome=self._rules.outcome,
            notes=unseen_notes(bits, encoding, values) + policy_notes(holding, encoding, values),
            override=override,
        )

    def _override(self, row: int) -> Override | None:
        """The override that decides the row."""
        if self._overridden is None or self._overridden[row] < 0:
            return None
        return self._rules.overrides[int(self._overridden[row])]

    def _given(self, row: int) -> Given:
        return {
            feature: (self._rows.names[feature], self._rows.value(row, feature)) for feature in self._used
        }

    def _number_reasons(self, row: int) -> tuple[Reason, ...]:
        """The features that moved the total most, up or down."""
        fired, given, n_max = fired_rules(self._rules, self._n_failed[row]), self._given(row), self._n_reasons
        found = [
            reason
            for sign in (1, -1)
            for reason in find_reasons(
                fired, {0: sign}, self._rules.outcome.speaks_for(0, sign), given, n_max
            )
        ]
        return tuple(sorted(found, key=lambda reason: -abs(reason.points))[:n_max])

    def _reasons(self, row: int, fired: tuple[Rule, ...], decided: int) -> tuple[Reason, ...]:
        """Reasons for the decision or, for K > 2 classes, for the lead over the second-highest vote."""
        votes = self._rules.outcome.banked(self._votes[[row]])[0]
        (signs, towards, other), n_max = self._rules.outcome.contrast(decided, votes), self._n_reasons
        given = self._given(row)
        if reasons := find_reasons(fired, signs, towards, given, n_max):
            return reasons
        missed = near_misses(self._rules, self._bits[row], self._n_failed[row], len(self._rules))
        if reasons := find_withheld(missed, signs, other, given, n_max):
            return reasons
        always = [rule.points * signs.get(rule.bank, 0) for rule in fired if not rule.literals]
        constant = sum(self._rules.constants[bank] * sign for bank, sign in signs.items()) + sum(always)
        return (Reason(None, None, float(shown_sign(signs) * constant), towards, ()),)[:n_max]


def _fixed_features(fixed: Any, rules: RuleSet) -> Iterable[int]:
    """Indices of the features that must not change."""
    listed = [fixed] if isinstance(fixed, str) else fixed
    encoding, owner = rules.encoding, "The 'fixed' parameter of explain"
    return selected_indices(plain_selection(listed, owner), encoding.names, encoding.n_features, owner)


def _refuse_changes(rules: RuleSet, target: Any, fixed: Any) -> None:
    """Refuse what is about counterfactuals, which images and sequences do not have."""
    if target is not None:
        require_table(rules.encoding, "the 'target' parameter of explain")
    if list(_fixed_features(fixed, rules)):
        require_table(rules.encoding, "the 'fixed' parameter of explain")


def _target_number(target: Any) -> float | None:
    """The number that counterfactuals should reach, None for none."""
    check_value("explain", "target", target, (OneOf(None), Finite(-_MAX_TARGET, _MAX_TARGET)))
    return None if target is None else float(target)


def _target_class(target: Any, rules: RuleSet) -> int | None:
    """The index of the target class, None for any."""
    if target is None:
        return None
    classes = rules.classes.tolist()
    plain = target.item() if isinstance(target, np.generic) else target
    if plain not in classes:
        raise ValueError(
            f"The 'target' parameter of explain must be one of the classes {classes}. Got {target!r}."
        )
    return int(classes.index(plain))


class Explainable:
    """Explanations, importances and effects for an estimator with `rules_`."""

    rules_: RuleSet

    def explain(
        self,
        X: Any,
        *,
        counterfactuals: bool = True,
        target: Any = None,
        fixed: Any = (),
        n_near_misses: int = 3,
        n_reasons: int = 4,
    ) -> list[Explanation]:
        """Explain the prediction for each row: rules that hold, near misses, a counterfactual, reasons.

        For images and sequences: the rules that hold, and at which places of the sample they do.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The rows to explain, or the images or sequences of a model of these.
        counterfactuals : bool, default=True
            Whether to compute counterfactuals, which takes most of the time.
        target : class label, number or None, default=None
            The class that counterfactuals should lead to; None for any class other than the predicted one.
            Of a model that predicts numbers: the number that they should reach; None for no counterfactuals.
        fixed : array-like of str, int or bool, or a single name, default=()
            Features that counterfactuals must not change: names, positions or a mask.
        n_near_misses : int, default=3
            Maximum number of rules that nearly hold.
        n_reasons : int, default=4
            Maximum number of reasons.

        Returns
        -------
        list of Explanation
            One per row; the constant and the points of the rules that hold add up to the vote. Each is a
            PatchExplanation for images and sequences: its `places` say where each of the rules holds, and it
            has no near misses, no counterfactual and no reasons (`target` and `fixed` are refused).
        """
        check_is_fitted(self)
        return explain_rows(
            self.rules_,
            X,
            counterfactuals=counterfactuals,
            target=target,
            fixed=fixed,
            n_near_misses=n_near_misses,
            n_reasons=n_reasons,
        )

    def reasons(
        self, X: Any, *, baseline: str = "best", reference: Any = None, target: Any = None, n: int = 4
    ) -> list[RowReasons]:
        """Adverse-action reasons: the features by which each row lost the most points, as lenders state them.

        A scorecard is read as bins: all rules on one feature alone give its bins points, and so does each
        rule on several features. A row loses the points between its bin and the baseline.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        baseline : {"best", "mean"}, default="best"
            What a row could have got by each feature: the points of its best bin, or the mean points of the
            rows of `reference`.
        reference : table, default=None
            The rows of which the mean is taken, such as those of training or the approved ones.
        target : class label or None, default=None
            The class towards which points were lost; None for the class that was not decided, of several the
            closest rival. With a class, rows that were decided for it get reasons, too. Of a model that
            predicts numbers: "higher" (None) or "lower".
        n : int, default=4
            Maximum number of reasons per row.

        Returns
        -------
        list of RowReasons
            One per row; `lost` is empty only if the row has the points of the baseline everywhere, or more.
        """
        check_is_fitted(self)
        return find_points_lost(self.rules_, X, baseline=baseline, reference=reference, target=target, n=n)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each feature in the points of all rules, one per feature; the sum is 1.

        The absolute points of each rule are split equally among the features that it tests. All 0 if there
        are no rules.
        """
        check_is_fitted(self)
        return feature_importances(self.rules_)

    def feature_effects(self, X: Any) -> NDArray[np.float64]:
        """What each feature adds to the votes; the points of a rule are split equally among its features.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or (n_samples, n_classes, n_features) for K > 2 classes
            The effects and the constants of the rules add up to the votes.
        """
        check_is_fitted(self)
        return feature_effects(self.rules_, X)
