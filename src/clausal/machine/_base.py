"""The flow every Tsetlin estimator shares: parameters, table to literals, training, votes.

Subclasses say what a target is and what a vote means. Not here: booleanizing (encoding), the epochs
(loop.py), the model file (persistence).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.columns import Column
from clausal.engine.backends import BACKENDS, Backend
from clausal.engine.config import EngineConfig, down_chances, drop_chance
from clausal.engine.protocol import Engine, EngineState
from clausal.engine.weight_rule import WeightRule, weight_rule
from clausal.machine.clause_model import ClauseModel
from clausal.machine.constraints import allowed_literals, check_resumed
from clausal.machine.inputs import Codes, Weights, row_count
from clausal.machine.loop import Plan, Scorer, Stopping, Training
from clausal.machine.memory import require_memory
from clausal.machine.prediction import compiled_model, votes_as_they_are
from clausal.machine.settings import PARAMETERS, check_together, resolve_threshold
from clausal.machine.visits import EpochOrder
from clausal.parameters import check_parameters
from clausal.rules.extract import extract_rules
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import simplify

Literals = NDArray[np.uint64]

_BYTES_PER_VISIT = 40  # the order of an epoch while it is made
_WEIGHT_PARAMETERS = ("weighting", "weight_floor", "max_weight", "weight_gain")
_USED_IN_PREDICTION = {name: PARAMETERS[name] for name in ("backend", "n_jobs")}


@dataclass(frozen=True, eq=False)
class Samples:
    """Encoded rows.

    Attributes
    ----------
    literals : uint64 [n, words]
    codes : int32 [n], each row's place among the classes
    weights : float64 [n], or None where every row weighs 1
    """

    literals: Literals
    codes: Codes
    weights: Weights | None = None

    def __post_init__(self) -> None:
        if len(self.literals) != len(self.codes):
            n_rows, n_labels = len(self.literals), len(self.codes)
            raise ValueError(f"y must have one label for each of the {n_rows} rows of X. Got {n_labels}.")


class BaseTsetlin(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Parameters, encoding and training; see TsetlinClassifier for what a user sees."""

    model_: ClauseModel
    booleanizer_: Booleanizer
    history_: dict[str, list[float]]
    n_iter_: int
    n_features_in_: int
    classes_: NDArray[Any]

    # --- parameters ---

    def _check_parameters(self) -> None:
        check_parameters(self, PARAMETERS)
        check_together(self)

    @property
    def _backend(self) -> Backend:
        return BACKENDS[self.backend]

    @property
    def _n_threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def _weight_rule(self) -> WeightRule:
        return weight_rule(
            self.weighting,
            floor=int(self.weight_floor),
            maximum=self.max_weight,
            gain=float(self.weight_gain),
        )

    def _config(self, n_banks: int, seed: int) -> EngineConfig:
        rule = self._weight_rule()
        n_clauses = int(self.n_clauses)
        return EngineConfig(
            n_banks=n_banks,
            n_clauses=n_clauses,
            n_columns=len(self.columns_),
            n_states=int(self.n_states),
            threshold=resolve_threshold(self.threshold, n_clauses, self.weighting) * rule.scale,
            down_chance=down_chances(self.specificity, n_clauses),
            rule=rule,
            seed=seed,
            boost_true_positive=bool(self.boost_true_positive),
            max_clause_literals=None if self.max_clause_literals is None else int(self.max_clause_literals),
            drop_chance=drop_chance(float(self.drop_clause)),
            focused_negatives=self.negative_sampling == "focused",
            allowed=allowed_literals(self, self.booleanizer_, n_banks),
        )

    def _new_seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    # --- the table ---

    def _fit_booleanizer(self, X: Any, weights: Weights | None) -> Literals:
        """Choose the columns on training data and return its literals."""
        if isinstance(self.booleanizer, Booleanizer):
            booleanizer = clone(self.booleanizer)
        else:
            mode = "boolean" if self.booleanizer is None else self.booleanizer
            booleanizer = Booleanizer(mode, categorical_features=self.categorical_features)
        booleanizer.set_output(transform="default")  # arrays, whatever the user's own asks for
        booleanizer.fit(X, sample_weight=weights)
        if not booleanizer.columns_:
            raise ValueError(
                "X must have at least one feature that varies. Got "
                f"{booleanizer.n_features_in_} feature(s), each with a single value."
            )
        self.booleanizer_ = booleanizer
        self._copy_input_names()
        return self._literals(X, training=True)

    def _encode(self, X: Any) -> Literals:
        """The literals of a table like the one seen in training."""
        check_is_fitted(self, "model_")
        check_parameters(self, _USED_IN_PREDICTION)
        return self._literals(X)

    def _literals(self, X: Any, training: bool = False) -> Literals:
        """The literals of a table; `training`: of the very one that the booleanizer was fitted on."""
        require_table_memory(X, len(self.columns_))
        backend, booleanizer = self._backend, self.booleanizer_
        if backend.encode is not None and not sparse.issparse(X):
            literals = backend.encode(booleanizer.batches(X, training), self._n_threads)
            if literals is not None:
                return literals
        # The plain way, which also finds the words for what the fast one declined.
        with config_context(transform_output="default"):
            bits = booleanizer.transform_training(X) if training else booleanizer.transform(X)
        if hasattr(bits, "indptr"):  # a sparse matrix stays one
            return backend.pack_csr(bits.indptr, bits.indices, bits.shape[1], self._n_threads)
        return backend.pack(bits, self._n_threads)

    # --- training ---

    @contextmanager
    def _undone_on_failure(self) -> Iterator[None]:
        """A fit that fails, or is interrupted, before it has a model leaves the estimator as it was."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            if vars(self).get("model_", before.get("model_")) is before.get("model_"):
                self.__dict__ = before
            raise

    def _train(
        self,
        samples: Samples,
        n_banks: int,
        seed: int,
        score: Callable[[EngineConfig], Scorer | None],
        stopping: Stopping | None,
        callbacks: tuple[Callable[[Any], object], ...],
    ) -> None:
        """Run the epochs, on from `model_` where there is one, and keep what they led to."""
        config = self._config(n_banks, seed)
        resuming = hasattr(self, "model_")
        engine = self._resumed_engine(config) if resuming else self._make_engine(config)
        epoch, row = (self.model_.epoch, self.model_.row) if resuming else (0, 0)
        plan = Plan(
            n_epochs=int(self.n_epochs),
            first_epoch=epoch,
            score=score(config),
            weights=config.rule.weights,
            callbacks=callbacks,
            stopping=stopping,
            show_progress=bool(self.verbose),
        )
        self._require_visit_memory(samples)
        training = Training(engine, plan)
        order = EpochOrder(samples.literals, samples.codes, samples.weights, seed)
        try:
            training.run(samples.literals, samples.codes, order)
        finally:
            state = training.state
            if state is not None:
                done = epoch + training.epoch
                self.history_, self.n_iter_ = training.history, training.epoch
                self.model_ = self._to_model(config, state, epoch=done, row=row)  # last: all is there

    def _require_visit_memory(self, samples: Samples) -> None:
        if samples.weights is not None:
            n_visits = int(samples.weights.sum()) + len(samples.weights)
            require_memory(_BYTES_PER_VISIT * n_visits, f"An epoch of about {n_visits:,} visits")

    def _make_engine(self, config: EngineConfig) -> Engine:
        n_automata = config.n_banks * config.n_clauses * config.n_literals
        require_memory(3 * n_automata, f"A machine of {n_automata:,} automata")
        return self._backend.engine(config, self._n_threads)

    def _to_model(self, config: EngineConfig, state: EngineState, *, epoch: int, row: int) -> ClauseModel:
        return ClauseModel(
            states=state.states,
            levels=state.levels,
            points=config.rule.points(state.levels).astype(np.int32),
            n_states=config.n_states,
            threshold=config.threshold,
            scale=config.rule.scale,
            seed=config.seed,
            step=state.step,
            epoch=epoch,
            row=row,
        )

    def _resumed_engine(self, config: EngineConfig) -> Engine:
        """An engine that goes on from `model_`."""
        model = self.model_
        for name, was in (("n_clauses", model.n_clauses), ("n_states", model.n_states)):
            if getattr(config, name) != was:
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} must stay {was} to go on from the "
                    f"present model. Got {getattr(self, name)!r}."
                )
        rule = config.rule
        fits = (
            model.scale == rule.scale and rule.low <= model.levels.min() and model.levels.max() <= rule.high
        )
        if not fits or not np.array_equal(rule.points(model.levels), model.points):
            got = ", ".join(f"{name}={getattr(self, name)!r}" for name in _WEIGHT_PARAMETERS)
            raise ValueError(
                f"The parameters {', '.join(_WEIGHT_PARAMETERS)} of {type(self).__name__} must allow the "
                f"weights to go on from, {model.weights.min()} to {model.weights.max()}. Got {got}."
            )
        check_resumed(model, config.allowed, self.columns_, type(self).__name__)
        engine = self._make_engine(config)
        engine.import_state(EngineState(model.states, model.levels, model.step))
        return engine

    # --- what was learned ---

    def _raw_votes(self, X: Any) -> NDArray[np.int64]:
        """Votes [n, banks] on a table, in units of 1 / scale."""
        check_is_fitted(self, "model_")
        check_parameters(self, _USED_IN_PREDICTION)
        clauses = compiled_model(self.model_, self._backend)
        votes = votes_as_they_are(clauses, self.booleanizer_, X, self._n_threads)
        return clauses.votes(self._literals(X), self._n_threads) if votes is None else votes

    @property
    def columns_(self) -> tuple[Column, ...]:
        """The meaning of each boolean column."""
        check_is_fitted(self, "booleanizer_")
        columns: tuple[Column, ...] = self.booleanizer_.columns_
        return columns

    @property
    def n_literals_(self) -> int:
        """Include actions summed over clauses with weight above 0: the paper's count."""
        check_is_fitted(self, "model_")
        return self.model_.n_literals

    @property
    def rules_(self) -> RuleSet:
        """The clauses that vote, as readable rules whose points add up to the vote, simplified exactly."""
        check_is_fitted(self, "model_")
        booleanizer = self.booleanizer_
        made_from = (self.model_, booleanizer, booleanizer.handle_unknown, booleanizer.handle_missing)
        if self.__dict__.get("_rules_made_from") != made_from:
            self._rules = simplify(extract_rules(self.model_, booleanizer, self.classes_))
            self._rules_made_from = made_from
        return self._rules

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file that `clausal.load` reads; no pickle inside.

        Parameters
        ----------
        path : str or path-like
            The file to write; docs/formats.md describes it.
        """
        from clausal.files.machine import save

        save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _copy_input_names(self) -> None:
        self.n_features_in_ = self.booleanizer_.n_features_in_
        self.__dict__.pop("feature_names_in_", None)  # of a former fit
        if hasattr(self.booleanizer_, "feature_names_in_"):
            self.feature_names_in_ = self.booleanizer_.feature_names_in_


def require_table_memory(X: Any, n_columns: int | None = None) -> None:
    """MemoryError where the literals of `X`, with as many columns as it has or as said, would not fit."""
    n_rows, n_columns = row_count(X) or 0, X.shape[-1] if n_columns is None else n_columns
    require_memory(n_rows * n_columns // 4, f"A table of {n_rows:,} rows and {n_columns:,} boolean columns")
