"""The law is right: one-step probabilities, one draw per clause, the Markov chain; wrong engines fail."""

from dataclasses import replace

import numpy as np
import pytest

from clausal.engine.native import NativeEngine
from clausal.engine.random_stream import child_key, halves
from clausal.engine.reference import ReferenceEngine
from tests.support.law import (
    ONE_STEP_CASES,
    check_large_bank,
    check_markov_chain,
    check_one_draw,
    check_one_step,
    toy_chain,
)
from tests.support.toy_machines import ENGINES


@pytest.mark.parametrize("case", ONE_STEP_CASES)
def test_one_step_updates_match_the_closed_form(case):
    fewer = {"wide": 12_000, "shared y0": 30_000, "shared y1": 30_000}
    check_one_step(NativeEngine, case, n_steps=fewer.get(case, 100_000))


def test_large_banks_keep_the_law():
    check_large_bank(NativeEngine, n_steps=300)


def test_large_bank_check_catches_a_wrong_specificity():
    with pytest.raises(AssertionError):
        check_large_bank(wrong_specificity, n_steps=100)


class OneTableForAll(ReferenceEngine):
    """Clauses of a step share their draws."""

    def _downs(self, bank, clauses):
        downs = super()._downs(bank, clauses)
        return downs[np.flatnonzero(clauses)[:1]] & clauses[:, None]


def test_large_bank_check_catches_shared_draws():
    with pytest.raises(AssertionError):
        check_large_bank(OneTableForAll, n_steps=40)


def test_reference_one_step_updates_match_the_closed_form():
    check_one_step(ReferenceEngine, "y1", n_steps=4_000)


@pytest.mark.parametrize(("engine", "n_steps"), [("native", 20_000), ("reference", 1_000)])
def test_weight_moves_exactly_with_its_automata(engine, n_steps):
    check_one_draw(ENGINES[engine], n_steps)


def test_toy_machine_follows_its_markov_chain():
    check_markov_chain(NativeEngine, n_runs=100_000)


def test_toy_chain_reaches_weights_of_zero():
    chain = toy_chain()
    assert len(chain) > 500
    assert sum(p for (_, k, _, m), p in chain.items() if k == 0 or m == 0) > 0.1


# --- Deliberately wrong engines: every check must be able to fail. ---


def wrong_specificity(config):
    """1/s is 5 % too small."""
    return NativeEngine(replace(config, down_chance=(config.down_chance * 0.95).astype(np.uint32)))


def wrong_floor(config):
    """Weights stop at 1, as in public code."""
    return NativeEngine(replace(config, rule=replace(config.rule, low=1)))


class WeightDrawnApart(ReferenceEngine):
    """Weights are moved by a draw of their own."""

    def _step(self, bank, x, y):
        levels, states = self.levels[bank].copy(), self.states[bank].copy()
        super()._step(bank, x, y)
        self.levels[bank] = levels
        fired = ~np.any((states >= self.config.n_states) & ~x, axis=1)
        points = self.config.rule.points(levels)
        vote = int(
            np.clip((self.polarity * points)[fired].sum(), -self.config.threshold, self.config.threshold)
        )
        distance = self.config.threshold - vote if y == 1 else self.config.threshold + vote
        draws = halves(child_key(self.config.seed, 77, self.step, bank), self.config.n_clauses)
        moving = (draws < (distance << 32) // (2 * self.config.threshold)) & fired
        favours = self.polarity == (1 if y == 1 else -1)
        self.levels[bank] += (moving & favours & (levels < self.config.rule.high)).astype(np.int32)
        self.levels[bank] -= (moving & ~favours & (levels > self.config.rule.low)).astype(np.int32)


class HalfTypeTwo(ReferenceEngine):
    """Type II steps each automaton up with probability 1/2 only."""

    def _step(self, bank, x, y):
        before = self.states[bank].copy()
        super()._step(bank, x, y)
        against = (self.polarity == 1) == (y == 0)
        rose = (self.states[bank] > before) & against[:, None]
        shape = before.shape
        coin = halves(child_key(self.config.seed, 78, self.step, bank), before.size).reshape(shape) % 2 == 0
        self.states[bank] -= (rose & coin).astype(np.int16)


WRONG = {
    "1/s off by 5 %": (wrong_specificity, 100_000, 20_000, 60_000),
    "weight drawn apart": (WeightDrawnApart, 2_000, 200, 1_500),
    "floor 1": (wrong_floor, 100_000, 20_000, 20_000),
    "Type II with probability 1/2": (HalfTypeTwo, 2_000, 200, 1_000),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_one_draw_check_catches(wrong):
    engine, _, n_steps, _ = WRONG[wrong]
    with pytest.raises(AssertionError):
        check_one_draw(engine, n_steps)


@pytest.mark.parametrize("wrong", WRONG)
def test_markov_chain_check_catches(wrong):
    engine, _, _, n_runs = WRONG[wrong]
    with pytest.raises(AssertionError):
        check_markov_chain(engine, n_runs)


@pytest.mark.parametrize(("wrong", "case"), [(w, c) for w in WRONG for c in ("y0", "y1")])
def test_one_step_check_catches(wrong, case):
    engine, n_steps, _, _ = WRONG[wrong]
    with pytest.raises(AssertionError):
        check_one_step(engine, case, n_steps)
