"""`merge`: several fitted machines as one, whose votes are the sum of theirs.

Clauses vote on their own, so the clauses of machines that were trained apart, such as on shards of a table,
are together a machine. Not here: training on shards (clausal.cluster).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.encoding import Encoding
from clausal.encoding.patches import view_of
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.clause_model import ClauseModel
from clausal.machine.read import Fitted
from clausal.machine.settings import Chosen

_MAX_CLAUSES, _MAX_THRESHOLD = 2**24, 2**30
_OF_WEIGHTS = ("weighting", "sharing", "weight_floor", "max_weight", "weight_gain")


def merge(models: Iterable[TsetlinClassifier]) -> TsetlinClassifier:
    """Join fitted machines into one, whose votes are exactly the sum of theirs.

    The clauses are put side by side, and T is the sum of the T of all: `predict_proba` of the merged machine
    is its own estimate from that sum. Where `fit` chose the settings, the log-odds of the merged machine are
    the mean of those of the machines, as long as they have the same slope.

    Parameters
    ----------
    models : iterable of TsetlinClassifier
        Fitted machines with the same encoding, classes, positive class, weighting and `n_states`. Machines
        have the same encoding if they were trained with `booleanizer=None` on the columns that one
        Booleanizer made, or as the shards of `clausal.cluster.fit`.

    Returns
    -------
    TsetlinClassifier
        A fitted machine with all clauses. `n_clauses` and `threshold` are sums, other parameters are those of
        the machines where all have the same, and else defaults. It has no history.

    Examples
    --------
    >>> from sklearn.base import clone
    >>> from clausal import Booleanizer, TsetlinClassifier, merge
    >>> from clausal.datasets import load_balance_scale
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> bits = Booleanizer().fit_transform(X)
    >>> shards = [bits[::2], bits[1::2]], [y[::2], y[1::2]]
    >>> machine = TsetlinClassifier(20, n_epochs=10, booleanizer=None, random_state=0)
    >>> parts = [clone(machine).fit(*shard) for shard in zip(*shards)]
    >>> bool((merge(parts).votes(bits) == parts[0].votes(bits) + parts[1].votes(bits)).all())
    True
    """
    machines = _checked(models)
    _check_same(machines)
    fitted = Fitted(
        join([machine.model_ for machine in machines]),
        machines[0].encoding_,
        machines[0]._outcome,
        _chosen([machine.chosen_ for machine in machines]),
    )
    model = fitted.model
    _check_limit("n_clauses", model.n_clauses, _MAX_CLAUSES)
    _check_limit("threshold", model.threshold // model.scale, _MAX_THRESHOLD)
    merged: TsetlinClassifier = clone(machines[0]).set_params(**_other_defaults(machines))
    if fitted.chosen is None:
        merged.set_params(n_clauses=model.n_clauses, threshold=model.threshold // model.scale)
    merged._keep(fitted, {}, max(machine.n_iter_ for machine in machines))
    return merged


def join(models: Sequence[ClauseModel]) -> ClauseModel:
    """Models of the same shape but for the number of clauses, side by side; T is the sum."""
    return replace(
        models[0],
        states=np.concatenate([model.states for model in models], axis=1),
        levels=np.concatenate([model.levels for model in models], axis=1),
        points=np.concatenate([model.points for model in models], axis=1),
        threshold=sum(model.threshold for model in models),
        step=max(model.step for model in models),
        epoch=max(model.epoch for model in models),
        row=max(model.row for model in models),
    )


def _checked(models: Iterable[TsetlinClassifier]) -> list[TsetlinClassifier]:
    if isinstance(models, TsetlinClassifier) or not isinstance(models, Iterable):
        raise TypeError(f"models must be a list of fitted TsetlinClassifiers. Got {type(models).__name__}.")
    machines = list(models)
    if not machines:
        raise ValueError("models must be a list of at least 1 fitted TsetlinClassifier. Got 0.")
    for machine in machines:
        if not isinstance(machine, TsetlinClassifier):
            kind = type(machine).__name__
            raise TypeError(f"models must be a list of fitted TsetlinClassifiers. Got one of type {kind}.")
        check_is_fitted(machine, "model_")
    return machines


def _check_same(machines: Sequence[TsetlinClassifier]) -> None:
    """ValueError where machines differ in what votes mean."""
    _check_encodings([machine.encoding_ for machine in machines])
    facts: tuple[tuple[str, Callable[[TsetlinClassifier], Any]], ...] = (
        ("classes", lambda machine: machine.classes_.tolist()),
        ("pos_label_", lambda machine: machine.pos_label_),
        *((name, _getter(name)) for name in _OF_WEIGHTS),
        ("scale of votes", lambda machine: machine.model_.scale),
        ("n_states", lambda machine: machine.model_.n_states),
        ("kind of clauses, shared or not", lambda machine: machine.model_.shared),
    )
    for name, of in facts:
        first = of(machines[0])
        for index, machine in enumerate(machines):
            if of(machine) != first:
                raise ValueError(
                    f"models must have the same {name}. Got {first!r} in the first and {of(machine)!r} in "
                    f"number {index + 1}."
                )
    if len({machine.chosen_ is None for machine in machines}) > 1:
        raise ValueError(
            "models must either all have settings that `fit` chose, or none of them, as votes become "
            "probabilities in another way. Got both."
        )


def _getter(name: str) -> Callable[[TsetlinClassifier], Any]:
    return lambda machine: getattr(machine, name)


def _check_encodings(encodings: Sequence[Encoding]) -> None:
    first = encodings[0]
    for index, other in enumerate(encodings):
        said = f"models must have the same encoding. Number {index + 1} has"
        if other.n_features != first.n_features:
            raise ValueError(f"{said} {other.n_features} features, the first {first.n_features}.")
        if other.feature_names != first.feature_names:
            pairs = zip(first.feature_names, other.feature_names, strict=True)
            one, two = next(pair for pair in pairs if pair[0] != pair[1])
            raise ValueError(f"{said} the feature {two!r} where the first has {one!r}.")
        if view_of(other) != view_of(first):
            raise ValueError(f"{said} patches {view_of(other)}, the first {view_of(first)}.")
        if other.policy != first.policy:
            raise ValueError(f"{said} {other.policy}, the first {first.policy}.")
        names = [
            name
            for name, one, two in zip(first.feature_names, first.features, other.features, strict=True)
            if one != two
        ]
        if names:
            raise ValueError(
                f"{said} other columns of {', '.join(map(repr, names))} than the first. Train with "
                "booleanizer=None on the columns of one Booleanizer."
            )


def _other_defaults(machines: Sequence[TsetlinClassifier]) -> dict[str, Any]:
    """The defaults of the parameters in which the machines differ."""
    defaults = TsetlinClassifier().get_params(deep=False)
    parameters = [machine.get_params(deep=False) for machine in machines]
    return {
        name: default
        for name, default in defaults.items()
        if name != "pos_label" and len({joblib.hash(own[name]) for own in parameters}) > 1
    }


def _chosen(parts: Sequence[Chosen | None]) -> Chosen | None:
    """The groups of all machines, with the mean of their slopes over the number of machines."""
    chosen = [part for part in parts if part is not None]
    if not chosen:
        return None
    return Chosen(
        tuple(group for part in chosen for group in part.groups),
        max(part.n_epochs for part in chosen),
        *(
            sum(getattr(part, name) for part in chosen) / len(chosen) / divisor
            for name, divisor in (("slope", len(chosen)), ("log_loss", 1), ("accuracy", 1))
        ),
    )


def _check_limit(name: str, total: int, most: int) -> None:
    if total > most:
        raise ValueError(f"The {name} of models must add up to at most {most}. Got {total}.")
