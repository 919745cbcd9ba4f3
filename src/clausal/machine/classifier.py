"""TsetlinClassifier: TM, RWTM and IWTM as one scikit-learn classifier.

Here: what a user calls, and probabilities. Not here: what a regressor has too (estimator.py), the steps of
`fit` (read.py, configure.py, train.py), what votes mean for classes (clausal.outcome), the valid values of
parameters (settings.py).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from clausal.export.document import Calibration, MachineEstimate, Probability
from clausal.machine.estimator import TsetlinEstimator
from clausal.machine.inputs import check_classes
from clausal.machine.scored import Scored
from clausal.machine.settings import check_machine_parameters, check_partial_fit


class TsetlinClassifier(Scored, ClassifierMixin, TsetlinEstimator):  # type: ignore[misc]
    """A classifier made of short AND-rules with whole-number votes: an integer-weighted Tsetlin machine.

    `fit` chooses `n_clauses`, `threshold`, `specificity` and `n_epochs` by validation inside the training
    rows if all four are "auto" and weights are whole, without `max_weight`; else "auto" is a fixed value.

    Parameters
    ----------
    n_clauses : int or "auto", default="auto"
        Number of clauses (rules being learned) per bank, an even number: half of them vote for the class of
        the bank, half against it. Two classes share one bank; K > 2 classes have one bank each, or together
        with `sharing="clauses"`. Fixed: 100.
    threshold : int or "auto", default="auto"
        The vote T that training aims at. With a larger T, more clauses take part in each decision. Fixed: 64
        per clause, or 0.1 with `weighting="none"`.
    specificity : float, pair of floats or "auto", default="auto"
        s, at least 1. A larger s gives longer clauses. A pair is spread over the clauses. Fixed: 3.
    weighting : {"integer", "none", "real", "rwtla", "cpl_ats"}, default="integer"
        Weights: whole numbers (IWTM, RWTLA, CPL-ATS), all 1 (TM), or powers of 1 + `weight_gain` (RWTM).
    sharing : {None, "clauses"}, default=None
        "clauses": all classes have the same clauses, with a weight of any sign for each class (a coalesced
        machine). It needs `weighting="integer"`, `weight_floor=0` and no `monotonic_cst`.
    n_epochs : int or "auto", default="auto"
        Passes over the data. Fixed: 75.
    booleanizer : {"auto", "paper"}, None, Booleanizer or PatchEncoder, default="auto"
        How the table becomes boolean columns. None: X is boolean (or 0 and 1) already. "auto" makes up to 16
        columns per feature, or 32 where settings are chosen. PatchEncoder: X holds images or sequences.
    weight_floor : int, default=0
        Smallest integer weight. A clause of weight 0 casts no vote, but keeps learning and may come back.
    max_weight : number or None, default=None
        Largest weight.
    weight_gain : float, default=0.01
        Step of real weights: a reward multiplies the weight by 1 + `weight_gain`, a penalty divides it.
    n_states : int, default=128
        States per action of an automaton, 1 to 128.
    boost_true_positive : bool, default=False
        Reward true literals of a firing clause with probability 1 instead of (s - 1) / s.
    max_clause_literals : int or None, default=None
        A clause with more literals than this receives Type Ib instead of Type Ia feedback, which shortens it.
    drop_clause : float, default=0.0
        Probability that a clause sits out a block of 1024 training steps.
    negative_sampling : {"uniform", "focused"}, default="uniform"
        For more than two classes: which other bank a sample trains as a negative example. "focused" draws the
        bank in proportion to how wrong it is.
    class_weight : dict, "balanced" or None, default=None
        Multiplies sample weights by class.
    pos_label : class label or None, default=None
        The positive one of two classes, which votes and points are for; None means `classes_[1]`.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which features are categories, as in `Booleanizer`; not used when one is given.
    monotonic_cst : array-like of int, dict of str to int or None, default=None
        For two classes: how the vote for the positive class may change when a feature grows and all others
        stay the same. 1: it never falls; -1: it never rises; 0: no constraint. One entry per feature, or a
        dict by name. Categories without an order cannot be constrained; missing values are not compared.
    forbidden_features : array-like of str, int or bool, or None, default=None
        Features that no rule may use: names, positions or a boolean mask.
    early_stopping : bool, default=False
        Stop when the score on held-out data no longer improves, and keep the best epoch. The held-out data
        are the (first) `eval_set` of `fit`, or else `validation_fraction` of the rows.
    validation_fraction : float, default=0.1
        Share of the rows held out for early stopping.
    n_iter_no_change : int, default=10
        Number of epochs without improvement before early stopping.
    tol : float, default=0.0001
        Smallest improvement of the score that counts.
    warm_start : bool, default=False
        If True, a further `fit` continues from the present model, for `n_epochs` more.
    backend : {"auto", "cpu", "cuda", "reference"} or "cuda:N", default="auto"
        Where to compute. All backends give the same bits. "cuda" trains and votes on an NVIDIA GPU, "cuda:1"
        on the second one; it needs `pip install "clausal[cuda]"` and a driver. "auto" trains large machines
        on a GPU if one can be used, and everything else on the CPU. "reference" is plain NumPy, and slow.
    n_jobs : int or None, default=None
        Number of threads: over banks in training, over rows in prediction. None means 1, -1 all cores.
    random_state : int, RandomState or None, default=None
        The seed. The same seed, data and parameters give the same model, bit for bit, on every computer.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    classes_, pos_label_ : the class labels, ascending; the positive one of two, which `votes` are for
    n_features_in_, feature_names_in_ : number and names of the features seen in `fit`, names if all are str
    encoding_, columns_ : Encoding, how a table becomes boolean columns; the meaning of each
    model_ : ClauseModel, the arrays `include`, `weights`, `polarity` and `states`; cannot be replaced
    rules_ : RuleSet, the clauses that vote, as readable rules
    n_literals_ : int, literals in all clauses with a weight other than 0
    history_ : dict of lists with one entry per epoch: epoch, n_live_clauses, scores on held-out sets
    n_iter_ : int, epochs run by the last `fit`
    chosen_ : Chosen or None, the groups of clauses, their settings and the calibration that `fit` chose

    Examples
    --------
    >>> from clausal import TsetlinClassifier
    >>> from clausal.datasets import load_balance_scale
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> clf = TsetlinClassifier(n_epochs=20, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    classes_: NDArray[Any]
    pos_label_: Any
    _PARTS = ("model_", "encoding_", "classes_", "pos_label_", "chosen_")

    def __init__(
        self,
        n_clauses: int | str = "auto",
        *,
        threshold: int | str = "auto",
        specificity: float | tuple[float, float] | str = "auto",
        weighting: str = "integer",
        sharing: str | None = None,
        n_epochs: int | str = "auto",
        booleanizer: Any = "auto",
        weight_floor: int = 0,
        max_weight: float | None = None,
        weight_gain: float = 0.01,
        n_states: int = 128,
        boost_true_positive: bool = False,
        max_clause_literals: int | None = None,
        drop_clause: float = 0.0,
        negative_sampling: str = "uniform",
        class_weight: Any = None,
        pos_label: Any = None,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        forbidden_features: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-4,
        warm_start: bool = False,
        backend: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clauses = n_clauses
        self.threshold = threshold
        self.specificity = specificity
        self.weighting, self.sharing = weighting, sharing
        self.n_epochs = n_epochs
        self.booleanizer = booleanizer
        self.weight_floor, self.max_weight = weight_floor, max_weight
        self.weight_gain = weight_gain
        self.n_states = n_states
        self.boost_true_positive = boost_true_positive
        self.max_clause_literals = max_clause_literals
        self.drop_clause = drop_clause
        self.negative_sampling = negative_sampling
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.forbidden_features = forbidden_features
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.backend = backend
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # --- learning ---

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: Any = None,
        callbacks: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            A pandas, polars or pyarrow table, a NumPy array, or a sparse matrix of counts. Or data that are
            read in batches: Parquet files, a pyarrow Dataset, a polars LazyFrame or a DuckDB relation.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), or str
            Class labels, or the name of their column if `X` is read in batches (so may be `sample_weight`).
            Or an indicator matrix of 0 and 1: each row has any number of labels, and so have predictions.
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight w counts as w rows (on average, where w is not whole). Weights with a mean above
            10 (of those above 0, times `class_weight`) are scaled down to a mean of 10, with a warning.
        eval_set : pair (X, y) or list of pairs, default=None
            Held-out data, scored after every epoch.
        callbacks : callable or list of callables, default=None
            Called after every epoch with an `EpochEnd` (epoch, scores, weights); True ends the fit.
        checkpoint : path or Checkpoint, default=None
            A file that is written during the fit. If it exists, the fit goes on from it, to the same bits.

        Returns
        -------
        TsetlinClassifier
            The fitted estimator. After Ctrl-C it holds the model of the last completed epoch or, with early
            stopping, of the best one.
        """
        return self._fit(X, y, sample_weight, eval_set, callbacks, checkpoint)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # with these, several labels are refused
        plain = not self.early_stopping and self.class_weight is None and self.pos_label is None
        tags.classifier_tags.multi_label = plain
        return tags

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more chunk of rows, each visited once in the given order.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The encoding is learned from the first chunk and kept from then on.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like or None
            All class labels; needed in the first call.
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight w is visited w times (on average, where w is not whole).

        Returns
        -------
        TsetlinClassifier
            The estimator.
        """
        check_machine_parameters(self)
        check_partial_fit(self)
        known = check_classes(classes, self.classes_ if hasattr(self, "model_") else None)
        return self._partial_fit(X, y, sample_weight, known)

    # --- prediction ---

    def votes(self, X: Any) -> NDArray[Any]:
        """The votes: integers (floats with real weights), for `pos_label_` (n,), or (n, K) for K classes."""
        return super().votes(X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The votes as scores; for two classes above 0 if `classes_[1]` is predicted, never 0."""
        raw = self._raw_votes(X)
        return self._outcome.scores(raw, self.model_.scale)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row, or the labels of each row as an indicator matrix."""
        votes = self._raw_votes(X)
        return self._outcome.predictions(votes)

    def _probability(self) -> Probability:
        if self.chosen_ is None:
            return MachineEstimate(self.model_.threshold, self.model_.scale)
        slope = self.chosen_.slope
        return Calibration(slope, 0.0 if self._outcome.positive is None else slope / 2)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities [n, n_classes]: calibrated if `fit` chose the settings, else an estimate."""
        votes = self._raw_votes(X)
        return self._outcome.by_label(self._probability().of_raw(self._outcome, votes))
