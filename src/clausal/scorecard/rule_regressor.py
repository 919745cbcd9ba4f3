"""RuleRegressor, a scorecard for numbers: a few rules with integer points, a unit and a constant.

Here: its parameters, the steps of `fit`. Not here: reading (read.py), the search for rules (search_space.py),
the choice of the size (number_validation.py), prediction (card_prediction.py), the model file
(files/rule_classifier.py).
"""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from clausal.encoding.remarks import warn_of_table
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.settings import PartOf, check_quantile
from clausal.parameters import check_parameters
from clausal.progress import Advance
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.calibration import Floats
from clausal.scorecard.card_prediction import NumberCard
from clausal.scorecard.number_validation import (
    NOT_INFORMATIVE,
    ONLY_FIXED,
    cross_validate_numbers,
    final_number_card,
)
from clausal.scorecard.numbers import NumberLoss
from clausal.scorecard.parameters import NUMBER_PARAMETERS, CardEstimator, naming_constraints
from clausal.scorecard.path import CompactionPath
from clausal.scorecard.read import Read, read_number_rows
from clausal.scorecard.rule_constraints import check_shapes, rule_constraints
from clausal.scorecard.search_space import (
    Clauses,
    Limits,
    SearchSpace,
    default_machine,
    epochs_for,
    train_machines,
)
from clausal.scorecard.stability import Stability, stability_of


