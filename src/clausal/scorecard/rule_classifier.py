"""A classifier that is a scorecard: few rules with whole-number points, a constant, a risk for every score.

Here: parameters, the order of work in `fit`, prediction. Not here: the choice of rules (compaction.py), the
model file (files/scorecard.py).
"""

from __future__ import annotations

import os
import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.encoding import Encoding
from clausal.explain.mixin import Explainable
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.inputs import (
    check_classes_left,
    check_sample_weight,
    encode_labels,
    read_labels,
    row_count,
)
from clausal.machine.prediction import rule_votes
from clausal.machine.settings import PARAMETERS as MACHINE_PARAMETERS
from clausal.outcome import make_outcome
from clausal.parameters import Constraint, Instance, OneOf, Whole, check_parameters
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.candidates import MANY_ROWS, default_machines
from clausal.scorecard.compaction import Limits, Plan, Searched, Table, cross_validated, final_rules
from clausal.scorecard.folds import DistinctRows, Split, Splits, deal_folds, given_folds
from clausal.scorecard.path import CompactionPath
from clausal.scorecard.risk_table import RiskTable
from clausal.scorecard.scoring import Scoring, check_scoring_name

PARAMETERS: dict[str, tuple[Constraint, ...]] = {
    "estimator": (OneOf(None), Instance(TsetlinClassifier, "a TsetlinClassifier")),
    "max_literals": (OneOf(None), Whole(1, 10_000)),
    "max_rules": (OneOf(None), Whole(1, 10_000)),
    "max_points": (Whole(1, 100),),
    "cv": (OneOf(None), Whole(2, 1_000), Splits()),
    **{
        name: MACHINE_PARAMETERS[name]
        for name in (
            "booleanizer",
            "monotonic_cst",
            "forbidden_features",
            "n_jobs",
            "random_state",
            "verbose",
        )
    },
}
_OF_MACHINES = {"booleanizer": "auto", "monotonic_cst": None, "forbidden_features": None}
_FEW_ROWS = 2_000  # below, folds are repeated


