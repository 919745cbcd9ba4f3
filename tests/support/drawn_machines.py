"""Drawn machines with data and states, and machines of wide tables, for tests that compare engines."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from clausal.engine.feedback import NumericLoss
from clausal.engine.protocol import EngineState
from clausal.engine.random_stream import TARGET_BITS
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config

N_COLUMNS = st.sampled_from([1, 2, 3, 31, 32, 33, 63, 64, 65, 100])  # 62, 64 and 66 literals among them
CHANCES = st.sampled_from([1, 2**29, 3 << 30, 2**32])
LOSSES = st.builds(NumericLoss, CHANCES, CHANCES, proportional=st.booleans())
SQUARED = NumericLoss(2**32, 2**32, proportional=True)


@st.composite
def machines(draw):
    """A configuration and some data: all weight rules, options and shapes."""
    n_columns = draw(N_COLUMNS)
    low = draw(st.floats(1, 20))
    mask_seed = draw(st.one_of(st.none(), st.integers(0, 99)))
    kind = draw(st.sampled_from(["classes", "classes", "numbers", "shared"]))
    loss = draw(LOSSES) if kind == "numbers" else None
    n_banks = draw(st.sampled_from([1, 3, 5])) if loss is None else 1
    label_sets = draw(st.sampled_from([None, None, keyed_bits(8, 5, n_banks)])) if loss is None else None
    weightings = ["integer"] if kind == "shared" else ["none", "integer", "real", "rwtla", "cpl_ats"]
    allowed = None
    if mask_seed is not None:
        allowed = keyed_bits(mask_seed, 2, 2 * n_columns).astype(bool)
        allowed[1] = allowed[1 if kind == "classes" else 0]
    config = make_config(
        weighting=draw(st.sampled_from(weightings)),
        n_banks=n_banks,
        shared=kind == "shared",
        label_sets=label_sets,
        n_clauses=2 * draw(st.integers(1, 70)),
        n_columns=n_columns,
        n_states=draw(st.sampled_from([1, 2, 3, 127, 128])),
        threshold=draw(st.one_of(st.integers(1, 60), st.just(2**30))),
        specificity=draw(st.sampled_from([low, (low, low + draw(st.floats(0, 30)))])),
        seed=draw(st.integers(0, 2**64 - 1)),
        weight_floor=draw(st.integers(0, 2)),
        max_weight=draw(st.sampled_from([None, 2, 50])),
        weight_gain=draw(st.sampled_from([0.01, 0.1, 1.0])),
        drop_clause=draw(st.sampled_from([0.0, 0.3])),
        boost_true_positive=draw(st.booleans()),
        max_clause_literals=draw(st.sampled_from([None, 1, 4])),
        focused_negatives=draw(st.booleans()),
        allowed=allowed,
        loss=loss,
    )
    n_rows = draw(st.sampled_from([1, 2, 17]))
    data_seed = draw(st.integers(0, 2**32))
    rows = keyed_bits(data_seed, n_rows, n_columns)
    n_targets = max(n_banks, 2) if loss is None else 2**TARGET_BITS + 1
    n_targets = n_targets if label_sets is None else len(label_sets)
    targets = keyed_targets(data_seed, n_rows, n_targets)
    order = keyed_targets(data_seed + 1, draw(st.sampled_from([1, 40])), n_rows).astype(np.int64)
    first_step = draw(st.sampled_from([0, 1000, 2**40]))
    return config, rows, targets, order, first_step


def random_state(config, seed, step) -> EngineState:
    """Automata anywhere in their range, both ends often, weights likewise."""
    shape = (config.n_banks, config.n_clauses)
    top = 2 * config.n_states - 1
    n_automata = config.n_clause_sets * config.n_clauses * config.n_literals
    anywhere = keyed_targets(seed, n_automata, top + 1)
    end = keyed_targets(seed + 1, anywhere.size, 4)
    states = np.where(end == 0, 0, np.where(end == 1, top, anywhere)).astype(np.uint8)
    low = max(config.rule.low, -2) if config.shared else config.rule.low
    high = min(config.rule.high, low + 5)
    levels = low + keyed_targets(seed + 2, int(np.prod(shape)), high - low + 1)
    states = states.reshape(config.n_clause_sets, config.n_clauses, -1)
    return EngineState(states, levels.astype(np.int32).reshape(shape), step)


def run(engine, state, literals, targets, order):
    if state is not None:
        engine.import_state(state)
    engine.fit_epoch(literals, targets, order)
    return engine.export_state()


WIDE = {  # columns: single words, half and whole blocks; the last ones draw from tables
    126: {},
    192: {},
    220: {"n_states": 5},
    352: {},
    380: {"specificity": (1.0, 30.0)},
    128: {"n_states": 5},
    160: {"specificity": (1.0, 30.0)},
    256: {"n_states": 1},
    400: {"boost_true_positive": True, "weighting": "real"},
    544: {"n_banks": 3},
    546: {"n_banks": 3, "shared": True},
    700: {"drop_clause": 0.3, "max_clause_literals": 3},
    800: {"n_states": 127},
    1100: {"allowed": keyed_bits(5, 2, 2200).astype(bool)},
    1284: {},
    129: {"n_clauses": 500, "n_states": 5},
    270: {"n_clauses": 230, "specificity": (1.0, 30.0)},
    401: {"n_clauses": 160, "boost_true_positive": True, "weighting": "real"},
    545: {"n_clauses": 120, "n_banks": 3},
    802: {"n_clauses": 80, "n_states": 127},
    1102: {"n_clauses": 60, "drop_clause": 0.3, "max_clause_literals": 3},
    1290: {"n_clauses": 52, "allowed": keyed_bits(5, 2, 2580).astype(bool)},
    300: {"loss": SQUARED, "drop_clause": 0.3},
    420: {"loss": SQUARED, "n_clauses": 150, "allowed": keyed_bits(5, 1, 840).astype(bool)[[0, 0]]},
}
"""Options of machines by their number of columns."""


def wide_machine(n_columns):
    """A machine of `WIDE` with rows, targets and an order of visits."""
    options = {"n_clauses": 6, "n_columns": n_columns, "threshold": 6, "specificity": 1.6} | WIDE[n_columns]
    config = make_config(**options)
    rows = keyed_bits(n_columns, 7, n_columns)
    targets = keyed_targets(1, 7, max(config.n_banks, 2) if config.loss is None else 2**TARGET_BITS)
    order = keyed_targets(2, 80 if config.n_clauses == 6 else 12, 7).astype(np.int64)
    return config, rows, targets, order
