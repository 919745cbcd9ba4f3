"""RuleClassifier, a scorecard: a few rules with integer points, a constant, and a risk for every score.

Here: its parameters, the steps of `fit`, prediction. Not here: reading (read.py), the search for rules
(search_space.py), the choice of the size (validation.py), the model file (files/rule_classifier.py).
"""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from clausal.encoding.remarks import warn_of_table
from clausal.export.document import Calibration
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.settings import PartOf
from clausal.progress import Advance
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.alternatives import Alternative, Task, find_alternatives, n_searches
from clausal.scorecard.card_prediction import ClassCard
from clausal.scorecard.final_card import final_card
from clausal.scorecard.parameters import (
    MACHINE_DEFAULTS,
    CardEstimator,
    check_rule_classifier,
    machine_of,
    naming_constraints,
    unused_remarks,
)
from clausal.scorecard.path import CompactionPath
from clausal.scorecard.read import Read, read_rows
from clausal.scorecard.risk_table import RiskTable, risk_table_of
from clausal.scorecard.rule_constraints import rule_constraints
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.search_space import (
    Clauses,
    Limits,
    SearchSpace,
    clauses_of,
    default_machine,
    epochs_for,
    train_machines,
)
from clausal.scorecard.stability import Stability, stability_of
from clausal.scorecard.validation import ONLY_FIXED, Plan, cross_validate

_WEIGHTED = (
    "With class_weight, the risks and probabilities of a scorecard are those of the weighted classes, not "
    "those of the table."
)


