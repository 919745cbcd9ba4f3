"""Training a machine on rows that have been read: weights and held-out rows, then the epochs, then the model.

Plain functions over plain values; `settings` is an estimator, of which only the parameters are read.
Not here: reading (read.py), the engine's config (configure.py), the loop over epochs (loop.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clausal.engine.protocol import Engine, EngineConfig, EngineState, TrainingJob
from clausal.machine.choose_settings import Choice, choose
from clausal.machine.clause_model import ClauseModel, to_model
from clausal.machine.configure import make_config, make_engine, new_seed
from clausal.machine.encode import backend_of, thread_count
from clausal.machine.equal_rows import Units, units_of, without_common_factor
from clausal.machine.inputs import (
    Weights,
    check_classes_left,
    class_weights,
    combine_weights,
    weight_scale,
)
from clausal.machine.loop import (
    Callback,
    EpochOrder,
    Plan,
    Scorer,
    Shuffled,
    Stopping,
    Training,
    visits_in_order,
)
from clausal.machine.memory import require_memory
from clausal.machine.prediction import compiled_model
from clausal.machine.read import (
    Fitted,
    Samples,
    TrainingRows,
    read_held_out,
)
from clausal.machine.settings import Chosen, are_open, fixed, owner_of
from clausal.machine.targets import explained
from clausal.outcome import Outcome

_BYTES_PER_VISIT = 40  # the order of an epoch while it is made
_VISITS_OF_CALL = 1 << 18  # of each machine of several that are trained in one call


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit that is ready to run.

    Attributes
    ----------
    config : of the engine
    samples : rows to train on, with their final weights
    training : the epochs, not yet run
    rows : whose encoding and outcome the model has
    held_out : rows scored after each epoch, by name
    before : what the fit goes on from
    chosen : the settings that were chosen, now or by an earlier fit; None for those of the parameters
    remarks : what the user should know about the choice
    shuffled : the backend's way to order rows
    """

    config: EngineConfig
    rows: TrainingRows
    samples: Samples
    held_out: Mapping[str, Samples]
    training: Training
    before: Fitted | None
    chosen: Chosen | None
    remarks: tuple[str, ...]
    shuffled: Shuffled

    def run(self) -> None:
        """Train; an interrupt leaves `fitted` at the last whole epoch."""
        self.training.run(self.samples.literals, self.samples.codes, self.order())

    def order(self) -> EpochOrder:
        """The visits of each epoch."""
        samples = self.samples
        _require_visit_memory(samples)
        return EpochOrder(samples.literals, samples.codes, samples.weights, self.config.seed, self.shuffled)

    @property
    def fitted(self) -> Fitted | None:
        """What the epochs led to; None before the first is over."""
        state = self.training.state
        if state is None:
            return None
        epoch, row = _done_before(self.before)
        model = to_model(self.config, state, epoch=epoch + self.training.epoch, row=row)
        return Fitted(model, self.rows.encoding, self.rows.outcome, self.chosen)


class Checkpointing(Protocol):
    """Where a fit leaves checkpoints, and goes on from one."""

    @property
    def seed(self) -> int | None:
        """The seed of the fit to go on with; None if there is none."""

    def attach(self, fit: Fit) -> None:
        """Let the fit go on where its checkpoint stands, and write others."""


def prepare_fit(
    settings: Any,
    rows: TrainingRows,
    eval_sets: Mapping[str, tuple[Any, Any]],
    callbacks: tuple[Callback, ...],
    before: Fitted | None,
    checkpointing: Checkpointing | None = None,
    may_choose: bool = False,
) -> Fit:
    """Everything that `fit` does before its first epoch.

    Parameters
    ----------
    settings : the parameters
    rows : to train on
    eval_sets, callbacks, checkpointing : as `fit` was given them
    before : what to go on from
    may_choose : whether settings that are left open are chosen; else "auto" has its fixed value
    """
    outcome = rows.outcome
    if rows.label_sets is not None and (eval_sets or settings.early_stopping):
        given = "early_stopping=True" if settings.early_stopping else "an eval_set"
        raise ValueError(f"y must be one-dimensional with {given}. Got an indicator matrix.")
    chooses = before is None and may_choose and are_open(settings) and rows.label_sets is None
    samples, factors = _weighted(settings, rows, chooses)
    weights = combine_weights(samples.weights, factors, samples.codes)
    held_out = {name: read_held_out(settings, rows, *pair) for name, pair in eval_sets.items()}
    seed = _seed(settings, before, checkpointing)
    if settings.early_stopping and not held_out:
        samples, held_out["validation"] = _split(settings, rows, samples, seed)
        weights = combine_weights(samples.weights, factors, samples.codes)
    weighted = replace(samples, weights=weights)
    choice = Choice(_chosen_before(settings, before))
    if chooses:
        choice = choose(settings, rows, samples, seed, factors)
    chosen = choice.chosen
    groups = chosen.groups if chosen else ()
    config = make_config(settings, rows.encoding, outcome, seed, groups, rows.label_sets)
    plan = Plan(
        n_epochs=chosen.n_epochs if chosen else int(fixed(settings, "n_epochs")),
        first_epoch=_done_before(before)[0],
        score=_scorer(settings, held_out, config, outcome),
        rule=config.rule,
        factors=config.factors,
        shared=config.shared,
        callbacks=callbacks,
        stopping=_stopping(settings, held_out),
        show_progress=bool(settings.verbose),
    )
    training = Training(make_engine(settings, config, before), plan)
    shuffled = backend_of(settings).shuffled
    fit = Fit(config, rows, weighted, held_out, training, before, *choice, shuffled)
    if checkpointing is not None:
        checkpointing.attach(fit)
    return fit


