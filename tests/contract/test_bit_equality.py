"""Bit for bit: reference, every instruction set and every thread count give the same states and weights."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clausal.engine.feedback import NumericLoss
from clausal.engine.native import INSTRUCTION_SETS, NativeEngine, available_instruction_sets, pack
from clausal.engine.protocol import EngineState
from clausal.engine.random_stream import TARGET_BITS
from clausal.engine.reference import ReferenceEngine
from clausal.engine.reference import pack as reference_pack
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config, same_state

HERE = available_instruction_sets()
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


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(machines(), st.booleans())
def test_all_engines_and_threads_agree(monkeypatch, machine, anywhere):
    config, rows, targets, order, first_step = machine
    literals = reference_pack(rows)
    assert np.array_equal(literals, pack(rows))
    state = random_state(config, 7, first_step) if anywhere else None
    expected = run(ReferenceEngine(config), state, literals, targets, order)
    for isa in HERE:
        monkeypatch.setenv("CLAUSAL_ISA", isa)
        for n_threads in (1, 2, 3, 7):
            engine = NativeEngine(config, n_threads)
            assert engine.isa == isa
            assert same_state(expected, run(engine, state, literals, targets, order)), (isa, n_threads)


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


@pytest.mark.parametrize("anywhere", [False, True])
@pytest.mark.parametrize("n_columns", WIDE)
def test_engines_agree_on_wide_tables(monkeypatch, n_columns, anywhere):
    config = make_config(
        **({"n_clauses": 6, "n_columns": n_columns, "threshold": 6, "specificity": 1.6} | WIDE[n_columns])
    )
    rows = keyed_bits(n_columns, 7, n_columns)
    targets = keyed_targets(1, 7, max(config.n_banks, 2) if config.loss is None else 2**TARGET_BITS)
    order = keyed_targets(2, 80 if config.n_clauses == 6 else 12, 7).astype(np.int64)
    state = random_state(config, 7, 1018) if anywhere else None  # others sit out from step 1024 on
    expected = run(ReferenceEngine(config), state, reference_pack(rows), targets, order)
    for isa in HERE:
        monkeypatch.setenv("CLAUSAL_ISA", isa)
        assert same_state(expected, run(NativeEngine(config), state, pack(rows), targets, order)), isa


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"drop_clause": 0.3},
        {"weighting": "real", "n_clauses": 1001},
        {"loss": SQUARED, "n_clauses": 1003},
        {"n_banks": 3, "shared": True, "drop_clause": 0.3},
        {"n_banks": 2, "shared": True, "label_sets": keyed_bits(6, 2, 2)},
    ],
)
def test_threads_that_share_one_bank_change_nothing(options):
    config = make_config(
        **({"n_clauses": 1200, "n_columns": 1100, "threshold": 300, "specificity": 4.0} | options)
    )
    assert config.n_clauses * 35 >= 2**15  # from here on the bank is shared
    rows = keyed_bits(3, 20, config.n_columns)
    n_targets = max(config.n_banks, 2) if config.loss is None else 2**TARGET_BITS
    targets = keyed_targets(4, 20, n_targets)
    order = np.arange(60, dtype=np.int64) % 20
    alone = run(NativeEngine(config, 1), None, pack(rows), targets, order)
    for n_threads in (2, 3, 7, 64):
        assert same_state(alone, run(NativeEngine(config, n_threads), None, pack(rows), targets, order)), (
            n_threads
        )


@settings(max_examples=60, deadline=None)
@given(machines(), st.integers(1, 40))
@example(
    (
        make_config(n_banks=3, drop_clause=0.5),
        keyed_bits(1, 5, 4),
        keyed_targets(1, 5, 3),
        np.arange(5),
        1022,
    ),
    2,
)
def test_chunks_and_resumption_change_nothing(machine, chunk):
    config, rows, targets, order, first_step = machine
    literals = pack(rows)
    start = random_state(config, 3, first_step)
    whole = run(NativeEngine(config), start, literals, targets, order)
    state = start
    for first in range(0, len(order), chunk):
        state = run(NativeEngine(config), state, literals, targets, order[first : first + chunk])
    assert same_state(whole, state)


@pytest.mark.parametrize("isa", INSTRUCTION_SETS)
def test_forced_instruction_set_runs(monkeypatch, isa):
    monkeypatch.setenv("CLAUSAL_ISA", isa)
    if isa in HERE:
        assert NativeEngine(make_config()).isa == isa
        return
    with pytest.raises(ValueError, match=f"CLAUSAL_ISA must be one of .*Got '{isa}'"):
        NativeEngine(make_config())
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn(
            f"THIS MACHINE CANNOT RUN {isa.upper()}: ITS KERNELS WERE NOT TESTED HERE", stacklevel=1
        )


def test_unknown_instruction_set_is_an_error(monkeypatch):
    monkeypatch.setenv("CLAUSAL_ISA", "sse9")
    with pytest.raises(
        ValueError, match=r"CLAUSAL_ISA must be one of portable, avx2, avx512, neon. Got 'sse9'"
    ):
        NativeEngine(make_config())


def test_a_different_seed_gives_a_different_machine():
    rows, targets, order = keyed_bits(0, 30, 4), keyed_targets(0, 30, 2), np.arange(30)
    ends = [run(NativeEngine(make_config(seed=seed)), None, pack(rows), targets, order) for seed in (1, 2)]
    assert not same_state(*ends)
