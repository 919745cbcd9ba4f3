"""What the Tsetlin estimators share: the steps of `fit` and `partial_fit`, what was learned, votes, files.

Not here: what a user calls (classifier.py, regressor.py), the steps themselves (read.py, configure.py,
train.py), what votes mean (clausal.outcome).
"""

from __future__ import annotations

import os
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.booleanizer import Booleanizer, check_input_features
from clausal.encoding.columns import Column
from clausal.encoding.encoding import Encoding
from clausal.encoding.remarks import warn_of_table
from clausal.explain.explain_rows import Explainable
from clausal.machine.clause_model import ClauseModel, extract_rules
from clausal.machine.inputs import check_callbacks, check_eval_set
from clausal.machine.prediction import machine_outputs, machine_votes
from clausal.machine.read import Fitted, read_training_rows
from clausal.machine.settings import (
    USED_IN_PREDICTION,
    Chosen,
    FittedParts,
    check_machine_parameters,
)
from clausal.machine.train import prepare_fit, train_chunk
from clausal.outcome import Outcome
from clausal.parameters import check_parameters
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import simplify


class TsetlinEstimator(FittedParts, TransformerMixin, Explainable, BaseEstimator):  # type: ignore[misc]
    """A base class; its parameters are those of its subclasses."""

    model_: ClauseModel
    encoding_: Encoding
    history_: dict[str, list[float]]
    n_iter_: int
    n_features_in_: int
    _outcome: Outcome
    chosen_: Chosen | None
    _PARTS: ClassVar[tuple[str, ...]] = ("model_", "encoding_", "chosen_")
    _INSTEAD = "`fit` and `partial_fit` learn others; `set_policy` changes how values are read."

    # --- learning ---

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, eval_set: Any, callbacks: Any, checkpoint: Any
    ) -> Self:
        """What `fit` does."""
        check_machine_parameters(self)
        called, sets = check_callbacks(callbacks), check_eval_set(eval_set)
        checkpointing = None
        if checkpoint is not None:
            from clausal.files.checkpoint import open_checkpoint

            checkpointing = open_checkpoint(self, checkpoint)
        before = self._fitted if self.warm_start else None
        may_choose = not self._predicts_numbers
        rows = read_training_rows(self, X, y, sample_weight, before, may_choose=may_choose)
        fit = prepare_fit(self, rows, sets, called, before, checkpointing, may_choose)
        warn_of_table(self._own_remarks((*rows.remarks, *fit.remarks)))
        try:
            fit.run()
        finally:
            if (fitted := fit.fitted) is not None:
                self._keep(fitted, fit.training.history, fit.training.epoch)
        return self

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any, known: Any = None) -> Self:
        """What `partial_fit` does, with the parameters checked; `known` are the class labels."""
        before = self._fitted
        rows = read_training_rows(self, X, y, sample_weight, before, known)
        warn_of_table(self._own_remarks(rows.remarks))
        self._keep(train_chunk(self, rows, before), {} if before is None else self.history_, 1)
        return self

    @property
    def _fitted(self) -> Fitted | None:
        """What a further fit goes on from, if there is anything."""
        names = ("model_", "encoding_", "_outcome", "chosen_")
        return Fitted(*(getattr(self, name) for name in names)) if hasattr(self, "model_") else None

    def _keep(self, fitted: Fitted, history: dict[str, list[float]], n_iter: int) -> None:
        """Store what was learned, all at once: an interrupt finds either the former model or this one."""
        if "feature_names_in_" not in fitted.attributes:
            self.__dict__.pop("feature_names_in_", None)  # of a former fit
        self.__dict__.update(fitted.attributes, history_=history, n_iter_=n_iter)

    # --- what was learned ---

    @property
    def columns_(self) -> tuple[Column, ...]:
        """The meaning of each boolean column."""
        check_is_fitted(self, "model_")
        return self.encoding_.columns

    @property
    def n_literals_(self) -> int:
        """Include actions summed over clauses with a weight other than 0: the paper's count."""
        check_is_fitted(self, "model_")
        return self.model_.n_literals

    @property
    def rules_(self) -> RuleSet:  # type: ignore[override]  # made when asked for
        """The clauses that vote, as readable rules whose points add up to the vote, simplified exactly."""
        check_is_fitted(self, "model_")
        made_from = (self.model_, self.encoding_)
        if self.__dict__.get("_rules_made_from") != made_from:
            self._rules = simplify(extract_rules(self.model_, self.encoding_, self._outcome))
            self._rules_made_from = made_from
        return self._rules

    def set_policy(self, **policy: str) -> Self:
        """Change the fitted model's `handle_unknown` and `handle_missing`, as in Booleanizer."""
        check_is_fitted(self, "model_")
        self.__dict__["encoding_"] = self.encoding_.with_policy(**policy)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file that `clausal.load` reads, without pickle; see formats.md."""
        from clausal.files.machine import save

        save(self, path)

    # --- prediction ---

    def _raw_votes(self, X: Any) -> NDArray[np.int64]:
        """Votes [n, banks] on a table, in units of 1 / scale."""
        check_is_fitted(self, "model_")
        check_parameters(self, USED_IN_PREDICTION)
        return machine_votes(self, self.model_, self.encoding_, X)

    def votes(self, X: Any) -> NDArray[Any]:
        """The votes: integers (floats with real weights), (n,), or (n, K) for K > 2 classes."""
        banked = self._banked_votes(X)  # first, as it requires a fitted estimator
        return self._outcome.flat(banked)

    def _banked_votes(self, X: Any) -> NDArray[Any]:
        """The votes [n, banks]."""
        raw = self._raw_votes(X)
        return raw if self.model_.scale == 1 else raw / self.model_.scale

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Which clauses fire: uint8 (n, banks * clauses), banks side by side; (n, clauses) if shared."""
        check_is_fitted(self, "model_")
        check_parameters(self, USED_IN_PREDICTION)
        return machine_outputs(self, self.model_, self.encoding_, X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of what `transform` returns: `clause0`, or `<class>_clause0` with a bank per class, ..."""
        check_is_fitted(self, "model_")
        if input_features is not None:
            check_input_features(self.encoding_, input_features)
        prefixes = ("",) if self.model_.shared else self._outcome.bank_prefixes()
        names = [f"{prefix}clause{j}" for prefix in prefixes for j in range(self.model_.n_clauses)]
        return np.array(names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        mode = self.booleanizer.mode if isinstance(self.booleanizer, Booleanizer) else self.booleanizer
        tags.input_tags.allow_nan = tags.input_tags.string = mode not in (None, "boolean")
        tags.transformer_tags.preserves_dtype = []
        return tags
