"""The flow every Tsetlin estimator shares: parameters, table to literals, training, votes.

Subclasses say what a target is and what a vote means. Not here: booleanizing (encoding), the epochs
(training), the model file (persistence).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.columns import Column
from clausal.engine.backends import BACKENDS, Backend
from clausal.engine.config import EngineConfig, down_chances, drop_chance
from clausal.engine.protocol import Engine, EngineState
from clausal.engine.weight_rule import WeightRule, weight_rule
from clausal.estimators.memory import require_memory
from clausal.estimators.settings import PARAMETERS, check_together, resolve_threshold
from clausal.model.clause_model import ClauseModel
from clausal.parameters import check_parameters
from clausal.rules.extract import extract_rules
from clausal.rules.rule_set import RuleSet

Literals = NDArray[np.uint64]


class BaseTsetlin(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Parameters, encoding and training; see TsetlinClassifier for what a user sees."""

    model_: ClauseModel
    booleanizer_: Booleanizer
    history_: dict[str, list[float]]
    n_iter_: int
    n_features_in_: int

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
        )

    def _new_seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    # --- the table ---

    def _fit_booleanizer(self, X: Any, sample_weight: Any) -> Literals:
        """Choose the columns on training data and return its literals."""
        if isinstance(self.booleanizer, Booleanizer):
            booleanizer = clone(self.booleanizer)
        else:
            mode = "boolean" if self.booleanizer is None else self.booleanizer
            booleanizer = Booleanizer(mode, categorical_features=self.categorical_features)
        booleanizer.fit(X, sample_weight=sample_weight)
        if not booleanizer.columns_:
            raise ValueError(
                "X must have at least one feature that varies. Got "
                f"{booleanizer.n_features_in_} feature(s), each with a single value."
            )
        self.booleanizer_ = booleanizer
        return self._transform(X, booleanizer.transform_training)

    def _encode(self, X: Any) -> Literals:
        """The literals of a table like the one seen in training."""
        check_is_fitted(self, "model_")
        return self._transform(X, self.booleanizer_.transform)

    def _transform(self, X: Any, transform: Callable[[Any], Any]) -> Literals:
        n_rows, n_columns = getattr(X, "shape", (0,))[0], len(self.columns_)
        n_bytes = n_rows * n_columns // 4 if sparse.issparse(X) else n_rows * n_columns * 5 // 4
        require_memory(n_bytes, f"A table of {n_rows:,} rows and {n_columns:,} boolean columns")
        bits = transform(X)
        if hasattr(bits, "indptr"):  # a sparse matrix stays one
            return self._backend.pack_csr(bits.indptr, bits.indices, bits.shape[1])
        return self._backend.pack(bits)

    # --- training ---

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
        wanted = (config.n_banks, config.n_clauses, config.n_literals)
        if model.states.shape != wanted or model.n_states != config.n_states:
            raise ValueError(
                "The model to go on from must have the shape that the parameters ask for, (banks, clauses, "
                f"literals) = {wanted} with n_states={config.n_states}. Got {model.states.shape} with "
                f"n_states={model.n_states}."
            )
        low, high = config.rule.low, config.rule.high
        if model.scale != config.rule.scale or model.levels.min() < low or model.levels.max() > high:
            raise ValueError(
                "The weights to go on from must fit the parameters weighting, weight_floor, max_weight and "
                f"weight_gain, which allow levels {low} to {high}. Got {model.levels.min()} to "
                f"{model.levels.max()}."
            )
        engine = self._make_engine(config)
        engine.import_state(EngineState(model.states, model.levels, model.step))
        return engine

    # --- what was learned ---

    def _raw_votes(self, literals: Literals, model: ClauseModel | None = None) -> NDArray[np.int64]:
        """Votes [n, banks] in units of 1 / scale."""
        model = self.model_ if model is None else model
        return self._backend.votes(model.packed_include, model.signed_points, literals, self._n_threads)

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
        """The clauses that vote, as readable rules."""
        check_is_fitted(self, "model_")
        return extract_rules(self.model_, self.columns_, self._speakers())

    def _speakers(self) -> Mapping[tuple[int, int], str]:
        """For (bank, polarity): whom a clause speaks for, in words."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file that `clausal.load` reads; no pickle inside.

        Parameters
        ----------
        path : str or path-like
            The file to write; docs/formats.md describes it.
        """
        from clausal.estimators.persistence import save

        save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _copy_input_names(self) -> Self:
        self.n_features_in_ = self.booleanizer_.n_features_in_
        if hasattr(self.booleanizer_, "feature_names_in_"):
            self.feature_names_in_ = self.booleanizer_.feature_names_in_
        return self
