"""Samples with patches in the compiled core: the bits of the reference, and views that cannot be."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausal.encoding.patch_view import PatchView
from clausal.engine import native, reference
from clausal.engine.feedback import NumericLoss
from clausal.engine.native import NativeClauses, NativeEngine, available_instruction_sets
from clausal.engine.protocol import pack_bits
from clausal.engine.reference import ReferenceClauses, ReferenceEngine
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config, same_state

N = 8


@st.composite
def views(draw) -> PatchView:
    height, width, depth = draw(st.integers(1, 9)), draw(st.integers(1, 80)), draw(st.integers(1, 3))
    patch = draw(st.integers(max(1, height - 4), height)), draw(st.integers(1, min(width, 12)))
    return PatchView(height, width, depth, *patch, draw(st.integers(1, 3)), draw(st.integers(1, 3)))


def samples(view: PatchView, seed: int = 5) -> np.ndarray:
    bits = keyed_bits(seed, N, view.n_bits).astype(bool)
    return view.pack(bits.reshape(N, view.height, view.width, view.depth))


OPTIONS = {
    "two classes": {},
    "three classes": {"n_banks": 3},
    "focused": {"n_banks": 3, "focused_negatives": True},
    "shared": {"n_banks": 3, "shared": True},
    "shared, focused": {"n_banks": 3, "shared": True, "focused_negatives": True},
    "labels": {"n_banks": 3, "label_sets": keyed_bits(5, 3, 3)},
    "numbers": {"loss": NumericLoss(2**32, 2**32, proportional=True)},
    "all": {"drop_clause": 0.3, "n_states": 5, "max_clause_literals": 4, "specificity": (1.5, 9.0)},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@given(view=views())
@settings(max_examples=6, deadline=None)
def test_every_instruction_set_trains_as_the_reference_does(options, view):
    config = make_config(n_clauses=22, n_columns=view.n_columns, threshold=8, view=view, **options)
    words, order = samples(view), np.arange(16, dtype=np.int64) % N
    targets = keyed_targets(4, N, max(config.n_banks, 2))
    expected = ReferenceEngine(config)
    expected.fit_epoch(words, targets, order)
    for isa in available_instruction_sets():
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CLAUSAL_ISA", isa)
            engine = NativeEngine(config, n_threads=2)
        engine.fit_epoch(words, targets, order)
        assert same_state(engine.export_state(), expected.export_state()), isa


def test_threads_that_share_a_bank_give_the_same_bits():
    view = PatchView(1, 700, 1, 1, 3)  # many words of literals: several threads share one bank
    config = make_config(n_clauses=1600, n_columns=view.n_columns, threshold=100, view=view)
    states = []
    for n_threads in (1, 3):
        engine = NativeEngine(config, n_threads)
        engine.fit_epoch(samples(view), keyed_targets(4, N, 2), np.arange(N, dtype=np.int64))
        states.append(engine.export_state())
    assert same_state(*states)


@given(view=views())
@settings(max_examples=12, deadline=None)
def test_finished_clauses_vote_as_the_reference_does(view):
    generator = np.random.default_rng(view.n_bits)
    include = pack_bits(generator.random((2, 30, 2 * view.n_columns)) < 1.5 / view.n_columns)
    points = generator.integers(-5, 6, (2, 30)).astype(np.int32)
    words = samples(view)
    expected = ReferenceClauses(include, points, view.n_columns, view).votes(words)
    for isa in available_instruction_sets():
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CLAUSAL_ISA", isa)
            clauses = NativeClauses(include, points, view.n_columns, view)
            assert np.array_equal(clauses.votes(words, 2), expected), isa
            fired = native.clause_outputs(include, words, 2, view)
        assert np.array_equal(fired, reference.clause_outputs(include, words, 1, view)), isa
    assert clauses.votes(words[:0]).shape == (0, 2)


VIEW = PatchView(4, 5, 1, 2, 3)


@pytest.mark.parametrize(
    "changes",
    [
        {"height": 1},
        {"patch_width": 6},
        {"row_stride": 0},
        {"patch_height": 0},
        {"depth": 2**40},
        {"height": 2**31, "width": 2**31},
        {"width": 6},  # another number of columns
    ],
)
def test_views_that_cannot_be_are_refused(changes):
    view = replace(VIEW, **changes)
    include, points = np.zeros((1, 2, 1), np.uint64), np.ones((1, 2), np.int32)
    with pytest.raises(ValueError, match="patch|sample|literals|sizes"):
        NativeEngine(make_config(n_clauses=2, n_columns=VIEW.n_columns, view=view))
    with pytest.raises(ValueError, match="patch|sample|literals|sizes"):
        NativeClauses(include, points, VIEW.n_columns, view)


def test_samples_of_another_size_are_refused():
    view = PatchView(9, 9, 1, 2, 2)
    engine = NativeEngine(make_config(n_clauses=2, n_columns=view.n_columns, view=view))
    words, one = samples(view), np.zeros(N, np.int32)
    with pytest.raises(ValueError, match="words of a literal row"):
        engine.fit_epoch(words[:, :1].copy(), one, np.arange(N))
    clauses = NativeClauses(np.zeros((1, 2, 1), np.uint64), np.ones((1, 2), np.int32), view.n_columns, view)
    with pytest.raises(ValueError, match="words of a literal row"):
        clauses.votes(words[:, :1].copy())
    with pytest.raises(ValueError, match="must be packed"):
        clauses.votes_of_bits(np.zeros((2, view.n_columns), np.uint8))