class RuleClassifier(CardEstimator, ClassCard, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scorecard: short rules with integer points, a constant, and a calibrated risk for every score.

    `fit` trains a machine. The candidate rules are its clauses, the clauses without one literal, the best
    conjunctions of two and three literals, and all single literals. The search, the number of literals, the
    decision cut-off and the calibration are chosen by cross-validation within the training data; the machine
    is trained again in each fold. All rows are searched. Only machines, which do no more than propose rules,
    are trained on a sample of the rows if more than 131,072 are distinct: on that many, taken by class. The
    same data and seed give the same scorecard on every computer.

    Parameters
    ----------
    estimator : TsetlinClassifier or None, default=None
        The machine that provides clauses; None trains one with 100 short clauses. Its `class_weight`,
        `random_state` and `warm_start` are not used (the first is refused): those here are.
    max_literals : int or None, default=None
        Maximum number of literals of the scorecard; None tries sizes up to 40.
    max_rules : int or None, default=None
        Maximum number of rules of the scorecard.
    max_features : int or None, default=None
        Maximum number of features that the rules of the scorecard test.
    scoring : str or callable, default="f1"
        The metric of the decision cut-off and, together with the log-loss, of the size (see `parsimony`): the
        name of a scikit-learn scorer, or a callable `scorer(estimator, X, y, sample_weight)` with class codes
        as y, 1 for the positive class. With more than two classes, "f1" is the mean over the classes.
    max_points : int, default=10
        Maximum points of one rule.
    cv : int, splitter, list of pairs (train, test) of row positions, or None, default=None
        How to cross-validate. An int is a number of folds. None means 5 folds, repeated twice below 500
        distinct rows, 3 folds from 20,000 on, and one third of the rows from 200,000 on. Rows are dealt to
        folds one by one, also equal ones, as in a random sample; if copies of a row belong together, pass the
        pairs of a group splitter.
    parsimony : float, default=0.5
        How much accuracy to give up for fewer literals. The size is the smallest one whose log-loss and
        score are worse than the best by at most this many standard errors of the paired difference (with
        .001 added to the error). 0 takes the best size within the limits.
    n_alternatives : int, default=0
        Maximum number of other scorecards to look for that are about as good and test other features. Each
        takes up to two more cross-validated searches. The scorecard itself does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Multiplies sample weights by class in all steps, so that the probabilities and the risk table are
        those of the weighted classes. The total weight of all rows and the folds stay the same. A class that
        is not in the dict has the factor 1.
    pos_label : class label or None, default=None
        The positive one of two classes: points, scores, risks, F1, the decision cut-off and `monotonic_cst`
        are about it. None means `classes_[1]`, the last in sorted order. Must be None if `estimator` is
        given, because the estimator has its own.
    booleanizer : {"auto", "paper"}, None or Booleanizer, default="auto"
        How features become boolean columns; see TsetlinClassifier. "auto" makes at most 12 columns per
        feature, 24 from 5,000 rows on (a row of weight w is w rows). From 500 to 20,000 rows, a number has up
        to 48 cut points, to which those of a rule may move. Must be "auto" if `estimator` is given, because
        the estimator has its own.
    monotonic_cst, forbidden_features : see TsetlinClassifier, default=None
        Constraints on the rules. Must be None if `estimator` is given, because the estimator has its own.
    fixed_rules : list or None, default=None
        Rules in words, such as `"age > 40 and state is north"`, that the scorecard always has, worded as it
        prints them (see `parse_rule`). An item is the words, whose points are fitted, or a tuple
        `(words, points)`, or, with more than two classes, `(words, points, class)` with points or None.
        They count as literals, rules and features, and change neither their conditions nor given points.
        Cut points that the columns lack are added.
    points_bounds : dict or None, default=None
        The least and the most points of every rule that tests a feature, `{"age": (0, 3)}`, by name or
        position of the feature; None is no bound.
    interaction_cst : {"pairwise", "no_interactions"}, list of lists of features, or None, default=None
        The features that may meet in one rule: two at most, one only, or those of one of the groups, by name
        or position. Features in no group form one more.
    n_jobs : int or None, default=None
        Number of folds in parallel, on threads; None means 1.
    random_state : int, RandomState or None, default=None
        Seed of the machines and the folds.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    rules_ : RuleSet
        The rules, points and constants of the scorecard. It cannot be replaced, because `risk_table_`,
        `slope_` and `path_` belong to it; `rules_.with_rules` makes a RuleSet of its own.
    risk_table_ : RiskTable
        The calibrated probability of the positive class for every score of a training row; that of any other
        score is `risk_table_.probability(scores)`. Only with two classes.
    path_ : CompactionPath
        The cross-validated score for each number of literals.
    stability_ : Stability or None
        How often the rules and features return in the scorecards of the folds. None if the model file is of a
        version that did not store it.
    alternatives_ : tuple of Alternative
        At most `n_alternatives` other scorecards whose validated log-loss is at most two standard errors
        (with .001 added to the error) higher, the lowest first.
    n_machine_rows_ : int or None
        Number of distinct rows in the sample that machines were trained on. None if they were trained on all.
    classes_, pos_label_, n_features_in_, feature_names_in_, encoding_
        As in TsetlinClassifier.
    slope_ : float
        Log-odds per point.
    n_literals_ : int
        Number of literals of the scorecard.

    Examples
    --------
    >>> from clausal import RuleClassifier
    >>> from clausal.datasets import load_heart_disease
    >>> X, y = load_heart_disease(return_X_y=True)
    >>> clf = RuleClassifier(max_literals=6, random_state=0).fit(X, y)
    >>> clf.n_literals_ <= 6
    True
    """

    path_: CompactionPath
    stability_: Stability | None
    n_machine_rows_: int | None = None
    alternatives_: tuple[Alternative, ...]
    pos_label_: Any
    _PARTS = (
        *("rules_", "risk_table_", "slope_", "path_", "stability_", "alternatives_"),
        *("classes_", "pos_label_"),
    )
    _INSTEAD = "`clf.rules_.with_rules(rules)` makes a RuleSet of its own, which predicts and exports."

    def __init__(
        self,
        estimator: Any = None,
        *,
        max_literals: int | None = None,
        max_rules: int | None = None,
        max_features: int | None = None,
        scoring: Any = "f1",
        max_points: int = 10,
        cv: Any = None,
        parsimony: float = 0.5,
        n_alternatives: int = 0,
        class_weight: Any = None,
        pos_label: Any = None,
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
        self.estimator = estimator
        self.max_literals = max_literals
        self.max_rules = max_rules
        self.max_features = max_features
        self.scoring = scoring
        self.max_points = max_points
        self.cv = cv
        self.parsimony = parsimony
        self.n_alternatives = n_alternatives
        self.class_weight = class_weight
        self.pos_label = pos_label
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
            A pandas, polars or pyarrow table, a NumPy array, or a sparse matrix of 0 and 1. Or data that are
            read in batches: Parquet files, a pyarrow Dataset, a polars LazyFrame or a DuckDB relation.
        y : array-like of shape (n_samples,) or str
            Class labels, or the name of their column if `X` is read in batches (so may be `sample_weight`).
        sample_weight : array-like of shape (n_samples,) or None
            Weight of each row. A row of weight w is visited w times per epoch. Therefore, weights with a mean
            (of those above 0) below 1 are scaled to a mean of 1, and those with a mean above 10, with a
            warning, to a mean of 10. In the folds, too, a row of weight w counts as w equal rows (see `cv`),
            which may be in different folds. This never happens if `cv` is a splitter.

        Returns
        -------
        RuleClassifier
            The fitted estimator.
        """
        self._check_parameters()
        seed = self._seed()
        machine = self._machine()
        read = read_rows(self, machine, X, y, sample_weight, seed)
        if self.estimator is None:
            machine.set_params(n_epochs=epochs_for(read.rows.weights.sum()))
        warn_of_table(self._own_remarks((*unused_remarks(self), *read.remarks)))
        self._say_sample(read.rows)
        with self._progress(self._n_steps(read.plan)) as advance:
            (clauses,) = train_machines(machine, read.rows, [(read.rows.weights, seed)])
            advance("")
            remarks = self._find(machine, read, clauses, advance)
        warn_of_table(self._own_remarks(remarks))
        return self

    def _fit_from(self, machine: TsetlinClassifier, X: Any, y: Any, sample_weight: Any) -> Self:
        """Make a scorecard from the rules of a fitted machine; clones of it are trained in the folds."""
        self._check_parameters()
        read = read_rows(self, machine, X, y, sample_weight, self._seed(), machine._fitted)
        with self._progress(self._n_steps(read.plan)) as advance:
            advance("")  # the machine is trained
            remarks = self._find(machine_of(self), read, clauses_of(machine.model_), advance)
        warn_of_table(self._own_remarks(remarks))
        return self

    def _n_steps(self, plan: Plan) -> int:
        return plan.n_steps + n_searches(int(self.n_alternatives))

    def _check_parameters(self, stored: bool = False) -> None:
        check_rule_classifier(self, stored)

    def _machine(self) -> TsetlinClassifier:
        if self.estimator is not None:
            return machine_of(self)
        own = {name: getattr(self, name) for name in MACHINE_DEFAULTS if name != "booleanizer"}
        machine = default_machine(self.booleanizer, own)
        machine._part_of = PartOf(type(self).__name__)
        return machine

    def _find(
        self, machine: TsetlinClassifier, read: Read, clauses: Clauses, advance: Advance
    ) -> tuple[str, ...]:
        """Choose search and size by cross-validation, then search all rows, with clauses found on them.

        Returns what the user should know about the scorecard.
        """
        rows = read.rows
        constraints = rule_constraints(self, machine, rows.encoding, rows.outcome)
        space = SearchSpace(machine, rows, constraints)
        limits = Limits(
            self.max_literals, self.max_rules, self.max_features, int(self.max_points), constraints.n_literals
        )
        scoring = Scoring(self.scoring, rows.outcome)
        validation = cross_validate(machine, space, limits, scoring, read.plan, advance)
        validation = validation if self.n_alternatives else validation.of_the_chosen()
        calibration = validation.calibration
        card = final_card(space, validation.search, validation.size, clauses, limits, calibration)
        advance("")
        task = Task(space, limits, scoring, read.plan, clauses)
        self._set(
            card.rules,
            validation.path,
            card.slope,
            risk_table_of(space, validation.folds, validation.key, calibration, card),
            stability_of(card.rules, space, validation),
            find_alternatives(task, validation, card, int(self.n_alternatives), advance),
        )
        self.n_machine_rows_ = rows.n_sampled
        only_fixed = constraints.fixed and not calibration.is_informative
        remarks = naming_constraints(self, (ONLY_FIXED,) if only_fixed else calibration.remarks)
        return remarks if self.class_weight is None else (*remarks, _WEIGHTED)

    def _set(
        self,
        rules: RuleSet,
        path: CompactionPath,
        slope: float,
        risk_table: RiskTable | None = None,
        stability: Stability | None = None,
        alternatives: tuple[Alternative, ...] = (),
    ) -> None:
        """Store what was learned, all at once."""
        attributes = {
            "classes_": rules.outcome.labels,
            "pos_label_": rules.outcome.pos_label,
            "n_features_in_": rules.encoding.n_features,
            "slope_": slope,
            "path_": path,
            "stability_": stability,
            "alternatives_": alternatives,
            "rules_": rules,
        }
        if rules.encoding.names is not None:
            attributes["feature_names_in_"] = np.array(rules.encoding.names, dtype=object)
        if risk_table is not None:
            attributes["risk_table_"] = risk_table
        for name in ("feature_names_in_", "risk_table_"):  # of a previous fit
            self.__dict__.pop(name, None)
        self.__dict__.update(attributes)

    def _probability(self) -> Calibration:
        """How votes become probabilities: the risk table has the offset of the calibration."""
        offset = 0.0 if self.rules_.outcome.positive is None else float(self.risk_table_.offset)
        return Calibration(float(self.slope_), offset)

    def _owned_parts(self) -> dict[str, Any]:
        """What a Scorecard has beside the rules."""
        table = None if self.rules_.outcome.positive is None else self.risk_table_
        return {**vars(self._probability()), "risk_table": table, "class_weight": self.class_weight}

    # --- files ---

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file that `clausal.load` reads. The file contains no pickle.

        Parameters
        ----------
        path : str or path-like
            The file to write; docs/formats.md describes the format.
        """
        from clausal.files.rule_classifier import save

        save(self, path)
