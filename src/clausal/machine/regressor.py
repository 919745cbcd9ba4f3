"""TsetlinRegressor: a Tsetlin machine that predicts numbers.

Here: what a user calls. Not here: what a classifier has too (estimator.py), how numbers become votes, and the
loss (targets.py), the steps of `fit` (read.py, configure.py, train.py), the valid values of parameters
(settings.py).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from clausal.machine.estimator import TsetlinEstimator
from clausal.machine.scored import Scored
from clausal.machine.settings import check_machine_parameters, check_partial_fit


class TsetlinRegressor(Scored, RegressorMixin, TsetlinEstimator):  # type: ignore[misc]
    """A regressor made of short AND-rules: the points of those that hold add up to the prediction.

    All clauses vote for: a prediction is the low end of the range of y, plus a unit times the vote.

    Parameters
    ----------
    n_clauses : int or "auto", default="auto"
        Number of clauses (rules being learned). "auto" means 800.
    threshold : int or "auto", default="auto"
        T, the vote for the high end of the range; a vote of 0 is for the low end. "auto" means 16 per clause,
        or 0.25 with `weighting="none"`.
    specificity : float, pair of floats or "auto", default="auto"
        s, at least 1. A larger s gives longer clauses. A pair is spread over the clauses. "auto" means 3.
    loss : {"squared_error", "absolute_error", "quantile"}, default="squared_error"
        What is learned: the mean, the median or a quantile of y.
    quantile : float or None, default=None
        The quantile, between 0 and 1, for `loss="quantile"`; None for the others.
    weighting : {"integer", "none", "real"}, default="integer"
        Weights: whole numbers, all 1, or powers of 1 + `weight_gain`.
    n_epochs : int or "auto", default="auto"
        Passes over the data. "auto" means 100.
    target_range : pair of floats or None, default=None
        The lowest and the highest number that is predicted. Numbers in y beyond them count as the nearest,
        with a warning. None means those of y in the first `fit` or `partial_fit`.
    booleanizer : {"auto", "paper"}, None, Booleanizer or PatchEncoder, default="auto"
        How the table becomes boolean columns. None: X is boolean (or 0 and 1) already. "auto" makes up to 16
        columns per feature. PatchEncoder: X holds images or sequences.
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
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which features are categories, as in `Booleanizer`; not used when one is given.
    monotonic_cst : array-like of int, dict of str to int or None, default=None
        How the prediction may change when a feature grows and all others stay the same. 1: it never falls;
        -1: it never rises; 0: no constraint. One entry per feature, or a dict by name. Categories without an
        order cannot be constrained; missing values are not compared.
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
        Number of threads: over clauses in training, if there are many; over rows in prediction. None means 1,
        -1 all cores.
    random_state : int, RandomState or None, default=None
        The seed. The same seed, data and parameters give the same model, bit for bit, on every computer.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : number and names of the features seen in `fit`, names if all are str
    encoding_, columns_ : Encoding, how a table becomes boolean columns; the meaning of each
    model_ : ClauseModel, the arrays `include`, `weights`, `polarity` and `states`; cannot be replaced
    rules_ : RuleSet, the clauses that vote, as readable rules
    n_literals_ : int, literals in all clauses with weight above 0
    history_ : dict of lists with one entry per epoch: epoch, n_live_clauses, scores on held-out sets (R2, or
        for other losses D2, the share of the loss of the best constant that predictions save)
    n_iter_ : int, epochs run by the last `fit`

    Examples
    --------
    >>> from clausal import TsetlinRegressor
    >>> from sklearn.datasets import make_friedman1
    >>> X, y = make_friedman1(500, random_state=0)
    >>> reg = TsetlinRegressor(random_state=0).fit(X, y)
    >>> reg.score(X, y) > 0.9
    True
    """

    _predicts_numbers = True

    def __init__(
        self,
        n_clauses: int | str = "auto",
        *,
        threshold: int | str = "auto",
        specificity: float | tuple[float, float] | str = "auto",
        loss: str = "squared_error",
        quantile: float | None = None,
        weighting: str = "integer",
        n_epochs: int | str = "auto",
        target_range: Any = None,
        booleanizer: Any = "auto",
        weight_floor: int = 0,
        max_weight: float | None = None,
        weight_gain: float = 0.01,
        n_states: int = 128,
        boost_true_positive: bool = False,
        max_clause_literals: int | None = None,
        drop_clause: float = 0.0,
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
        self.loss = loss
        self.quantile = quantile
        self.weighting = weighting
        self.n_epochs = n_epochs
        self.target_range = target_range
        self.booleanizer = booleanizer
        self.weight_floor = weight_floor
        self.max_weight = max_weight
        self.weight_gain = weight_gain
        self.n_states = n_states
        self.boost_true_positive = boost_true_positive
        self.max_clause_literals = max_clause_literals
        self.drop_clause = drop_clause
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
        y : array-like of shape (n_samples,) or str
            Numbers, or the name of their column if `X` is read in batches (so may be `sample_weight`).
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight w counts as w rows (on average, where w is not whole). Weights with a mean above
            10 (of those above 0) are scaled down to a mean of 10, with a warning.
        eval_set : pair (X, y) or list of pairs, default=None
            Held-out data, scored after every epoch.
        callbacks : callable or list of callables, default=None
            Called after every epoch with an `EpochEnd` (epoch, scores, weights); True ends the fit.
        checkpoint : path or Checkpoint, default=None
            A file that is written during the fit. If it exists, the fit goes on from it, to the same bits.

        Returns
        -------
        TsetlinRegressor
            The fitted estimator. After Ctrl-C it holds the model of the last completed epoch or, with early
            stopping, of the best one.
        """
        return self._fit(X, y, sample_weight, eval_set, callbacks, checkpoint)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from one more chunk of rows, each visited once in the given order.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The encoding is learned from the first chunk and kept from then on.
        y : array-like of shape (n_samples,)
            Numbers. Without `target_range`, the first chunk sets the range.
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight w is visited w times (on average, where w is not whole).

        Returns
        -------
        TsetlinRegressor
            The estimator.
        """
        check_machine_parameters(self)
        check_partial_fit(self)
        return self._partial_fit(X, y, sample_weight)

    # --- prediction ---

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number for each row."""
        votes = self._banked_votes(X)  # first, as it requires a fitted estimator
        numbers: NDArray[np.float64] = self._outcome.predictions(votes)
        return numbers

    def _probability(self) -> None:  # type: ignore[override]  # numbers have none
        return None
