"""Scorecard: a model of rules and points that its user owns, immutable and complete.

It predicts, explains, reports, saves and exports as a fitted estimator does, but it is not fitted: it is made
from a fitted RuleClassifier or RuleRegressor, or from a RuleSet and what its votes mean. A change makes
another Scorecard. Not here: the checks of its parts (card_parts.py), the search for rules
(rule_classifier.py, rule_regressor.py), the file (files/scorecard.py), the log (edit_log.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

from clausal.explain.explain_rows import Explainable
from clausal.export import Exportable
from clausal.export.document import Calibration
from clausal.machine.scored import rows_to_score
from clausal.parameters import Instance, check_value
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.card_parts import check_absent, checked_about, class_parts, number_parts
from clausal.scorecard.card_prediction import ClassCard, NumberCard
from clausal.scorecard.edit_log import LogEntry, checked_log
from clausal.scorecard.kept_constraints import KeptConstraints
from clausal.scorecard.risk_table import RiskTable
from clausal.scorecard.scale import Scale

if TYPE_CHECKING:
    from clausal.scorecard.edit import Edit


class Scorecard(Explainable, ClassCard, NumberCard, Exportable):
    """A scorecard that you own: rules, points and what totals mean, which no method changes.

    `to_scorecard` of a RuleClassifier or RuleRegressor makes one. It works wherever these work: `report`,
    plots, metrics of scikit-learn, the command line. It cannot be fitted. Of classes, it has calibrated
    probabilities; of numbers, intervals.

    Unlike an estimator of scikit-learn, which wants the columns of training in their order, it reads a data
    frame by name, and only the columns that its rules test: others may be there or not, in any order.

    Parameters
    ----------
    rules : RuleSet
        The rules, points and constants; of a scorecard of numbers also the unit and the constant.
    slope, offset : float, default of the offset 0.0
        Of classes: the log-odds of the positive class are slope * vote + offset. The slope is above 0. With
        more than two classes, the probabilities are the softmax of slope * votes, and the offset must be 0.
    risk_table : RiskTable or None, default=None
        The risk of each score, with the same slope and offset, for two classes.
    loss, quantile : str and float or None, default=None
        Of numbers: what predictions minimize, as in RuleRegressor; None is "squared_error". The quantile is
        there with the loss "quantile" only.
    residual_quantiles : array-like of shape (199,) or None, default=None
        Of numbers: the quantiles .005, .01, ..., .995 of number minus prediction, for intervals.
    about : dict of str, default=None
        What readers should know, such as "name", "purpose", "owner"; a report shows it.
    log : iterable of LogEntry, default=()
        The edits that led to this scorecard, the first one first.
    constraints : dict or None, default=None
        What edits and points that are fitted again keep to: `monotonic_cst`, `forbidden_features`,
        `points_bounds`, `interaction_cst` and `fixed_rules` as in RuleClassifier, and `factor`, by which
        `scaled` has multiplied the points: bounds and given points are those before.
    class_weight : dict, "balanced" or None, default=None
        Of classes: the weights of the classes that the probabilities are of, as in RuleClassifier.
    scale : Scale or None, default=None
        Of two classes: the scale of the points, which `scaled` sets.
    cut_off_by_hand : bool, default=False
        Of two classes: whether the cut-off was set by hand, not chosen in training.

    Attributes
    ----------
    rules_ : RuleSet
        As given.
    slope_, offset_, classes_, pos_label_, risk_table_
        Of classes; the risk table only if it was given.
    loss, quantile, unit_, constant_, residual_quantiles_
        Of numbers, as in RuleRegressor; the quantiles of residuals only if they were given.
    about_ : mapping of str
        What readers should know.
    log_ : tuple of LogEntry
        The edits.
    constraints_ : dict
        The constraints that are kept, by name; features by name, or by position if they have no names.
    class_weight, cut_off_by_hand_
        Of classes, as given.
    n_features_in_, feature_names_in_, encoding_, n_literals_
        As in RuleClassifier.

    Examples
    --------
    >>> from clausal import RuleClassifier
    >>> from clausal.datasets import load_heart_disease
    >>> X, y = load_heart_disease(return_X_y=True)
    >>> clf = RuleClassifier(max_literals=6, random_state=0).fit(X, y)
    >>> card = clf.to_scorecard(about={"owner": "cardiology"})
    >>> bool((card.predict(X) == clf.predict(X)).all())
    True
    """

    offset_: float
    log_: tuple[LogEntry, ...]
    _about: dict[str, str]
    pos_label_: Any
    n_features_in_: int
    loss: str
    quantile: float | None
    _constraints: KeptConstraints
    _scale: Scale | None = None
    class_weight: Any = None
    cut_off_by_hand_: bool = False
    _by_name = True

    def __init__(
        self,
        rules: RuleSet,
        slope: float | None = None,
        offset: float = 0.0,
        *,
        risk_table: RiskTable | None = None,
        loss: str | None = None,
        quantile: float | None = None,
        residual_quantiles: Any = None,
        about: Mapping[str, str] | None = None,
        log: Iterable[LogEntry] = (),
        constraints: Any = None,
        class_weight: Any = None,
        scale: Scale | None = None,
        cut_off_by_hand: bool = False,
    ) -> None:
        check_value("Scorecard", "rules", rules, (Instance(RuleSet, "a RuleSet"),))
        of_classes: dict[str, Any] = {"slope": slope, "offset": offset, "risk_table": risk_table}
        of_classes |= {"class_weight": class_weight, "scale": scale, "cut_off_by_hand": cut_off_by_hand}
        of_numbers: dict[str, Any] = {
            "loss": loss,
            "quantile": quantile,
            "residual_quantiles": residual_quantiles,
        }
        parts: dict[str, Any] = {
            "rules_": rules,
            "_about": checked_about(about),
            "log_": checked_log(log),
            "_constraints": KeptConstraints.read(constraints, rules.encoding, rules.outcome),
            "n_features_in_": rules.encoding.n_features,
        }
        if rules.encoding.names is not None:
            parts["feature_names_in_"] = np.array(rules.encoding.names, dtype=object)
        if rules.outcome.is_numeric:
            check_absent(of_classes, "numbers")
            parts |= number_parts(**of_numbers)
        else:
            check_absent(of_numbers, "classes")
            parts |= class_parts(rules, **of_classes)
        self.__dict__.update(parts)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Scorecard cannot be changed; use `replace`. Got a new value of {name!r}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A Scorecard cannot be changed. Got {name!r} to delete.")

    def replace(self, **parts: Any) -> Scorecard:
        """A Scorecard with other parts, named as the parameters of the constructor.

        The risk table and the quantiles of residuals belong to the rules and to what totals mean: they are
        left out if one of these is replaced and no new ones are given. So is the scale if the probabilities
        are.
        """
        own = {name: vars(self)[kept] for name, kept in _KEPT.items() if kept in vars(self)}
        if {"slope", "offset"} & set(parts):
            own.pop("scale", None)
        if {"rules", "slope", "offset", "loss", "quantile"} & set(parts):
            own = {name: value for name, value in own.items() if name not in _MEASURED}
        return Scorecard(**{**own, **parts})

    @property
    def _measures(self) -> dict[str, Any]:
        """The risk table or the quantiles of residuals, for `replace` where they stay."""
        return {name: vars(self)[_KEPT[name]] for name in _MEASURED if _KEPT[name] in vars(self)}

    def with_policy(self, **policy: str) -> Scorecard:
        """A Scorecard that treats values that did not occur in training otherwise; see Booleanizer.

        `policy` holds `handle_unknown` and `handle_missing`.
        """
        rules = self.rules_.with_encoding(self.encoding_.with_policy(**policy))
        return self.replace(rules=rules, **self._measures)

    def scaled(
        self,
        base_score: float = 600,
        base_odds: float = 50,
        points_to_double: float = 20,
        positive: bool = True,
    ) -> Scorecard:
        """An equivalent scorecard of two classes on another scale, in whole points.

        It decides every row as before. Its odds are those of its scale, from which whole points make them
        differ; `about_["scale"]` says how much at most.

        Parameters
        ----------
        base_score, base_odds : float, default 600 and 50
            A total of `base_score` stands for odds of `base_odds` to 1.
        points_to_double : float, default=20
            How many points more double the odds.
        positive : bool, default=True
            Whether more points make the positive class more likely. With False, the points, the odds and
            `pos_label_` are those of the other class, as where a high score is a good one.

        Returns
        -------
        Scorecard
            With the risk table on the new scale: where rounding gives a former score several totals, it has
            the middle of them.

        Raises
        ------
        ValueError : three or more classes, points that are not whole, or a scale that is too coarse
        """
        from clausal.scorecard.scale import scaled

        return scaled(self, base_score, base_odds, points_to_double, positive)

    def edit(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, scoring: Any = None, cv: int = 5
    ) -> Edit:
        """Begin an edit, which says what it does to the scores before it is kept.

        `edit = card.edit(X, y).drop_rule("age > 40")`, then `print(edit)`, then
        `card = edit.keep(who="Ada", why="age must not count")`.

        Parameters
        ----------
        X, y, sample_weight : table, labels or numbers, and weights, default=None
            The rows on which the effect is measured, and to which points, and probabilities or the unit, are
            fitted again. To judge an edit, give rows that the scorecard was not made from.
        scoring : str, callable or None, default=None
            Of classes: the score, beside log-loss and ROC AUC, as in RuleClassifier; None is "f1". A refit
            chooses the cut-off by it. Numbers are judged by their loss.
        cv : int, default=5
            The number of folds in which what is fitted is validated.

        Returns
        -------
        Edit
            With a method for each change.
        """
        from clausal.scorecard.edit import Edit

        return Edit.begin(self, X, y, sample_weight, scoring, cv)

    @property
    def constraints_(self) -> dict[str, Any]:
        """The constraints that are kept, by the names of the parameters of RuleClassifier."""
        return self._constraints.to_dict(self.encoding_)

    @property
    def about_(self) -> dict[str, str]:
        """What readers should know, as a copy."""
        return dict(self._about)

    def _probability(self) -> Calibration | None:  # type: ignore[override]  # numbers have none
        """How votes become probabilities."""
        return None if self.rules_.outcome.is_numeric else Calibration(self.slope_, self.offset_)

    # --- files ---

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scorecard to a file that `clausal.load` reads. The file contains no pickle.

        Parameters
        ----------
        path : str or path-like
            The file to write; docs/formats.md describes the format.
        """
        from clausal.files.scorecard import save

        save(self, path)

    # --- as an estimator of scikit-learn that has been fitted ---

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> NoReturn:
        """A Scorecard is not fitted: raises TypeError."""
        raise TypeError(
            "A Scorecard cannot be fitted, because it is made from a fitted model. Fit a RuleClassifier or "
            "RuleRegressor and call its to_scorecard()."
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of predicted classes, or R² of predicted numbers; of data in batches by column."""
        X, y, sample_weight = rows_to_score(X, y, sample_weight)
        score = r2_score if self.rules_.outcome.is_numeric else accuracy_score
        return float(score(y, self.predict(X), sample_weight=sample_weight))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of fitting, of which a Scorecard has none."""
        return {}

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_clone__(self) -> Self:
        return self  # there is nothing to fit again

    def __sklearn_tags__(self) -> Tags:
        of_numbers = self.rules_.outcome.is_numeric
        return Tags(
            estimator_type="regressor" if of_numbers else "classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=None if of_numbers else ClassifierTags(),
            regressor_tags=RegressorTags() if of_numbers else None,
            input_tags=InputTags(allow_nan=True, string=True),
        )

    # --- text ---

    def __str__(self) -> str:
        return self.rules_.to_text()

    def __repr__(self) -> str:
        rules = self.rules_
        edits = f", {len(self.log_)} edits" if self.log_ else ""
        return f"Scorecard of {len(rules)} rules, {rules.n_literals} literals{edits}"

    def _repr_html_(self) -> str:
        return self.rules_._repr_html_()


_KEPT = {
    **{name: f"{name}_" for name in ("rules", "slope", "offset", "risk_table", "residual_quantiles", "log")},
    **{name: name for name in ("loss", "quantile", "class_weight")},
    **{name: f"_{name}" for name in ("about", "constraints", "scale")},
    "cut_off_by_hand": "cut_off_by_hand_",
}
"""The attribute in which a parameter is kept."""
_MEASURED = ("risk_table", "residual_quantiles")
