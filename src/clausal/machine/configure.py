"""From an estimator's parameters to an engine: the weight rule, the config, a new or a resumed engine.

Plain functions over plain values; `settings` is an estimator, of which only the parameters are read.
Not here: the valid values of parameters (settings.py), training (train.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from numbers import Integral
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from clausal.encoding.encoding import Encoding
from clausal.encoding.patches import view_of
from clausal.engine.grouped_engine import GroupedEngine
from clausal.engine.protocol import Engine, EngineConfig, EngineState, down_chances, drop_chance
from clausal.engine.random_stream import Purpose, child_key
from clausal.engine.weight_rule import MAX_LEVEL, WeightRule, weight_rule
from clausal.machine.clause_model import ClauseModel
from clausal.machine.constraints import allowed_literals, check_resumed
from clausal.machine.encode import backend_of, thread_count
from clausal.machine.memory import require_memory
from clausal.machine.read import Fitted
from clausal.machine.settings import PARAMETERS, Group, owner_of, plain_group, shares_clauses
from clausal.machine.targets import make_loss
from clausal.outcome import Outcome

_MOST_SEEDS = np.iinfo(np.int32).max
_TAKEN_AS_THEY_ARE = {field.name for field in fields(EngineConfig)} & set(PARAMETERS) - {
    "n_clauses",
    "threshold",
}
"""Fields of an engine's config that are parameters of the same name and meaning."""

_WEIGHT_PARAMETERS = ("weighting", "weight_floor", "max_weight", "weight_gain")


_SEEDED = np.random.RandomState()  # made once: that takes longer than to seed it
_SEEDING = Lock()


def new_seed(settings: Any) -> int:
    """A seed drawn from `random_state`."""
    if isinstance(settings.random_state, Integral):
        with _SEEDING:
            _SEEDED.seed(int(settings.random_state))
            return int(_SEEDED.randint(_MOST_SEEDS))
    return int(check_random_state(settings.random_state).randint(_MOST_SEEDS))


def make_weight_rule(settings: Any, threshold: int, largest_factor: int = 1) -> WeightRule:
    """The weight rule that the parameters ask for; a weight times the factor stays within 32 bits."""
    maximum = settings.max_weight if largest_factor == 1 else MAX_LEVEL // largest_factor
    return weight_rule(
        settings.weighting,
        floor=int(settings.weight_floor),
        maximum=maximum,
        gain=float(settings.weight_gain),
        threshold=threshold,
        signed=shares_clauses(settings),
    )


def make_config(
    settings: Any,
    encoding: Encoding,
    outcome: Outcome,
    seed: int,
    groups: Sequence[Group] = (),
    label_sets: NDArray[np.uint8] | None = None,
) -> EngineConfig:
    """The engine's config, with the groups of clauses that were chosen, or with those of the parameters."""
    allowed = allowed_literals(settings, encoding, outcome)
    if allowed is not None and outcome.is_numeric:
        allowed[1] = allowed[0]  # all clauses of a machine of numbers vote for
    given = groups or (plain_group(settings),)
    rule = make_weight_rule(settings, given[0].threshold, max(group.factor for group in given))
    parts = tuple(
        EngineConfig(
            n_banks=outcome.n_banks,
            n_columns=encoding.n_columns,
            n_clauses=group.n_clauses,
            threshold=group.threshold * rule.scale,
            down_chance=down_chances(group.specificity, group.n_clauses),
            rule=rule,
            seed=child_key(seed, Purpose.GROUP, index) if groups else seed,
            drop_chance=drop_chance(float(settings.drop_clause)),
            focused_negatives=not outcome.is_numeric and settings.negative_sampling == "focused",
            loss=make_loss(settings),
            allowed=allowed,
            factor=group.factor,
            shared=shares_clauses(settings),
            view=view_of(encoding),
            label_sets=label_sets,
            **{name: _plain(getattr(settings, name)) for name in _TAKEN_AS_THEY_ARE},
        )
        for index, group in enumerate(given)
    )
    if not groups:
        return parts[0]
    return replace(
        parts[0],
        n_clauses=sum(part.n_clauses for part in parts),
        threshold=sum(part.factor * part.threshold for part in parts),
        down_chance=np.concatenate([part.down_chance for part in parts]),
        seed=seed,
        groups=parts,
        factor=1,
    )


def _plain(value: Any) -> Any:
    """A parameter as a Python value; a parameter grid may hold NumPy's."""
    return value.item() if isinstance(value, np.generic) else value


def make_engine(settings: Any, config: EngineConfig, before: Fitted | None) -> Engine:
    """An engine at the start of training, or one that goes on from a model."""
    if before is not None:
        _check_can_go_on(settings, config, before)
    n_automata = config.n_clause_sets * config.n_clauses * config.n_literals
    require_memory(3 * n_automata, f"A machine of {n_automata:,} automata")
    backend, n_threads = backend_of(settings), thread_count(settings)
    engine: Engine = (
        GroupedEngine(config, n_threads, backend) if config.groups else backend.engine(config, n_threads)
    )
    if before is not None:
        model = before.model
        engine.import_state(EngineState(model.states, model.levels, model.step))
    return engine


def _check_can_go_on(settings: Any, config: EngineConfig, before: Fitted) -> None:
    """Refuse parameters that do not allow the present model."""
    model, owner = before.model, owner_of(settings)
    for name, was in (("n_clauses", model.n_clauses), ("n_states", model.n_states)):
        if getattr(config, name) != was:
            raise ValueError(
                f"The {name!r} parameter of {owner} must stay {was} to go on from the present model. "
                f"Got {getattr(settings, name)!r}."
            )
    if config.shared != model.shared:
        raise ValueError(
            f"The 'sharing' parameter of {owner} must be {'clauses' if model.shared else None!r} to go on "
            f"from the present model. Got {settings.sharing!r}."
        )
    if not _allows_weights(config, model):
        got = ", ".join(f"{name}={getattr(settings, name)!r}" for name in _WEIGHT_PARAMETERS)
        raise ValueError(
            f"The parameters {', '.join(_WEIGHT_PARAMETERS)} of {owner} must allow the weights to go on "
            f"from, {model.weights.min()} to {model.weights.max()}. Got {got}."
        )
    check_resumed(model, config.allowed, before.encoding.columns, owner)


def _allows_weights(config: EngineConfig, model: ClauseModel) -> bool:
    rule = config.rule
    within = rule.low <= model.levels.min() and model.levels.max() <= rule.high
    return bool(
        model.scale == rule.scale and within and np.array_equal(config.points(model.levels), model.points)
    )