class RuleClassifier(Explainable, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scorecard: short rules with whole-number points, a constant, and a calibrated risk for every score.

    Machines are trained; their clauses, the same with a literal less, and single literals compete.
    How many literals, which search, the decision cut-off and the calibration are chosen by cross-validation
    inside the data given to `fit`, the machines being trained anew for each fold.

    Parameters
    ----------
    estimator : TsetlinClassifier or None, default=None
        The machine whose clauses to choose from; None trains a few with different specificities.
    max_literals : int or None, default=None
        Most literals of the whole model; None looks at sizes up to 40.
    max_rules : int or None, default=None
        Most rules of the whole model.
    scoring : str or callable, default="f1"
        What to choose by: the name of a scikit-learn scorer, or a callable `scorer(estimator, X, y,
        sample_weight)` that sees class codes as y. With more than two classes "f1" stands for "f1_macro".
    max_points : int, default=10
        Most points of one rule.
    cv : int, splitter, list of pairs (train, test) of row positions, or None, default=None
        How to cross-validate. An int is a number of folds; None stands for 5, twice over below 2,000 rows,
        and 3 from 20,000 rows on. In these folds a row and its copies stay together, unless they are a tenth
        of their class.
    booleanizer : {"auto", "paper"}, None or Booleanizer, default="auto"
        How the table becomes boolean columns; see TsetlinClassifier. "auto" makes at most 12 columns of a
        feature. Must be "auto" when `estimator` is given, which has its own.
    monotonic_cst, forbidden_features : see TsetlinClassifier, default=None
        Constraints on the rules. Must be None when `estimator` is given, which has its own.
    n_jobs : int or None, default=None
        Folds worked on at a time; None means 1.
    random_state : int, RandomState or None, default=None
        Seed of the machines and the folds.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    rules_ : RuleSet
        The scorecard: its votes decide.
    risk_table_ : RiskTable
        The calibrated probability of the second class for every score; only with two classes.
    path_ : CompactionPath
        Literals against validated score.
    classes_, n_features_in_, feature_names_in_, encoding_
        As in TsetlinClassifier.
    slope_ : float
        Log-odds per point.
    n_literals_ : int
        Literals of the scorecard.

    Examples
    --------
    >>> from clausal import RuleClassifier
    >>> from clausal.datasets import load_heart_disease
    >>> X, y = load_heart_disease(return_X_y=True)
    >>> clf = RuleClassifier(max_literals=6, random_state=0).fit(X, y)
    >>> clf.n_literals_ <= 6
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        max_literals: int | None = None,
        max_rules: int | None = None,
        scoring: Any = "f1",
        max_points: int = 10,
        cv: int | None = None,
        booleanizer: Any = "auto",
        monotonic_cst: Any = None,
        forbidden_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.max_literals = max_literals
        self.max_rules = max_rules
        self.scoring = scoring
        self.max_points = max_points
        self.cv = cv
        self.booleanizer = booleanizer
        self.monotonic_cst = monotonic_cst
        self.forbidden_features = forbidden_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # --- learning ---

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train machines on a table and make a scorecard of their rules.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            A pandas, polars or pyarrow table, a NumPy array, or a sparse matrix of 0 and 1.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None
            What each row counts. Weights that average below 1 are scaled to average 1, as a row of weight w
            is visited w times per epoch. A row of weight w is w copies of it in the folds too (see `cv`): in
            a class of ten rows or fewer, weights of 2 and more put a row on both sides. A splitter given as
            `cv` never does.

        Returns
        -------
        RuleClassifier
            The fitted estimator.
        """
        self._check_parameters()
        seed = self._seed()
        table, plan = self._read(X, y, sample_weight, seed)
        machines = self._machines(int(table.weights.sum()))
        self._compact(table, machines, table.train(machines, seed), plan)
        return self

    def _fit_from(self, machine: TsetlinClassifier, X: Any, y: Any, sample_weight: Any) -> Self:
        """Make a scorecard of a fitted machine's rules; clones of it are trained for the folds."""
        self._check_parameters()
        table, plan = self._read(X, y, sample_weight, self._seed(), machine.classes_)
        self._compact(table, [clone(machine)], [machine], plan)
        return self

    def _check_parameters(self) -> None:
        check_parameters(self, PARAMETERS)
        check_scoring_name(self.scoring, type(self).__name__)
        for name, default in _OF_MACHINES.items():
            if self.estimator is not None and not OneOf(default).accepts(getattr(self, name)):
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} must be {default!r} when 'estimator' "
                    f"is given, which has its own. Got {getattr(self, name)!r}."
                )

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _machines(self, n_rows: int) -> list[TsetlinClassifier]:
        if self.estimator is not None:
            return [clone(self.estimator)]
        constraints = {"monotonic_cst": self.monotonic_cst, "forbidden_features": self.forbidden_features}
        return default_machines(n_rows, self.booleanizer, constraints)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, seed: int, known: NDArray[Any] | None = None
    ) -> tuple[Table, Plan]:
        """The different rows, each with the weight of all its copies, and how to cross-validate on them."""
        labels = read_labels(y, row_count(X))
        weights = check_sample_weight(sample_weight, len(labels))
        classes, codes = encode_labels(labels, known)
        if weights is not None and not weights.any():
            raise ValueError("sample_weight must be above zero in at least one row. Got only zeros.")
        check_classes_left(classes, codes, weights)
        every = np.ones(len(codes)) if weights is None else _at_least_one_on_average(weights)
        rows = DistinctRows.of(X, codes, every)
        table = Table(rows.X, rows.codes, rows.weights, make_outcome(classes))
        if self.cv is None or isinstance(self.cv, Integral):
            splits = self._folds(table, seed)
        else:
            splits = given_folds(self.cv, codes, every, rows, type(self).__name__)
        _warn_of_classes_never_held_out(table, splits)
        return table, Plan(splits, self.n_jobs, seed, bool(self.verbose))

    def _folds(self, table: Table, seed: int) -> list[Split]:
        n_rows = len(table.codes)
        n_folds = int(self.cv) if self.cv is not None else (3 if n_rows >= MANY_ROWS else 5)
        n_repeats = 2 if self.cv is None and n_rows < _FEW_ROWS else 1
        return [
            split
            for repeat in range(n_repeats)
            for split in deal_folds(table.codes, table.weights, n_folds, seed + repeat)
        ]

    def _compact(
        self, table: Table, machines: list[TsetlinClassifier], fitted: list[TsetlinClassifier], plan: Plan
    ) -> None:
        limits = Limits(self.max_literals, self.max_rules, int(self.max_points))
        searched = Searched(fitted, table)
        scoring = Scoring(self.scoring, table.outcome)
        path, strategy, size, chosen = cross_validated(machines, table, limits, scoring, plan)
        context = RuleSet((), fitted[0].encoding_, table.outcome)
        rules, slope, offset = final_rules(searched, context, strategy, size, limits, chosen)
        self._set(rules, path, slope)
        if rules.outcome.positive is not None:
            votes = rules.outcome.flat(rule_votes(rules, table.X))
            self.risk_table_ = RiskTable.of(votes, table.codes, table.weights, slope, offset)

    def _set(self, rules: RuleSet, path: CompactionPath, slope: float) -> None:
        for name in ("feature_names_in_", "risk_table_"):  # of a former fit
            self.__dict__.pop(name, None)
        self.classes_ = rules.classes
        self.n_features_in_ = rules.encoding.n_features
        if rules.encoding.names is not None:
            self.feature_names_in_ = np.array(rules.encoding.names, dtype=object)
        self.slope_, self.path_, self.rules_ = slope, path, rules

    # --- prediction ---

    @property
    def n_literals_(self) -> int:
        """Literals of the scorecard."""
        check_is_fitted(self, "rules_")
        return self.rules_.n_literals

    @property
    def encoding_(self) -> Encoding:
        """How a table becomes boolean columns."""
        check_is_fitted(self, "rules_")
        return self.rules_.encoding

    def set_policy(self, **policy: str) -> Self:
        """Change what the fitted model does with values that training did not have.

        `policy` holds `handle_unknown` and `handle_missing`, as in Booleanizer.
        """
        self.rules_ = self.rules_.with_encoding(self.encoding_.with_policy(**policy))
        return self

    def _votes(self, X: Any) -> NDArray[np.int64]:
        """Votes [n, banks]."""
        check_is_fitted(self, "rules_")
        return rule_votes(self.rules_, X, type(self).__name__)

    def votes(self, X: Any) -> NDArray[np.int64]:
        """The scores: constant plus points, shape (n,) for two classes, (n, K) for more."""
        votes = self._votes(X)
        return self.rules_.outcome.flat(votes)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The votes as scores; for two classes half a point more, so that its sign is the decision."""
        votes = self._votes(X)
        return self.rules_.outcome.scores(votes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        votes = self._votes(X)
        labels: NDArray[Any] = self.classes_[self.rules_.outcome.decide(votes)]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Calibrated class probabilities, shape (n, n_classes).

        With two classes the decision may fall at another probability than one half, as `scoring` asks.
        """
        votes, outcome = self._votes(X), self.rules_.outcome
        offset = 0.0 if outcome.positive is None else self.risk_table_.offset
        return outcome.calibrated_probabilities(votes, self.slope_, offset)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file that `clausal.load` reads; no pickle inside.

        Parameters
        ----------
        path : str or path-like
            The file to write; docs/formats.md describes it.
        """
        from clausal.files.scorecard import save

        save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rules_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        chosen = getattr(self.estimator, "booleanizer", self.booleanizer)
        mode = chosen.mode if isinstance(chosen, Booleanizer) else chosen
        tags.input_tags.allow_nan = tags.input_tags.string = mode not in (None, "boolean")
        return tags


def _warn_of_classes_never_held_out(table: Table, splits: list[Split]) -> None:
    """Say so, to the caller of `fit`, where the risk of a class cannot be validated."""
    held = np.sum([split.held for split in splits], axis=0)
    for code, label in enumerate(table.classes.tolist()):
        if not np.any(held[table.codes == code]):
            warnings.warn(
                f"No row of class {label!r} is ever held out (a class needs two different rows for that): "
                "neither its risk nor the decision is validated.",
                UserWarning,
                stacklevel=4,
            )


def _at_least_one_on_average(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights, scaled up to average 1 where those above 0 average less."""
    return weights / min(1.0, float(weights[weights > 0].mean()))
