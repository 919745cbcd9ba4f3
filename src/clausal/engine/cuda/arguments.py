"""What kernels are given, as NumPy records: twins of the structures in core/cuda/arguments.cuh."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from clausal.engine.protocol import EngineConfig

_TEAM_FIELDS = (
    "planes_before",
    "planes",
    "levels_before",
    "levels",
    "down_chance",
    "allowed",
    "literals",
    "turns",
    "n_turns",
    "table",
    "up",
    "down",
    "low",
    "high",
    "margin",
    "threshold",
    "rise",
    "fall",
    "proportional",
    "seed",
    "first_step",
    "drop_chance",
    "max_clause_literals",
)
_VISITS_FIELDS = (
    "order",
    "targets",
    "label_sets",
    "turns",
    "n_turns",
    "n_visits",
    "n_banks",
    "bank",
    "kind",
    "seed",
    "first_step",
)

_SIGNED = {"low", "high", "margin", "threshold"}
_NEVER = np.iinfo(np.int64).max

TEAM = np.dtype([(name, np.int64 if name in _SIGNED else np.uint64) for name in _TEAM_FIELDS])
VISITS = np.dtype([(name, np.uint64) for name in _VISITS_FIELDS])
TURN_BYTES = 16


class Kind(IntEnum):
    """How turns come from visits; twin of the enumeration in core/cuda/list_turns.cu."""

    ONE = 0
    ONE_OF_MANY = 1
    LABEL = 2
    CLASS_THEN_OTHER = 3
    LABELS = 4
    FOCUSED = 5


def kind_of(config: EngineConfig) -> Kind:
    """How the turns of a machine's teams come about."""
    if config.loss is not None or (config.n_banks == 1 and config.label_sets is None):
        return Kind.ONE
    if config.label_sets is not None:
        return Kind.LABELS if config.shared else Kind.LABEL
    if config.focused_negatives:
        return Kind.FOCUSED
    return Kind.CLASS_THEN_OTHER if config.shared else Kind.ONE_OF_MANY


def turns_per_visit(config: EngineConfig) -> int:
    """The most turns that a team has for a visit."""
    kind = kind_of(config)
    return {Kind.LABELS: config.n_banks, Kind.CLASS_THEN_OTHER: 2}.get(kind, 1)


def team_of(config: EngineConfig) -> np.ndarray:
    """The fields of a machine's teams that stay the same, addresses left at 0; one record."""
    rule, loss = config.rule, config.loss
    team = np.zeros(1, TEAM)
    team["low"], team["high"] = rule.low, rule.high
    team["margin"] = _NEVER if rule.margin is None else rule.margin
    team["threshold"] = config.threshold
    if loss is not None:
        team["rise"], team["fall"], team["proportional"] = loss.rise, loss.fall, loss.proportional
    team["seed"] = config.seed
    team["drop_chance"] = config.drop_chance
    most = config.max_clause_literals
    team["max_clause_literals"] = config.n_literals if most is None else most
    return team
