"""TsetlinClassifier: TM, RWTM and IWTM as one scikit-learn classifier.

Here: what a user calls, labels, and what votes mean for classes. Not here: the flow that every Tsetlin
estimator shares (_base.py) and the valid values of parameters (settings.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import Tags, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from clausal.engine.config import EngineConfig
from clausal.engine.protocol import EngineState
from clausal.estimators._base import BaseTsetlin, Literals
from clausal.estimators.inputs import (
    Weights,
    check_callbacks,
    check_eval_set,
    check_sample_weight,
    class_weights,
    combine_weights,
)
from clausal.estimators.probabilities import binary_probabilities, multiclass_probabilities
from clausal.training.loop import Plan, Stopping, Training
from clausal.training.order import EpochOrder, visits_in_order

Codes = NDArray[np.int32]
HeldOut = dict[str, tuple[Literals, Codes]]


class TsetlinClassifier(ClassifierMixin, TransformerMixin, BaseTsetlin):  # type: ignore[misc]
    """A classifier made of short AND-rules with whole-number votes: an integer-weighted Tsetlin machine.

    Parameters
    ----------
    n_clauses : int, default=100
        Clauses (rules being learned) per bank, even: half vote for, half against. Two classes share one
        bank, K > 2 classes have one bank each.
    threshold : int or "auto", default="auto"
        The vote T that learning aims at. Larger: more clauses take part in each decision.
    specificity : float or pair of floats, default=2.0
        s >= 1. Larger: longer clauses. A pair (low, high) is spread over the clauses.
    weighting : {"integer", "none", "real"}, default="integer"
        Weights of the clauses: whole numbers (IWTM), all 1 (TM), or powers of 1 + `weight_gain` (RWTM).
    n_epochs : int, default=100
        Passes over the data.
    booleanizer : {"auto", "paper"}, None or Booleanizer, default="auto"
        How the table becomes boolean columns. None: X is boolean (or 0 and 1) already.
    weight_floor : int, default=0
        Least integer weight. At 0 a clause is switched off, goes on learning and may come back.
    max_weight : number or None, default=None
        Greatest weight.
    weight_gain : float, default=0.1
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
        specificity: float | tuple[float, float] = 2.0,
        weighting: str = "integer",
        n_epochs: int = 100,
        booleanizer: Any = "auto",
        weight_floor: int = 0,
        max_weight: float | None = None,
        weight_gain: float = 0.1,
        n_states: int = 128,
        boost_true_positive: bool = False,
        max_clause_literals: int | None = None,
        drop_clause: float = 0.0,
        negative_sampling: str = "uniform",
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
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
            The fitted estimator. After Ctrl-C it holds the model of the last whole epoch.
        """
        self._check_parameters()
        called, sets = check_callbacks(callbacks), check_eval_set(eval_set)
        resuming = bool(self.warm_start) and hasattr(self, "model_")
        codes = self._check_labels(y, None if not resuming else self.classes_)
        weights = check_sample_weight(sample_weight, len(codes))
        if resuming:
            literals = self._encode(X)
        else:
            self.__dict__.pop("model_", None)
            literals = self._fit_booleanizer(X, weights)
            self._copy_input_names()
        check_consistent_length(literals, codes)
        weights = self._visit_weights(codes, weights)
        held_out = {name: self._held_out(*pair) for name, pair in sets.items()}
        seed = self.model_.seed if resuming else self._new_seed()
        if self.early_stopping and not held_out:
            literals, codes, weights, held_out = self._split(literals, codes, weights, seed)
        self._train(literals, codes, weights, held_out, called, seed)
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
        self._check_parameters()
        self._check_partial_fit_parameters()
        first = not hasattr(self, "model_")
        known = self._check_classes(classes, first)
        codes = self._check_labels(y, known)
        weights = check_sample_weight(sample_weight, len(codes))
        if first:
            literals = self._fit_booleanizer(X, weights)
            self._copy_input_names()
        else:
            literals = self._encode(X)
        check_consistent_length(literals, codes)
        factors = class_weights(self.class_weight, self.classes_, codes, weights)
        if factors is not None:
            weights = factors[codes] * (1.0 if weights is None else weights)
        config = self._config(self._n_banks, self._new_seed() if first else self.model_.seed)
        engine = self._make_engine(config) if first else self._resumed_engine(config)
        epoch, row = (0, 0) if first else (self.model_.epoch, self.model_.row)
        engine.fit_epoch(literals, codes, visits_in_order(weights, len(codes), config.seed, row))
        self.model_ = self._to_model(config, engine.export_state(), epoch=epoch, row=row + len(codes))
        self.history_, self.n_iter_ = getattr(self, "history_", {}), 1
        return self

    def _train(
        self,
        literals: Literals,
        codes: Codes,
        weights: Weights | None,
        held_out: HeldOut,
        callbacks: tuple[Callable[[Any], object], ...],
        seed: int,
    ) -> None:
        config = self._config(self._n_banks, seed)
        resuming = hasattr(self, "model_")
        engine = self._resumed_engine(config) if resuming else self._make_engine(config)
        epoch, row = (self.model_.epoch, self.model_.row) if resuming else (0, 0)
        stopping = None
        if self.early_stopping:
            stopping = Stopping(next(iter(held_out)), int(self.n_iter_no_change), float(self.tol))
        plan = Plan(
            n_epochs=int(self.n_epochs),
            first_epoch=epoch,
            score=self._scorer(config, held_out),
            weights=config.rule.weights,
            callbacks=callbacks,
            stopping=stopping,
            show_progress=bool(self.verbose),
        )
        training = Training(engine, plan)
        try:
            training.run(literals, codes, EpochOrder(literals, codes, weights, seed))
        finally:
            if training.state is not None:
                done = epoch + training.epoch
                self.model_ = self._to_model(config, training.state, epoch=done, row=row)
                self.history_, self.n_iter_ = training.history, training.epoch

    def _scorer(
        self, config: EngineConfig, held_out: HeldOut
    ) -> Callable[[EngineState], Mapping[str, float]]:
        def score(state: EngineState) -> dict[str, float]:
            if not held_out:
                return {}
            model = self._to_model(config, state, epoch=0, row=0)
            return {
                name: float(np.mean(self._decide(self._raw_votes(literals, model)) == codes))
                for name, (literals, codes) in held_out.items()
            }

        return score

    # --- labels and held-out data ---

    @property
    def _n_banks(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _check_labels(self, y: Any, known: NDArray[Any] | None) -> Codes:
        """Labels as indices into `classes_`, which is set where no classes are known yet."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        present = np.unique(labels)
        if known is None:
            if len(present) < 2:
                found = "1 class" if len(present) else "no row, 0 classes"
                raise ValueError(f"y must hold at least 2 classes. Got {found}: {present.tolist()}.")
            self.classes_ = known = present
        unseen = np.setdiff1d(present, known)
        if len(unseen):
            raise ValueError(f"y must hold only the classes {known.tolist()}. Got {unseen.tolist()}.")
        codes: Codes = np.searchsorted(known, labels).astype(np.int32)
        return codes

    def _check_classes(self, classes: Any, first: bool) -> NDArray[Any]:
        if classes is None:
            if first:
                raise ValueError("classes must be passed on the first call to partial_fit. Got None.")
            return self.classes_
        listed: NDArray[Any] = np.unique(column_or_1d(classes))
        if first:
            if len(listed) < 2:
                raise ValueError(f"classes must list at least 2 classes. Got {listed.tolist()}.")
            self.classes_ = listed
        elif not np.array_equal(listed, self.classes_):
            raise ValueError(
                f"classes must be the same in every call of partial_fit, {self.classes_.tolist()}. "
                f"Got {listed.tolist()}."
            )
        return self.classes_

    def _check_partial_fit_parameters(self) -> None:
        if self.early_stopping:
            raise ValueError("partial_fit needs early_stopping=False: it has no epochs. Got True.")
        if isinstance(self.class_weight, str):
            raise ValueError(
                "partial_fit needs a dict or None as class_weight, since it never sees all of y. "
                f"Got {self.class_weight!r}."
            )

    def _visit_weights(self, codes: Codes, weights: Weights | None) -> Weights | None:
        """Sample weights times class weights, with at least two classes left to learn."""
        factors = class_weights(self.class_weight, self.classes_, codes, weights)
        weights = combine_weights(weights, factors, codes)
        if weights is not None and len(np.unique(codes[weights > 0])) < 2:
            raise ValueError(
                "At least 2 classes must have rows of weight above 0. Got 1 class: "
                f"{self.classes_[codes[weights > 0][0]]!r}."
            )
        return weights

    def _held_out(self, X: Any, y: Any) -> tuple[Literals, Codes]:
        codes = self._check_labels(y, self.classes_)
        literals = self._transform(X, self.booleanizer_.transform)
        check_consistent_length(literals, codes)
        return literals, codes

    def _split(
        self, literals: Literals, codes: Codes, weights: Weights | None, seed: int
    ) -> tuple[Literals, Codes, Weights | None, HeldOut]:
        """Hold out a share of the rows, the same share of every class."""
        train, test = train_test_split(
            np.arange(len(codes)),
            test_size=float(self.validation_fraction),
            stratify=codes,
            random_state=seed,
        )
        held_out = {"validation": (literals[test], codes[test])}
        return literals[train], codes[train], None if weights is None else weights[train], held_out

    # --- prediction ---

    def _decide(self, raw: NDArray[np.int64]) -> NDArray[np.intp]:
        """Class indices: v >= 0 for two classes, the highest vote (the first on a tie) for more."""
        return (raw[:, 0] >= 0).astype(np.intp) if raw.shape[1] == 1 else raw.argmax(axis=1)

    def votes(self, X: Any) -> NDArray[Any]:
        """The votes: integers (floats with real weights), shape (n,) for two classes, (n, K) for more."""
        raw = self._raw_votes(self._encode(X))
        scaled = raw if self.model_.scale == 1 else raw / self.model_.scale
        return scaled[:, 0] if scaled.shape[1] == 1 else scaled

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The votes as scores; for two classes half a unit more, so that its sign is the decision."""
        raw = self._raw_votes(self._encode(X))
        if raw.shape[1] == 1:
            return (raw[:, 0] + 0.5) / self.model_.scale
        return raw / self.model_.scale

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        decided = self._decide(self._raw_votes(self._encode(X)))
        labels: NDArray[Any] = self.classes_[decided]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The machine's own estimate of class probabilities, shape (n, n_classes); not calibrated."""
        raw = self._raw_votes(self._encode(X))
        if raw.shape[1] == 1:
            return binary_probabilities(raw[:, 0], self.model_.threshold)
        return multiclass_probabilities(raw, self.model_.threshold, self.model_.scale)

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Which clauses fire: uint8, shape (n, banks * clauses), banks side by side."""
        literals = self._encode(X)
        model = self.model_
        return self._backend.clause_outputs(
            model.packed_include, model.signed_points, literals, self._n_threads
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of what `transform` returns: `clause0`, ..., or `<class>_clause0`, ... with several banks."""
        check_is_fitted(self, "model_")
        banks = [""] if self.model_.n_banks == 1 else [f"{label}_" for label in self.classes_]
        names = [f"{bank}clause{j}" for bank in banks for j in range(self.model_.n_clauses)]
        return np.array(names, dtype=object)

    def _speakers(self) -> Mapping[tuple[int, int], str]:
        names = [str(label) for label in self.classes_]
        if len(names) == 2:
            return {(0, 1): names[1], (0, -1): names[0]}
        return {
            (k, sign): name if sign > 0 else f"not {name}" for k, name in enumerate(names) for sign in (1, -1)
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.booleanizer is not None
        tags.input_tags.string = self.booleanizer is not None
        tags.transformer_tags.preserves_dtype = []
        return tags