def run_together(settings: Any, fits: Sequence[Fit], n_threads: int) -> list[ClauseModel]:
    """The models of fits with the same settings, trained in one call; of those that are watched, in turn.

    Each has the bits of `Fit.run`.
    """
    if any(fit.training.plan.is_watched for fit in fits):
        for fit in fits:
            fit.run()
        return [fit.fitted.model for fit in fits if fit.fitted is not None]
    orders = [fit.order() for fit in fits]
    n_epochs = fits[0].training.plan.n_epochs
    at_once = max(1, int(_VISITS_OF_CALL / max(order.n_visits for order in orders)))
    for first in range(0, n_epochs, at_once):
        epochs = range(first, min(first + at_once, n_epochs))
        jobs = [
            TrainingJob(fit.training.engine, fit.samples.literals, fit.samples.codes, np.concatenate(visits))
            for fit, visits in zip(fits, (order.visits(epochs) for order in orders), strict=True)
        ]
        backend_of(settings).train_many(jobs, n_threads)
    return [to_model(fit.config, fit.training.engine.export_state(), epoch=n_epochs, row=0) for fit in fits]


def _weighted(settings: Any, rows: TrainingRows, chooses: bool) -> tuple[Samples, Weights | None]:
    """The rows with the weights that they are trained with, and the class weights [classes], or None."""
    samples, factors = rows.samples, _class_factors(settings, rows)
    weights = combine_weights(samples.weights, factors, samples.codes)
    if not rows.outcome.is_numeric and rows.label_sets is None:
        check_classes_left(rows.outcome.classes, samples.codes, weights)
    scale = 1.0 if settings._part_of else weight_scale(weights)
    if scale != 1 and samples.weights is not None:
        samples = replace(samples, weights=scale * samples.weights)
    elif scale != 1 and factors is not None:
        factors = scale * factors
    return without_common_factor(samples) if chooses else samples, factors


def _class_factors(settings: Any, rows: TrainingRows) -> Weights | None:
    """The class weights [classes], or None; numbers and sets of labels have none."""
    if rows.outcome.is_numeric or rows.label_sets is not None:
        return None
    given, classes, samples = settings.class_weight, rows.outcome.classes, rows.samples
    return class_weights(given, classes, samples.codes, samples.weights, owner_of(settings))


def train_chunk(settings: Any, rows: TrainingRows, before: Fitted | None) -> Fitted:
    """What `partial_fit` does with the rows it was given: one visit each, in their order."""
    samples, factors = rows.samples, _class_factors(settings, rows)
    weights = combine_weights(samples.weights, factors, samples.codes)
    seed = new_seed(settings) if before is None else before.model.seed
    chosen = _chosen_before(settings, before)
    groups = chosen.groups if chosen else ()
    config = make_config(settings, rows.encoding, rows.outcome, seed, groups, rows.label_sets)
    engine: Engine = make_engine(settings, config, before)
    epoch, row = _done_before(before)
    n_rows = len(samples.codes)
    _require_visit_memory(replace(samples, weights=weights))
    engine.fit_epoch(samples.literals, samples.codes, visits_in_order(weights, n_rows, seed, row))
    model = to_model(config, engine.export_state(), epoch=epoch, row=row + n_rows)
    return Fitted(model, rows.encoding, rows.outcome, chosen)


