"""Small machines and data for tests, from the keyed stream, independent of other random generators."""

from __future__ import annotations

from typing import Any

import numpy as np

from clausal.engine.native import NativeEngine
from clausal.engine.protocol import EngineConfig, down_chances, drop_chance
from clausal.engine.random_stream import child_key, words
from clausal.engine.reference import ReferenceEngine
from clausal.engine.weight_rule import weight_rule


def make_config(
    weighting="integer",
    n_banks=1,
    n_clauses=10,
    n_columns=4,
    n_states=128,
    threshold=10,
    specificity=3.0,
    seed=0,
    weight_floor=0,
    max_weight=None,
    weight_gain=0.1,
    drop_clause=0.0,
    shared=False,
    **options: Any,
) -> EngineConfig:
    """An engine configuration from parameters of the estimator."""
    rule = weight_rule(
        weighting,
        floor=weight_floor,
        maximum=max_weight,
        gain=weight_gain,
        threshold=threshold,
        signed=shared,
    )
    return EngineConfig(
        n_banks=n_banks,
        n_clauses=n_clauses,
        n_columns=n_columns,
        n_states=n_states,
        threshold=threshold * rule.scale,
        down_chance=down_chances(specificity, n_clauses),
        rule=rule,
        seed=seed,
        drop_chance=drop_chance(drop_clause),
        shared=shared,
        **options,
    )


def keyed_bits(seed: int, n_rows: int, n_columns: int) -> np.ndarray:
    """Fair bits, uint8 [n_rows, n_columns], the same on every platform."""
    key = np.uint64(child_key(seed, 101))
    return (
        (words(key, np.arange(n_rows * n_columns, dtype=np.uint64)) >> np.uint64(63))
        .astype(np.uint8)
        .reshape(n_rows, n_columns)
    )


def keyed_targets(seed: int, n_rows: int, n_classes: int) -> np.ndarray:
    """Class indices, int32 [n_rows]."""
    key = np.uint64(child_key(seed, 102))
    draws = words(key, np.arange(n_rows, dtype=np.uint64)) >> np.uint64(32)
    return (draws * np.uint64(n_classes) >> np.uint64(32)).astype(np.int32)


def same_state(a, b) -> bool:
    """Whether two engine states agree in every bit."""
    return bool(
        np.array_equal(a.states, b.states) and np.array_equal(a.levels, b.levels) and a.step == b.step
    )


ENGINES = {"reference": ReferenceEngine, "native": NativeEngine}


def fnv1a(content: bytes) -> str:
    """The 64-bit FNV-1a hash, simple enough to be written again in C++."""
    value = 0xCBF29CE484222325
    for byte in content:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"
