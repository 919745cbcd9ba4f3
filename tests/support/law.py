"""The learning law as checks of an engine, each of which raises AssertionError.

Each check takes a function that makes an engine from a configuration, so that tests can check correct engines
and show that wrong ones are detected. Probabilities are computed from the specification, not from the code of
the engines.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
from scipy import stats

from clausal.engine.feedback import NumericLoss
from clausal.engine.protocol import EngineState
from clausal.engine.reference import pack
from tests.support.toy_machines import make_config

N = 4  # states per action in the one-step checks


def one_step(engine, state: EngineState, step: int, x, y) -> EngineState:
    """The state after one training step with this step number, from a fixed state."""
    engine.import_state(EngineState(state.states, state.levels, step))
    engine.fit_epoch(pack(np.array([x], np.uint8)), np.array([y], np.int32), np.array([0], np.int64))
    return engine.export_state()


def expected_moves(config, state, x, y):
    """The probability of selection, and per automaton those of a step up and down if selected.

    `y` is a label or, for a machine that learns numbers, a share of the range that is a whole vote.
    """
    literals = np.concatenate([np.array(x) == 1, np.array(x) == 0])
    include = state.states[0] >= config.n_states
    fired = np.array([not np.any(row & ~literals) for row in include])
    sign = np.where(np.arange(config.n_clauses) % 2 == 0, 1, -1)
    points = config.rule.points(state.levels[0])
    if config.loss is not None:
        sign[:] = 1
    if config.shared:
        sign, points = np.where(points >= 0, 1, -1), abs(points)
    vote = np.clip((sign * points * fired).sum(), -config.threshold, config.threshold)
    selection = (config.threshold + (-vote if y else vote)) / (2 * config.threshold)
    if config.loss is not None:
        error = vote / config.threshold - y / 2**30
        y = error < 0
        selection = (config.loss.rise if y else config.loss.fall) / 2**32
        selection *= abs(error) if config.loss.proportional else 1
    longest = config.max_clause_literals or config.n_literals
    q = config.down_chance / 2**24
    up, down = np.zeros(include.shape), np.zeros(include.shape)
    level = np.zeros(config.n_clauses, int)
    for j in range(config.n_clauses):
        favors = (sign[j] == 1) == (y == 1)
        if favors and fired[j] and include[j].sum() <= longest:
            up[j] = literals * (1.0 if config.boost_true_positive else 1 - q[j])
            down[j] = ~literals * q[j]
            level[j] = 1
        elif favors:
            down[j] = q[j]
        elif fired[j]:
            up[j] = ~literals * 1.0
            level[j] = -1
    level *= sign if config.shared else 1
    up[state.states[0] == 2 * config.n_states - 1] = 0
    down[state.states[0] == 0] = 0
    return selection, up, down, level


def law_state(config) -> EngineState:
    """A fixed state with empty, firing, silent and long clauses and automata at both ends."""
    states = np.full((1, config.n_clauses, config.n_literals), N - 1, np.uint8)
    states[0, 0, 0] = N  # for, fires on x0
    states[0, 1, 1] = N  # against, silent
    states[0, 2, [0, 5]] = 2 * N - 1, 0  # for, fires, saturated at both ends
    states[0, 3, 0] = N + 1  # against, fires
    states[0, 4, [0, 5, 6]] = N, N, N  # for, fires, three literals
    states[0, 5, :] = 0  # against, empty, all at the bottom
    levels = np.full((1, config.n_clauses), config.rule.start, np.int32)
    levels[0, 3] += config.rule.table is None and config.rule.high > 1  # a weight of 2 where weights move
    if config.shared:
        levels *= (1, -1, 0, -1, -1, -1)
    return EngineState(states, levels, 0)


ONE_STEP_CASES = {
    "y1": ({}, 1),
    "y0": ({}, 0),
    "boost": ({"boost_true_positive": True}, 1),
    "short": ({"max_clause_literals": 2}, 1),
    "real": ({"weighting": "real"}, 0),
    "plain": ({"weighting": "none"}, 1),
    "shared y1": ({"shared": True}, 1),
    "shared y0": ({"shared": True}, 0),
    "wide": ({"n_columns": 150}, 1),
    "number above": ({"threshold": 16, "loss": NumericLoss(2**32, 2**32, proportional=True)}, 14 << 26),
    "number below": ({"threshold": 16, "loss": NumericLoss(2**32, 2**31, proportional=True)}, 0),
    "quantile above": ({"threshold": 16, "loss": NumericLoss(3 << 30, 1 << 30, proportional=False)}, 7 << 26),
    "quantile below": ({"threshold": 16, "loss": NumericLoss(3 << 30, 1 << 30, proportional=False)}, 5 << 26),
}


def law_sample(n_columns: int) -> list[int]:
    """A sample on which the clauses of `law_state` fire or not as its comments say."""
    if n_columns == 4:
        return [1, 0, 0, 1]
    return [1, 0, *[int(k % 3 != 0 or k in (5, 6)) for k in range(2, n_columns)]]


def check_one_step(make_engine, case: str, n_steps: int) -> None:
    """Every automaton moves with its closed-form probability, independently of every other one."""
    options, y = ONE_STEP_CASES[case]
    shape = {"n_clauses": 6, "n_columns": 4, "n_states": N, "threshold": 4}
    config = make_config(specificity=4.0, seed=5, **(shape | options))
    x = law_sample(config.n_columns)
    state = law_state(config)
    engine = make_engine(config)
    selection, up, down, level = expected_moves(config, state, x, y)
    before = state.states[0].astype(int)
    reachable = state.levels[0] + level
    level *= (reachable >= config.rule.low) & (reachable <= config.rule.high)
    moves = np.empty((n_steps, *before.shape), np.int8)
    weight_moved = np.empty((n_steps, config.n_clauses, 1), bool)
    for step in range(n_steps):
        after = one_step(engine, state, step, x, y)
        moves[step] = after.states[0].astype(int) - before
        change = after.levels[0] - state.levels[0]
        assert np.all((change == 0) | (change == level)), "a weight moved the wrong way"
        weight_moved[step, :, 0] = change != 0
    assert np.all(np.abs(moves) <= 1)
    check_marginals(moves, selection * up, selection * down, n_steps)
    moved = np.concatenate([moves != 0, weight_moved], axis=2)
    check_pairs(moved, selection, np.concatenate([up + down, abs(level)[:, None]], axis=1), n_steps)


def z_scores(counts, probabilities, n):
    """Standardized deviations; impossible and certain events must match exactly."""
    spread = np.sqrt(n * probabilities * (1 - probabilities))
    exact = spread < 1e-9
    assert np.array_equal(counts[exact], np.rint(n * probabilities[exact])), "an impossible move happened"
    return (counts[~exact] - n * probabilities[~exact]) / spread[~exact]


def check_marginals(moves, up, down, n):
    """Check single automata."""
    z = np.concatenate([z_scores((moves == 1).sum(0), up, n), z_scores((moves == -1).sum(0), down, n)])
    assert np.abs(z).max() < 5, f"an automaton moves too often or too rarely: z = {np.abs(z).max():.1f}"
    assert (z**2).sum() < stats.chi2.isf(1e-6, 3 * len(z)), "automata move too often or too rarely"


def check_pairs(moved, selection, q, n):
    """Pairs of automata or weights: within a clause they share only its selection, across clauses nothing.

    Each is also paired with itself: how often it moves.
    """
    flat = moved.reshape(n, -1).astype(np.float32)  # counts below 2^24 stay exact
    clause = np.repeat(np.arange(moved.shape[1]), moved.shape[2])
    joint = np.outer(q.ravel(), q.ravel()) * np.where(
        clause[:, None] == clause[None, :], selection, selection**2
    )
    np.fill_diagonal(joint, selection * q.ravel())
    first, second = np.triu_indices(flat.shape[1])
    z = z_scores((flat.T @ flat)[first, second].astype(np.float64), joint[first, second], n)
    bound = stats.norm.isf(0.01 / len(z))  # one correct engine in fifty would fail
    assert np.abs(z).max() < bound, f"two automata are not independent: z = {np.abs(z).max():.1f}"


def check_one_draw(make_engine, n_steps: int) -> None:
    """With s = 1 a selected clause always shows in its automata: they and the weight must move together."""
    config = make_config(n_clauses=6, n_columns=4, n_states=N, threshold=4, specificity=1.0, seed=6)
    x = [1, 0, 0, 1]
    zeros = np.flatnonzero(np.concatenate([np.array(x) == 0, np.array(x) == 1]))
    state = law_state(config)
    state.states[0, 2, 5] = 1  # no zero literal at the bottom, so that every selection shows
    state.states[0, 5, :] = 1
    engine = make_engine(config)
    for y in (0, 1):
        _, _, _, level = expected_moves(config, state, x, y)
        for step in range(n_steps):
            after = one_step(engine, state, step, x, y)
            moved = after.states[0] != state.states[0]
            selected = moved.any(axis=1)
            change = after.levels[0] - state.levels[0]
            assert np.array_equal(change, np.where(selected, level, 0)), (
                "weight and automata did not move together"
            )
            acted = selected & (level != 0)
            assert moved[acted][:, zeros].all(), "a selected clause moved only some of its automata"


TOY = {"n_clauses": 2, "n_columns": 1, "n_states": 2, "threshold": 2, "specificity": 2.5, "max_weight": 3}
TOY_SAMPLES = (
    ([1], 1),
    ([0], 0),
    ([1], 1),
    ([1], 0),
    ([0], 1),
    ([0], 0),
    ([1], 1),
    ([0], 0),
    ([1], 0),
    ([0], 0),
)


def toy_chain() -> dict:
    """The exact distribution of the toy machine after TOY_SAMPLES, over its 4^4 * 4^2 = 4096 states.

    A state is ((automata of clause 0), level 0, (automata of clause 1), level 1).
    """
    start = ((1, 1), 1, (1, 1), 1)
    chain = {start: 1.0}
    for x, y in TOY_SAMPLES:
        after = Counter()
        for state, probability in chain.items():
            for target, chance in toy_transitions(state, x[0], y):
                after[target] += probability * chance
        chain = after
    return chain


def toy_transitions(state, x, y):
    """All (state, probability) that one step can lead to: the two clauses are independent given the vote."""
    literals = (x == 1, x == 0)
    clauses = ((state[0], state[1]), (state[2], state[3]))
    fired = [all(lit or a < 2 for a, lit in zip(automata, literals, strict=True)) for automata, _ in clauses]
    vote = max(-2, min(2, clauses[0][1] * fired[0] - clauses[1][1] * fired[1]))
    selection = (2 - vote if y else 2 + vote) / 4
    choices = []
    for j, (automata, level) in enumerate(clauses):
        outcomes = Counter({(automata, level): 1 - selection})
        for moved, chance in toy_feedback(automata, literals, fired[j], favors=(j == 0) == (y == 1)):
            step = 0
            if fired[j]:
                step = 1 if (j == 0) == (y == 1) else -1
            outcomes[(moved, max(0, min(3, level + step)))] += selection * chance
        choices.append(outcomes)
    for (first, p), (second, q) in product(choices[0].items(), choices[1].items()):
        yield (*first, *second), p * q


def toy_feedback(automata, literals, fired, favors):
    """All (automata, probability) that feedback to a selected clause can lead to."""
    q = 1 / 2.5
    options = []
    for state, literal in zip(automata, literals, strict=True):
        up, down = min(state + 1, 3), max(state - 1, 0)
        if not favors:
            options.append([(up if fired and not literal else state, 1.0)])
        elif fired and literal:
            options.append([(up, 1 - q), (state, q)])
        else:
            options.append([(down, q), (state, 1 - q)])
    for (a, p), (b, r) in product(*options):
        yield (a, b), p * r


def check_markov_chain(make_engine, n_runs: int) -> None:
    """Many short runs of the toy machine are distributed as its exact Markov chain says."""
    config = make_config(**TOY, seed=11)
    literals = pack(np.array([x for x, _ in TOY_SAMPLES], np.uint8))
    targets = np.array([y for _, y in TOY_SAMPLES], np.int32)
    order = np.arange(len(TOY_SAMPLES), dtype=np.int64)
    engine = make_engine(config)
    fresh = EngineState(np.full((1, 2, 2), 1, np.uint8), np.ones((1, 2), np.int32), 0)
    seen = Counter()
    for run in range(n_runs):
        engine.import_state(EngineState(fresh.states, fresh.levels, run * len(order)))
        engine.fit_epoch(literals, targets, order)
        end = engine.export_state()
        (a, b), (k, m) = end.states[0].tolist(), end.levels[0].tolist()
        seen[(tuple(a), k, tuple(b), m)] += 1
    compare_with_chain(seen, toy_chain(), n_runs)


def compare_with_chain(seen, chain, n_runs):
    """A chi-square test over states; the rare states are one group."""
    assert abs(sum(chain.values()) - 1) < 1e-9
    assert set(seen) <= set(chain), "a state was reached that the chain cannot reach"
    common = [state for state, probability in chain.items() if probability * n_runs >= 8]
    expected = np.array([chain[state] * n_runs for state in common])
    counts = np.array([seen[state] for state in common])
    expected, counts = np.append(expected, n_runs - expected.sum()), np.append(counts, n_runs - counts.sum())
    chi2 = ((counts - expected) ** 2 / np.maximum(expected, 1e-9)).sum()
    p_value = stats.chi2.sf(chi2, len(common))
    assert p_value > 1e-5, f"the machine does not follow its Markov chain: p = {p_value:.1e}"


def check_large_bank(make_engine, n_steps: int) -> None:
    """In a bank with the array of purpose 7, literals of silent clauses step down independently with 1/s."""
    config = make_config(n_clauses=512, n_columns=128, n_states=N, threshold=50, specificity=5.0, seed=3)
    states = np.full((1, config.n_clauses, config.n_literals), N - 1, np.uint8)
    states[0, :, 1] = N  # the literal that is 0: no clause fires, so the vote is 0 and half are selected
    state = EngineState(states, np.full((1, config.n_clauses), config.rule.start, np.int32), 0)
    x = [1, 0, *[1] * 126]
    engine = make_engine(config)
    fallen = []
    for step in range(n_steps):
        fell = one_step(engine, state, step, x, 1).states[0] < states[0]
        assert not fell[1::2].any(), "a clause of the other polarity moved"
        fallen.append(fell[::2])
    moved = np.concatenate(fallen)  # [clauses favored, literals]
    q = float(config.down_chance[0]) / 2**24
    check_pairs(moved[:, None, :], 0.5, np.full((1, config.n_literals), q), len(moved))
    together = np.stack([rows[:-1] & rows[1:] for rows in fallen]).reshape(-1, config.n_literals)
    n = len(together)  # the same literal of neighboring clauses
    z = z_scores(together.sum(axis=0), np.full(config.n_literals, (0.5 * q) ** 2), n)
    assert np.abs(z).max() < 5, "two clauses are not independent"