def _seed(settings: Any, before: Fitted | None, checkpointing: Checkpointing | None) -> int:
    """The seed of what the fit goes on from, else one drawn from `random_state`."""
    if before is not None:
        return before.model.seed
    if settings.random_state is None and checkpointing is not None and checkpointing.seed is not None:
        return checkpointing.seed
    return new_seed(settings)


def _chosen_before(settings: Any, before: Fitted | None) -> Chosen | None:
    """The settings that the fit to go on from has chosen, unless others are given now."""
    return before.chosen if before is not None and are_open(settings) else None


def _done_before(before: Fitted | None) -> tuple[int, int]:
    """Epochs of `fit` and rows of `partial_fit` so far."""
    return (0, 0) if before is None else (before.model.epoch, before.model.row)


def _split(settings: Any, rows: TrainingRows, samples: Samples, seed: int) -> tuple[Samples, Samples]:
    """Hold out a share of the rows, the same share of every class."""
    codes = samples.codes
    _require_visit_memory(samples)
    units, fraction = units_of(samples, rows.encoding), float(settings.validation_fraction)
    if rows.outcome.is_numeric:
        return _split_numbers(settings, samples, units, seed)
    try:
        parts = hold_out(units, codes, fraction, seed)
    except ValueError as error:
        raise ValueError(
            f"The 'validation_fraction' parameter of {owner_of(settings)} must hold out, and leave, at "
            f"least one row of each class. Got {settings.validation_fraction!r} of {len(codes)} rows in "
            f"{len(rows.outcome.classes)} classes, the smallest of {np.bincount(codes).min()} row(s)."
        ) from error
    train, test = (samples.take(part.rows, part.weights) for part in parts)
    return train, test


def _split_numbers(settings: Any, samples: Samples, units: Units, seed: int) -> tuple[Samples, Samples]:
    """Hold out a share of the rows, at least two to score by."""
    n_units, fraction = len(units.rows), float(settings.validation_fraction)
    if min(np.ceil(fraction * n_units), np.floor((1 - fraction) * n_units)) < 2:
        raise ValueError(
            f"The 'validation_fraction' parameter of {owner_of(settings)} must hold out, and leave, at least "
            f"2 different rows. Got {settings.validation_fraction!r} of {n_units} rows."
        )
    train, test = (samples.take(part.rows, part.weights) for part in hold_out(units, None, fraction, seed))
    return train, test


def hold_out(
    units: Units, targets: NDArray[np.int32] | None, fraction: float, seed: int
) -> tuple[Units, Units]:
    """The rows to train on and those to hold out, with their weights.

    Raises ValueError where either side would lack a class.

    Parameters
    ----------
    units : what to divide
    targets : of all rows, of which both sides get the same shares; None for any
    fraction : the share of the units to hold out, above 0 and below 1
    seed : of the choice
    """
    from sklearn.model_selection import train_test_split  # slow to import, and seldom needed

    stratify = None if targets is None else targets[units.rows]
    train, test = train_test_split(
        np.arange(len(units.rows)), test_size=fraction, stratify=stratify, random_state=seed
    )
    return units.take(train).merged, units.take(test).merged


def _stopping(settings: Any, held_out: Mapping[str, Samples]) -> Stopping | None:
    """When to stop early: by the score on the first held-out set."""
    if not settings.early_stopping:
        return None
    return Stopping(next(iter(held_out)), int(settings.n_iter_no_change), float(settings.tol))


def _scorer(
    settings: Any, held_out: Mapping[str, Samples], config: EngineConfig, outcome: Outcome
) -> Scorer | None:
    """Accuracy on each held-out set, or the share of the loss explained, where there is a set."""
    if not held_out:
        return None

    def score(state: EngineState) -> dict[str, float]:
        scores: dict[str, float] = {}
        model = to_model(config, state, epoch=0, row=0)
        clauses = compiled_model(model, backend_of(settings))
        for name, samples in held_out.items():
            votes = clauses.votes(samples.literals, thread_count(settings)) + model.constants
            if samples.numbers is not None:
                predicted = outcome.predictions(votes / config.rule.scale)
                scores[name] = explained(settings, samples.numbers, predicted, samples.weights)
                continue
            right = outcome.decide(votes) == samples.codes
            scores[name] = float(np.average(right, weights=samples.weights))
        return scores

    return score


def _require_visit_memory(samples: Samples) -> None:
    weights: Weights | None = samples.weights
    if weights is not None:
        n_visits = int(weights.sum()) + len(weights)
        require_memory(_BYTES_PER_VISIT * n_visits, f"An epoch of about {n_visits:,} visits")
