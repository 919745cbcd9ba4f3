"""An edit of a scorecard: steps, what they do to the scores, and the record that is kept with it.

An Edit never changes: each step makes another one. `keep` gives the edited scorecard, with an entry in its
log. Where a step is fitted to rows, its effect is cross-validated: all steps are done again without the rows
that they are judged on. Not here: what a step does (changes.py, refit.py, scale.py), its words
(edit_text.py), measures (effect.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from clausal.encoding.columns import category_text
from clausal.encoding.encoding import Encoding
from clausal.encoding.nearly import near_remarks
from clausal.encoding.remarks import warn_of_table
from clausal.parameters import OneOf, Whole, check_text, check_value
from clausal.rules.rule import Rule
from clausal.scorecard import changes
from clausal.scorecard.changes import Key, find_rule, key_of
from clausal.scorecard.edit_log import LogEntry
from clausal.scorecard.edit_text import for_class_text, recalibrate_text, refit_text
from clausal.scorecard.effect import GIVEN, HELD_OUT, MEASURED_ON, Made, effect_lines, measures_of
from clausal.scorecard.folds import stratified_folds
from clausal.scorecard.kept_constraints import check_kept
from clausal.scorecard.refit import GivenRows, recalibrated, refitted, with_residuals
from clausal.scorecard.risk_table import RiskTable
from clausal.scorecard.scoring import check_scoring_name
from clausal.wording import label_text, points_text, signed_text

if TYPE_CHECKING:
    from clausal.scorecard.scorecard import Scorecard

_NO_ROWS = "No rows are given, so the effect is not measured."
_LOST = {
    "risk_table_": "The risks of scores are not known any more, as no rows are given to count them on.",
    "residual_quantiles_": "The errors of predictions are not known any more, as no rows are given.",
}


class Step(NamedTuple):
    """One step: what it does to a scorecard, given the rows; whether it is fitted to them.

    And whether it keeps the rules as they are, so that it cannot break a constraint.
    """

    change: Callable[[Scorecard, GivenRows | None], Scorecard]
    is_fitted: bool = False
    keeps_rules: bool = False


@dataclass(frozen=True, eq=False)
class Edit:
    """Changes of a scorecard that are not kept yet; `Scorecard.edit` begins one.

    Each method returns another Edit with one more step. Printing one shows the steps and their effect.

    Attributes
    ----------
    before, after : Scorecard
        Without and with the changes.
    what : tuple of str
        The steps in words.
    """

    before: Scorecard
    after: Scorecard
    what: tuple[str, ...] = ()
    _rows: GivenRows | None = None
    _scoring: Any = None
    _cv: int = 5
    _steps: tuple[Step, ...] = ()
    _edited: frozenset[Key] = frozenset()

    @classmethod
    def begin(cls, card: Scorecard, X: Any, y: Any, sample_weight: Any, scoring: Any, cv: int) -> Edit:
        """See `Scorecard.edit`."""
        if card.rules_.outcome.is_numeric:
            check_value("edit of a scorecard of numbers", "scoring", scoring, (OneOf(None),))
        elif scoring is not None:
            check_scoring_name(scoring, "edit")
        check_value("edit", "cv", cv, (Whole(2, 1000),))
        if (X is None) != (y is None):
            raise ValueError("X and y must be given together to edit. Got only one of them.")
        rows = None if X is None else GivenRows.read(X, y, sample_weight, card.rules_.outcome)
        return cls(card, card, (), rows, scoring, int(cv))

    def _then(
        self,
        step: Step,
        what: str | Callable[[Scorecard, Scorecard], str],
        edited: Collection[Key] = (),
    ) -> Edit:
        after = _with_risks(step.change(self.after, self._rows), self._rows)
        _warn_of_numbers(self.after.encoding_, after.encoding_, self._rows)
        if not step.keeps_rules:
            check_kept(self.after, after)
        text = what if isinstance(what, str) else what(self.after, after)
        known = {key_of(rule) for rule in after.rules_}
        return Edit(
            self.before,
            after,
            (*self.what, text),
            self._rows,
            self._scoring,
            self._cv,
            (*self._steps, step),
            frozenset((*self._edited, *edited)) & known,
        )

    def _needed_rows(self, name: str) -> None:
        if self._rows is None:
            raise ValueError(f"{name} needs rows: begin with card.edit(X, y). Got none.")

    # --- rules ---

    def drop_rule(self, rule: str | Rule, for_class: Any = None) -> Edit:
        """Remove a rule.

        Parameters
        ----------
        rule : str or Rule
            One of `after.rules_`, or its conditions in words.
        for_class : class label, default=None
            Which rule, if several classes have one with these conditions.
        """
        found = find_rule(self.after, rule, for_class)
        key = key_of(found)
        return self._then(
            Step(lambda card, _: changes.without_rule(card, key)),
            f"drop the rule `{found}` ({self._points(found)})",
        )

    def set_points(self, rule: str | Rule, points: int, for_class: Any = None) -> Edit:
        """Give a rule other points; `rule` and `for_class` as in `drop_rule`."""
        found = find_rule(self.after, rule, for_class)
        key = key_of(found)
        changes.check_points(points)
        return self._then(
            Step(lambda card, _: changes.with_points(card, key, points)),
            f"change the points of `{found}` from {self._points(found)} to {signed_text(int(points))}",
            [key],
        )

    def add_rule(self, conditions: str, points: int, for_class: Any = None) -> Edit:
        """Add a rule.

        Parameters
        ----------
        conditions : str
            In words, such as `"age > 40 and state is north"`; see `parse_rule`. Cut points and categories
            that the scorecard does not know are added to it.
        points : int
            Its points.
        for_class : class label, default=None
            With more than two classes, the class that gets the points.
        """
        after, key = changes.with_rule(self.after, conditions, points, for_class)
        found = next(rule for rule in after.rules_ if key_of(rule) == key)
        return self._then(
            Step(lambda card, _: changes.with_rule(card, conditions, points, for_class)[0]),
            f"add the rule `{found}` ({self._points(found)})",
            [key],
        )

    def move_cut(self, feature: str | int, old: Any, new: Any) -> Edit:
        """Move a cut point of a feature, in all rules and overrides that have it.

        Parameters
        ----------
        feature : str or int
            Its name or position.
        old, new : number, or ordered category
            `"age"`, 40 and 45 make `age > 45` of `age > 40`, and `age <= 45` of `age <= 40`.
        """
        after = changes.with_cut(self.after, feature, old, new)
        name = feature if isinstance(feature, str) else self.after.encoding_.feature_names[feature]
        moved = {key_of(rule) for rule in after.rules_} - {key_of(rule) for rule in self.after.rules_}
        return self._then(
            Step(lambda card, _: changes.with_cut(card, feature, old, new)),
            f"move the cut point of {category_text(name)} from {category_text(old)} to {category_text(new)}",
            moved,
        )

    # --- the decision ---

    def add_override(self, conditions: str, label: Any) -> Edit:
        """Decide for a class wherever conditions in words hold, whatever the points; earlier ones first."""
        after = changes.with_override(self.after, conditions, label)
        override = after.rules_.overrides[-1]
        return self._then(
            Step(lambda card, _: changes.with_override(card, conditions, label)),
            f"add the override: always {label_text(override.label)} if {override}",
        )

    def drop_override(self, conditions: str) -> Edit:
        """Remove the override with these conditions."""
        return self._then(
            Step(lambda card, _: changes.without_override(card, conditions)),
            f"drop the override if {conditions}",
        )

    def set_cut_off(self, cut_off: int) -> Edit:
        """Predict the positive one of two classes if the total is this or more."""
        before = self.after.rules_.outcome.cut_off
        return self._then(
            Step(lambda card, _: changes.with_cut_off(card, cut_off)),
            lambda _, after: (
                f"move the cut-off from {points_text(before)} to {points_text(after.rules_.outcome.cut_off)}"
            ),
        )

    # --- constraints ---

    def lift(self, constraint: str, of: Any = None) -> Edit:
        """Lift a constraint that the scorecard keeps, so that later steps may break it.

        Parameters
        ----------
        constraint : str
            Its name, such as "forbidden_features"; see `Scorecard.constraints_`.
        of : str, int or None, default=None
            The feature, or the fixed rule in words, for which it is lifted; None lifts it for all.
        """
        own = self.after._constraints
        _, said = own.without(constraint, of, self.after.encoding_)

        def change(card: Scorecard, rows: GivenRows | None) -> Scorecard:
            return card.replace(constraints=own.without(constraint, of, card.encoding_)[0])

        return self._then(Step(change, keeps_rules=True), f"lift the constraint {constraint}: {said}")

    # --- what is fitted ---

    def refit(self, keep: str | Collection[str | Rule] = (), *, max_points: int = 10) -> Edit:
        """Fit the points of the rules to the rows again, with what totals mean.

        That is the probabilities and the cut-off, or the unit and the constant of numbers.

        Parameters
        ----------
        keep : "edited" or collection of rules, default=()
            Rules whose points stay: those that this edit added or changed, or the rules or their conditions
            in words. So do those of rules that hold on none of the rows, or on all.
        max_points : int, default=10
            Maximum points of one rule.
        """
        self._needed_rows("refit")
        check_value("refit", "max_points", max_points, (Whole(1, 100),))
        if isinstance(keep, str) and keep != "edited":
            raise ValueError(
                f"The 'keep' parameter of refit must be 'edited' or a list of rules. Got {keep!r}."
            )
        listed = (
            self._edited if isinstance(keep, str) else {key_of(find_rule(self.after, rule)) for rule in keep}
        )

        def change(card: Scorecard, rows: GivenRows | None) -> Scorecard:
            assert rows is not None
            return refitted(card, rows, listed, self._scoring or "f1", self._cv, max_points)

        return self._then(Step(change, True), refit_text)

    def recalibrate(self) -> Edit:
        """Fit the probabilities to the rows again. Points stay; so do decisions between two classes.

        Of numbers, the unit and the constant are fitted again.
        """
        self._needed_rows("recalibrate")

        def change(card: Scorecard, rows: GivenRows | None) -> Scorecard:
            assert rows is not None
            return recalibrated(card, rows)

        return self._then(Step(change, True), recalibrate_text)

    def scale(
        self,
        base_score: float = 600,
        base_odds: float = 50,
        points_to_double: float = 20,
        positive: bool = True,
    ) -> Edit:
        """Write the points on another scale; see `Scorecard.scaled`."""
        return self._then(
            Step(
                lambda card, _: card.scaled(base_score, base_odds, points_to_double, positive),
                keeps_rules=True,
            ),
            lambda _, after: f"scale the points. {after.about_['scale']}",
        )

    # --- the effect ---

    @cached_property
    def effect(self) -> Mapping[str, str | float | None]:
        """The log-loss, the ROC AUC and the score before and after, if rows are given; see `print(edit)`.

        Of numbers, their loss and its share explained. Also the difference in the loss with its standard
        error, over rows, and what was measured on.
        """
        if self._rows is None or not self._steps:
            return {}
        held_out = any(step.is_fitted for step in self._steps)
        before, after = self._cross_validated() if held_out else self._as_given(self._rows)
        measures = measures_of(before, after, self._scoring, self.before)
        return {**measures, "rows": len(self._rows.labels), MEASURED_ON: HELD_OUT if held_out else GIVEN}

    def _as_given(self, rows: GivenRows) -> tuple[Made, Made]:
        outcome = self.before.rules_.outcome
        return Made.by(self.before, rows, outcome), Made.by(self.after, rows, outcome)

    def _cross_validated(self) -> tuple[Made, Made]:
        """What both scorecards make of all rows; the steps are fitted without the rows of a fold."""
        rows, outcome = self._rows, self.before.rules_.outcome
        assert rows is not None
        found, of_numbers = [], outcome.is_numeric
        for split in stratified_folds(rows.codes(outcome), rows.weights, self._cv, 0, of_numbers=of_numbers):
            train, test = (rows.with_weights(part)[0] for part in (split.train, split.validation))
            card = self.before
            for step in self._steps:
                card = step.change(card, train)
            found.append((Made.by(self.before, test, outcome), Made.by(card, test, outcome)))
        before, after = (Made.joined(side) for side in zip(*found, strict=True))
        return before, after

    def keep(self, who: str, why: str, when: str | None = None) -> Scorecard:
        """The edited scorecard, whose log has one more entry.

        Parameters
        ----------
        who, why : str
            Who makes the edit, and the reason.
        when : str, default=None
            The time in ISO 8601; None means now.
        """
        for name, text in (("who", who), ("why", why)):
            check_text(f"The {name!r} parameter of keep", text, 10_000)
        if not self._steps:
            raise ValueError("An edit that is kept must have a step. Got none.")
        time = datetime.now(UTC).isoformat(timespec="seconds") if when is None else when
        entry = LogEntry(time, who, why, "; ".join(self.what), self.effect)
        return self.after.replace(log=(*self.after.log_, entry))

    # --- text ---

    def __str__(self) -> str:
        if not self.what:
            return "An edit without a step."
        lines = [f"{number}. {text[0].upper()}{text[1:]}" for number, text in enumerate(self.what, 1)]
        return "\n".join([*lines, *self._effect_lines()])

    def _effect_lines(self) -> list[str]:
        """What changes, as a small table, and what the figures are."""
        if self._rows is None:
            had, has = vars(self.before), vars(self.after)
            return [_NO_ROWS, *(said for name, said in _LOST.items() if name in had and name not in has)]
        return effect_lines(self.effect, self._cv)

    def _points(self, rule: Rule) -> str:
        return signed_text(rule.points) + for_class_text(self.after, rule)


def _warn_of_numbers(before: Encoding, after: Encoding, rows: GivenRows | None) -> None:
    """Warn if float32 numbers of the rows are nearly a new cut point."""
    if rows is not None and after != before:
        warn_of_table(near_remarks(before, after, after.read_by_name(rows.X, ())))


def _with_risks(card: Scorecard, rows: GivenRows | None) -> Scorecard:
    """The scorecard with the risks of scores or the errors of numbers; if it lacks them, of the rows."""
    outcome = card.rules_.outcome
    if rows is None or card._measures:
        return card
    if outcome.is_numeric:
        return with_residuals(card, rows)
    if outcome.positive is None:
        return card
    votes = outcome.flat(card._votes(rows.X))
    label = outcome.pos_label
    table = RiskTable.of(votes, rows.codes(outcome), rows.weights, card.slope_, card.offset_, label)
    return card.replace(risk_table=table)
