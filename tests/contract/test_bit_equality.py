"""Bit for bit: reference, every instruction set and every thread count give the same states and weights."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clausal.engine.native import INSTRUCTION_SETS, NativeEngine, available_instruction_sets, pack
from clausal.engine.random_stream import TARGET_BITS
from clausal.engine.reference import ReferenceEngine
from clausal.engine.reference import pack as reference_pack
from tests.support.drawn_machines import SQUARED, WIDE, machines, random_state, run, wide_machine
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config, same_state

HERE = available_instruction_sets()


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


@pytest.mark.parametrize("anywhere", [False, True])
@pytest.mark.parametrize("n_columns", WIDE)
def test_engines_agree_on_wide_tables(monkeypatch, n_columns, anywhere):
    config, rows, targets, order = wide_machine(n_columns)
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