class RuleRegressor(CardEstimator, NumberCard, RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scorecard for numbers: short rules with integer points, whose total becomes a number.

    The prediction is a constant plus a unit times the total of the points of the rules that hold. `fit`
    searches as RuleClassifier does, for rules that lower the loss of the predicted number. The candidate
    rules are single literals, the best conjunctions of two and three, and the clauses of a machine that
    learns whether the number is low, middle or high (thirds of the rows). The search and the number of
    literals are chosen by cross-validation within the training data. The same data and seed give the same
    scorecard on every computer.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "quantile"}, default="squared_error"
        What predictions minimize: they are means, medians or quantiles.
    quantile : float or None, default=None
        The quantile, between 0 and 1, for `loss="quantile"`; None for the others.
    max_literals : int or None, default=None
        Maximum number of literals of the scorecard; None tries sizes up to 40.
    max_rules : int or None, default=None
        Maximum number of rules of the scorecard.
    max_features : int or None, default=None
        Maximum number of features that the rules of the scorecard test.
    max_points : int, default=10
        Maximum points of one rule.
    cv : int, splitter, list of pairs (train, test) of row positions, or None, default=None
        How to cross-validate; see RuleClassifier. Folds are stratified by thirds of the numbers.
    parsimony : float, default=0.5
        How much accuracy to give up for fewer literals. The size is the smallest one whose loss and score are
        worse than the best by at most this many standard errors of the paired difference (with .001 of the
        loss of a constant added to the error). 0 takes the best size within the limits.
    booleanizer : {"auto", "paper"}, None or Booleanizer, default="auto"
        How features become boolean columns; see RuleClassifier. From 500 to 20,000 rows, a number has up to
        120 cut points, to which those of a rule may move.
    monotonic_cst : array-like or dict, default=None
        Features with which predictions may only rise (1) or fall (-1); see TsetlinClassifier.
    forbidden_features : array-like, default=None
        Features that no rule may test; see TsetlinClassifier.
    fixed_rules : list or None, default=None
        Rules in words that the scorecard always has, or tuples `(words, points)`; see RuleClassifier.
    points_bounds, interaction_cst : see RuleClassifier, default=None
        The least and the most points of rules that test a feature, and the features that may meet in a rule.
    n_jobs : int or None, default=None
        Number of folds in parallel, on threads; None means 1.
    random_state : int, RandomState or None, default=None
        Seed of the machines and the folds.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    rules_ : RuleSet
        The rules and points. `rules_.outcome` has the `unit` and the `offset`: a prediction is
        offset + unit * total. It cannot be replaced; `to_scorecard().edit(X, y)` changes a Scorecard.
    unit_, constant_ : float
        What one point adds to the prediction, and the prediction for a total of 0. Both are rounded as far as
        this raises the loss on the training rows by at most 0.1 %.
    path_ : CompactionPath
        The cross-validated share of the loss that is explained, for each number of literals: R² for squared
        errors, else D².
    stability_ : Stability
        How often the rules and features return in the scorecards of the folds.
    residual_quantiles_ : ndarray of shape (199,)
        The quantiles .005, .01, ..., .995 of number minus prediction, of held-out rows.
    n_machine_rows_ : int or None
        As in RuleClassifier.
    n_features_in_, feature_names_in_, encoding_
        As in TsetlinClassifier.
    n_literals_ : int
        Number of literals of the scorecard.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from clausal import RuleRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> reg = RuleRegressor(max_literals=6, random_state=0).fit(X, y)
    >>> reg.n_literals_ <= 6
    True
    """

    path_: CompactionPath
    stability_: Stability
    residual_quantiles_: Floats
    n_machine_rows_: int | None = None
    _PARTS = ("rules_", "path_", "stability_", "residual_quantiles_")
    _INSTEAD = "`reg.to_scorecard().edit(X, y)` changes a scorecard that you own."

    def __init__(
        self,
        *,
        loss: str = "squared_error",
        quantile: float | None = None,
        max_literals: int | None = None,
        max_rules: int | None = None,
        max_features: int | None = None,
        max_points: int = 10,
        cv: Any = None,
        parsimony: float = 0.5,
        booleanizer: Any = "auto",
        monotonic_cst: Any = None,
        forbidden_features: Any = None,
        fixed_rules: Any = None,
        points_bounds: Any = None,
        interaction_cst: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.max_literals = max_literals
        self.max_rules = max_rules
        self.max_features = max_features
        self.max_points = max_points
        self.cv = cv
        self.parsimony = parsimony
        self.booleanizer = booleanizer
        self.monotonic_cst = monotonic_cst
        self.forbidden_features = forbidden_features
        self.fixed_rules = fixed_rules
        self.points_bounds = points_bounds
        self.interaction_cst = interaction_cst
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # --- learning ---

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find a scorecard.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            As for RuleClassifier, or data that are read in batches.
        y : array-like of shape (n_samples,) or str
            Numbers, or the name of their column if `X` is read in batches (so may be `sample_weight`).
        sample_weight : array-like of shape (n_samples,) or None
            Weight of each row, as for RuleClassifier.

        Returns
        -------
        RuleRegressor
            The fitted estimator.
        """
        self._check_parameters()
        seed, machine = self._seed(), self._machine()
        loss = NumberLoss(self.loss) if self.quantile is None else NumberLoss(self.loss, float(self.quantile))
        read = read_number_rows(self, machine, X, y, sample_weight, seed, loss)
        machine.set_params(n_epochs=epochs_for(read.rows.weights.sum()))
        warn_of_table(self._own_remarks(read.remarks))
        self._say_sample(read.rows)
        with self._progress(read.plan.n_steps) as advance:
            (clauses,) = train_machines(machine, read.rows, [(read.rows.weights, seed)])
            advance("")
            remarks = self._find(machine, read, clauses, advance)
        warn_of_table(self._own_remarks(remarks))
        return self

    def _find(
        self, machine: TsetlinClassifier, read: Read, clauses: Clauses, advance: Advance
    ) -> tuple[str, ...]:
        """Choose search and size by cross-validation, then search all rows, with clauses found on them.

        Returns what the user should know about the scorecard.
        """
        rows = read.rows
        constraints = rule_constraints(self, self, rows.encoding, rows.outcome)
        space = SearchSpace(self, rows, constraints)
        limits = Limits(
            self.max_literals, self.max_rules, self.max_features, int(self.max_points), constraints.n_literals
        )
        validation = cross_validate_numbers(machine, space, limits, read.plan, advance)
        chosen = (validation.search, validation.size, clauses, limits, validation.calibration)
        rules = final_number_card(space, *chosen)
        advance("")
        stability = stability_of(rules, space, validation)
        self._set(rules, validation.path, stability, validation.calibration.residuals)
        self.n_machine_rows_ = rows.n_sampled
        remarks = validation.calibration.remarks
        only_fixed = constraints.fixed and remarks == (NOT_INFORMATIVE,)
        return naming_constraints(self, (ONLY_FIXED,) if only_fixed else remarks)

    def _check_parameters(self) -> None:
        check_parameters(self, NUMBER_PARAMETERS)
        check_quantile(self)
        check_shapes(self)

    def _machine(self) -> TsetlinClassifier:
        machine = default_machine(self.booleanizer, {"forbidden_features": self.forbidden_features})
        machine._part_of = PartOf(type(self).__name__)
        return machine

    def _set(self, rules: RuleSet, path: CompactionPath, stability: Stability, residuals: Floats) -> None:
        """Store what was learned, all at once."""
        attributes = {
            "n_features_in_": rules.encoding.n_features,
            "path_": path,
            "stability_": stability,
            "residual_quantiles_": residuals,
            "rules_": rules,
        }
        if rules.encoding.names is not None:
            attributes["feature_names_in_"] = np.array(rules.encoding.names, dtype=object)
        self.__dict__.pop("feature_names_in_", None)  # of a previous fit
        self.__dict__.update(attributes)

    def _probability(self) -> None:  # type: ignore[override]  # of a classifier
        """There are no probabilities."""

    def _owned_parts(self) -> dict[str, Any]:
        """What a Scorecard has beside the rules."""
        quantile = None if self.quantile is None else float(self.quantile)
        return {"loss": self.loss, "quantile": quantile, "residual_quantiles": self.residual_quantiles_}

    # --- files ---

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file that `clausal.load` reads. The file contains no pickle.

        Parameters
        ----------
        path : str or path-like
            The file to write; docs/formats.md describes the format.
        """
        from clausal.files.rule_classifier import save_regressor

        save_regressor(self, path)
