"""TsetlinClassifier: TM, RWTM and IWTM as one scikit-learn classifier.

Here: what a user calls, labels, and what votes mean for classes. Not here: the flow that every Tsetlin
estimator shares (_base.py) and the valid values of parameters (settings.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.booleanizer import Booleanizer
from clausal.engine.config import EngineConfig
from clausal.engine.protocol import EngineState
from clausal.explain.mixin import Explainable
from clausal.machine._base import BaseTsetlin, Samples, require_table_memory
from clausal.machine.inputs import (
    check_callbacks,
    check_classes,
    check_classes_left,
    check_eval_set,
    check_sample_weight,
    class_weights,
    combine_weights,
    encode_labels,
    read_labels,
    row_count,
    warn_of_odd_weights,
)
from clausal.machine.loop import Scorer, Stopping
from clausal.machine.prediction import compiled_model
from clausal.machine.probabilities import binary_probabilities, multiclass_probabilities
from clausal.machine.settings import check_partial_fit
from clausal.machine.visits import hold_out, rows_by_content, visits_in_order


class TsetlinClassifier(ClassifierMixin, TransformerMixin, Explainable, BaseTsetlin):  # type: ignore[misc]
    """A classifier made of short AND-rules with whole-number votes: an integer-weighted Tsetlin machine.

    Parameters
    ----------
    n_clauses : int, default=100
        Clauses (rules being learned) per bank, even: half vote for, half against. Two classes share one
        bank, K > 2 classes have one bank each.
    threshold : int or "auto", default="auto"
        The vote T that learning aims at. Larger: more clauses take part in each decision.
    specificity : float or pair of floats, default=3.0
        s >= 1. Larger: longer clauses. A pair (low, high) is spread over the clauses.
    weighting : {"integer", "none", "real"}, default="integer"
        Weights of the clauses: whole numbers (IWTM), all 1 (TM), or powers of 1 + `weight_gain` (RWTM).
    n_epochs : int, default=75
        Passes over the data.
    booleanizer : {"auto", "paper"}, None or Booleanizer, default="auto"
        How the table becomes boolean columns. None: X is boolean (or 0 and 1) already.
    weight_floor : int, default=0
        Least integer weight. At 0 a clause is switched off, goes on learning and may come back.
    max_weight : number or None, default=None
        Greatest weight.
    weight_gain : float, default=0.01
        Step of real weights: a reward multiplies by 1 + `weight_gain`, a penalty divides.
    n_states : int, default=128
        States per action of an automaton, 1 to 128.
    boost_true_positive : bool, default=False
        Reward true literals of a firing clause with probability 1 in place of (s - 1) / s.
    max_clause_literals : int or None, default=None
        A clause longer than this is shortened in place of rewarded.
    drop_clause : float, default=0.0
        Probability that a clause sits out a block of 1024 training steps.
    negative_sampling : {"uniform", "focused"}, default="uniform"
        For more than two classes: which other bank a sample trains as negative. Focused: in proportion to
        how wrong that bank is.
    class_weight : dict, "balanced" or None, default=None
        Multiplies sample weights by class.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which features are categories, as in `Booleanizer`; not used when one is given.
    monotonic_cst : array-like of int, dict of str to int or None, default=None
        For two classes: how the vote for `classes_[1]` may move when a feature grows, all else equal. 1: it
        never falls, -1: it never rises, 0: both. One entry per feature, or a dict by name. Not for
        categories without an order; missing values are free.
    forbidden_features : array-like of str, int or bool, or None, default=None
        Features that no rule may use: names, positions or a mask.
    early_stopping : bool, default=False
        Stop when the score on held-out data no longer rises, and keep the best epoch. Held out is the
        (first) `eval_set` of `fit`, or else `validation_fraction` of the rows.
    validation_fraction : float, default=0.1
        Share of the rows held out for early stopping.
    n_iter_no_change : int, default=10
        Epochs without a rise before early stopping.
    tol : float, default=0.0001
        Least rise of the score that counts.
    warm_start : bool, default=False
        A further `fit` goes on from the present model, for `n_epochs` more.
    backend : {"auto", "cpu", "reference"}, default="auto"
        Where to compute; all give the same bits. "reference" is slow, plain NumPy.
    n_jobs : int or None, default=None
        Threads: over banks when training, over rows when predicting. None is 1, -1 all cores.
    random_state : int, RandomState or None, default=None
        Seed. The same seed, data and parameters give the same model, bit for bit, everywhere.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    classes_ : ndarray
        The class labels; `classes_[1]` is the positive class of two.
    n_features_in_, feature_names_in_
        Number and names of the features seen in `fit`.
    booleanizer_ : Booleanizer
        The fitted encoder.
    columns_ : tuple of Column
        The meaning of each boolean column.
    model_ : ClauseModel
        The fitted arrays `include`, `weights`, `polarity`, `states`, and `step`.
    rules_ : RuleSet
        The clauses that vote, as readable rules.
    n_literals_ : int
        Literals in all clauses with weight above 0.
    history_ : dict of lists
        One entry per epoch: epoch, number of live clauses, scores on held-out sets.
    n_iter_ : int
        Epochs run by the last `fit`.

    Notes
    -----
    `fit` does not depend on the order of the rows, and an integer sample weight gives the very model that
    repeating the row gives.

    Examples
    --------
    >>> from clausal import TsetlinClassifier
    >>> from clausal.datasets import load_balance_scale
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> clf = TsetlinClassifier(n_epochs=20, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_clauses: int = 100,
        *,
        threshold: int | str = "auto",
        specificity: float | tuple[float, float] = 3.0,
        weighting: str = "integer",
        n_epochs: int = 75,
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
        self.weighting = weighting
        self.n_epochs = n_epochs
        self.booleanizer = booleanizer
        self.weight_floor = weight_floor
        self.max_weight = max_weight
        self.weight_gain = weight_gain
        self.n_states = n_states
        self.boost_true_positive = boost_true_positive
        self.max_clause_literals = max_clause_literals
        self.drop_clause = drop_clause
        self.negative_sampling = negative_sampling
        self.class_weight = class_weight
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
        self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None, callbacks: Any = None
    ) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            A pandas, polars or pyarrow table, a NumPy array, or a sparse matrix of 0 and 1.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight w is visited w times per epoch (on average, where w is not whole).
        eval_set : pair (X, y) or list of pairs, default=None
            Held-out data, scored after every epoch.
        callbacks : callable or list of callables, default=None
            Each is called after every epoch with an `EpochEnd` (epoch, scores, weights); returning True
            ends the fit.

        Returns
        -------
        TsetlinClassifier
            The fitted estimator. After Ctrl-C it holds the model of the last whole epoch, with early stopping
            that of the best one.
        """
        with self._undone_on_failure():
            self._check_parameters()
            called, sets = check_callbacks(callbacks), check_eval_set(eval_set)
            resuming = bool(self.warm_start) and hasattr(self, "model_")
            if not resuming:
                self.__dict__.pop("model_", None)
            samples = self._read_samples(X, y, self.classes_ if resuming else None, sample_weight)
            factors = class_weights(self.class_weight, self.classes_, samples.codes, samples.weights)
            weights = combine_weights(samples.weights, factors, samples.codes)
            check_classes_left(self.classes_, samples.codes, weights)
            warn_of_odd_weights(weights)
            held_out = {name: self._read_held_out(*pair) for name, pair in sets.items()}
            seed = self.model_.seed if resuming else self._new_seed()
            if self.early_stopping and not held_out:
                samples, held_out["validation"] = self._split(samples, seed)
                weights = combine_weights(samples.weights, factors, samples.codes)
            samples = Samples(samples.literals, samples.codes, weights)
            stopping = None
            if self.early_stopping:
                stopping = Stopping(next(iter(held_out)), int(self.n_iter_no_change), float(self.tol))
            self._train(samples, self._n_banks, seed, partial(self._scorer, held_out), stopping, called)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more chunk of rows, each visited once in the order given.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The first chunk also fits the booleanizer, which is kept from then on.
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
        with self._undone_on_failure():
            self._check_parameters()
            check_partial_fit(self)
            first = not hasattr(self, "model_")
            known = check_classes(classes, None if first else self.classes_)
            samples = self._read_samples(X, y, known, sample_weight)
            literals, codes = samples.literals, samples.codes
            factors = class_weights(self.class_weight, known, codes, samples.weights)
            weights = combine_weights(samples.weights, factors, codes)
            config = self._config(self._n_banks, self._new_seed() if first else self.model_.seed)
            engine = self._make_engine(config) if first else self._resumed_engine(config)
            epoch, row = (0, 0) if first else (self.model_.epoch, self.model_.row)
            self._require_visit_memory(Samples(literals, codes, weights))
            engine.fit_epoch(literals, codes, visits_in_order(weights, len(codes), config.seed, row))
            self.model_ = self._to_model(config, engine.export_state(), epoch=epoch, row=row + len(codes))
            self.history_, self.n_iter_ = {} if first else self.history_, 1
        return self

    # --- labels and held-out data ---

    @property
    def _n_banks(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _read_samples(self, X: Any, y: Any, known: NDArray[Any] | None, sample_weight: Any) -> Samples:
        """Training data, encoded; without a model the booleanizer and the classes are learned from it."""
        if sparse.issparse(X):  # its features are the columns, so this is known before X is read
            require_table_memory(X)
        labels = read_labels(y, row_count(X))
        weights = check_sample_weight(sample_weight, len(labels))
        classes, codes = encode_labels(labels, known)
        if known is None:
            check_classes_left(classes, codes, None)
        self.classes_ = classes
        fitted = hasattr(self, "model_")
        literals = self._encode(X) if fitted else self._fit_booleanizer(X, weights)
        return Samples(literals, codes, weights)

    def _read_held_out(self, X: Any, y: Any) -> Samples:
        try:
            labels = read_labels(y, row_count(X))
            literals = self._literals(X)
            return Samples(literals, encode_labels(labels, self.classes_)[1])
        except ValueError as error:
            raise ValueError(f"In eval_set: {error}") from error

    def _split(self, samples: Samples, seed: int) -> tuple[Samples, Samples]:
        """Hold out a share of the rows, the same share of every class."""
        literals, codes, weights = samples.literals, samples.codes, samples.weights
        self._require_visit_memory(samples)
        try:
            rows = rows_by_content(literals, codes, weights)
            parts = hold_out(rows, codes, weights, float(self.validation_fraction), seed)
        except ValueError as error:
            raise ValueError(
                f"The 'validation_fraction' parameter of {type(self).__name__} must hold out, and leave, at "
                f"least one row of each class. Got {self.validation_fraction!r} of {len(codes)} rows in "
                f"{len(self.classes_)} classes, the smallest of {np.bincount(codes).min()} row(s)."
            ) from error
        train, test = (Samples(literals[part.rows], codes[part.rows], part.weights) for part in parts)
        return train, test

    def _scorer(self, held_out: Mapping[str, Samples], config: EngineConfig) -> Scorer | None:
        """Accuracy on each held-out set, where there is one."""
        if not held_out:
            return None

        def score(state: EngineState) -> dict[str, float]:
            scores: dict[str, float] = {}
            clauses = compiled_model(self._to_model(config, state, epoch=0, row=0), self._backend)
            for name, samples in held_out.items():
                right = self._decide(clauses.votes(samples.literals, self._n_threads)) == samples.codes
                scores[name] = float(np.average(right, weights=samples.weights))
            return scores

        return score

    # --- prediction ---

    def _decide(self, raw: NDArray[np.int64]) -> NDArray[np.intp]:
        """Class indices: v >= 0 for two classes, the highest vote (the first on a tie) for more."""
        return (raw[:, 0] >= 0).astype(np.intp) if raw.shape[1] == 1 else raw.argmax(axis=1)

    def votes(self, X: Any) -> NDArray[Any]:
        """The votes: integers (floats with real weights), shape (n,) for two classes, (n, K) for more."""
        raw = self._raw_votes(X)
        scaled = raw if self.model_.scale == 1 else raw / self.model_.scale
        return scaled[:, 0] if scaled.shape[1] == 1 else scaled

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The votes as scores; for two classes half a unit more, so that its sign is the decision."""
        raw = self._raw_votes(X)
        if raw.shape[1] == 1:
            return (raw[:, 0] + 0.5) / self.model_.scale
        return raw / self.model_.scale

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        decided = self._decide(self._raw_votes(X))
        labels: NDArray[Any] = self.classes_[decided]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The machine's own estimate of class probabilities, shape (n, n_classes); not calibrated."""
        raw = self._raw_votes(X)
        if raw.shape[1] == 1:
            return binary_probabilities(raw[:, 0], self.model_.threshold)
        return multiclass_probabilities(raw, self.model_.threshold, self.model_.scale)

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Which clauses fire: uint8, shape (n, banks * clauses), banks side by side."""
        literals = self._encode(X)
        model = self.model_
        return self._backend.clause_outputs(model.packed_include, literals, self._n_threads)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of what `transform` returns: `clause0`, ..., or `<class>_clause0`, ... with several banks."""
        check_is_fitted(self, "model_")
        if input_features is not None:
            self.booleanizer_.get_feature_names_out(input_features)  # which refuses other features' names
        banks = [""] if self.model_.n_banks == 1 else [f"{label}_" for label in self.classes_]
        names = [f"{bank}clause{j}" for bank in banks for j in range(self.model_.n_clauses)]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        mode = self.booleanizer.mode if isinstance(self.booleanizer, Booleanizer) else self.booleanizer
        tags.input_tags.allow_nan = tags.input_tags.string = mode not in (None, "boolean")
        tags.transformer_tags.preserves_dtype = []
        return tags
