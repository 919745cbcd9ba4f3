"""The reference engine: the paper's learning in plain NumPy, to be read beside it. Slow and obviously right.

One call of `_step` is one training step of docs/algorithm.md on one bank. A sample has patches of literals:
one if it is a row of a table. Every fast engine is compared with this one bit for bit. Not here: the random
stream (random_stream.py), the types of feedback and what they move (feedback.py), the weights
(weight_rule.py), which patches there are (encoding/patch_view.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.patch_view import PatchView
from clausal.engine.feedback import feedback_types, moves
from clausal.engine.protocol import (
    ClauseLists,
    EngineConfig,
    EngineState,
    TrainingJob,
    first_state,
    pack_bits,
    unpack_bits,
)
from clausal.engine.random_stream import (
    CHANCE_BITS,
    DROP_BLOCK,
    TARGET_BITS,
    Purpose,
    automaton_draws,
    child_key,
    halves,
    random_table,
    words,
)

Bools = NDArray[np.bool_]


class ReferenceEngine:
    """Trains a machine one step at a time."""

    def __init__(self, config: EngineConfig, n_threads: int = 1) -> None:
        self.config = config  # n_threads is for engines that use it
        self.polarity = config.polarity.astype(np.int64)
        self.allowed = config.literal_mask[(self.polarity < 0).astype(int)]  # [clauses, literals]
        self.import_state(first_state(config))

    def export_state(self) -> EngineState:
        """A copy of the state."""
        return EngineState(self.states.astype(np.uint8), self.levels.copy(), self.step)

    def import_state(self, state: EngineState) -> None:
        """Go on from a state."""
        self.states = state.states.astype(np.int16)  # [clause sets, clauses, literals]
        self.levels = state.levels.copy()  # [banks, clauses]
        self.step = state.step

    def fit_epoch(
        self, literals: NDArray[np.uint64], targets: NDArray[np.int32], order: NDArray[np.int64]
    ) -> None:
        """Visit rows in the order given, one step each; interrupted, the state is as before the call."""
        before = self.export_state()
        try:
            for row in order:
                self._visit(sample_patches(literals[[row]], self.config)[0], int(targets[row]))
        except BaseException:
            self.import_state(before)
            raise

    def fit_epochs(
        self,
        literals: NDArray[np.uint64],
        targets: NDArray[np.int32],
        orders: Sequence[NDArray[np.int64]],
        levels: NDArray[np.int32],
    ) -> None:
        """Run an epoch per order, filling `levels`; interrupted, the state is that of the last whole one."""
        for order, after in zip(orders, levels, strict=True):
            self.fit_epoch(literals, targets, order)
            after[...] = self.levels

    def _visit(self, x: Bools, target: int) -> None:
        """One sample: its one bank, or its class's bank as positive and one other as negative.

        With sets of labels, every bank in order.
        """
        if self.config.loss is not None:
            self._step(0, x, self._rounded(target))
        elif self.config.label_sets is not None:
            for bank, y in enumerate(self.config.label_sets[target].tolist()):
                self._step(bank, x, y)
        elif self.config.n_banks == 1:
            self._step(0, x, target)
        else:
            negative = self._negative_bank(x, target)
            self._step(target, x, 1)
            if negative is not None:
                self._step(negative, x, 0)
        self.step += 1

    def _rounded(self, share: int) -> int:
        """The vote to aim at: a number between 0 and T, rounded so that its mean is right."""
        draw = child_key(self.config.seed, Purpose.ROUND, self.step) >> (64 - TARGET_BITS)
        return share * self.config.threshold + draw >> TARGET_BITS

    def _negative_bank(self, x: Bools, target: int) -> int | None:
        """The other bank to train: uniform, or in proportion to its update probability."""
        draw = child_key(self.config.seed, Purpose.NEGATIVE, self.step)
        if not self.config.focused_negatives:
            other = draw * (self.config.n_banks - 1) >> 64
            return other + (other >= target)
        fired = [_fired(self._matches(bank, x)) for bank in range(self.config.n_banks)]
        shares = [
            0 if bank == target else self.config.threshold + self._vote(bank, fired[bank])
            for bank in range(self.config.n_banks)
        ]
        pick = draw * sum(shares) >> 64
        for bank, share in enumerate(shares):
            if pick < share:
                return bank
            pick -= share
        return None  # every other bank is already as sure as can be

    def _clause_set(self, bank: int) -> int:
        """The index of a bank's clauses."""
        return 0 if self.config.shared else bank

    def _signs(self, bank: int) -> NDArray[np.int_]:
        """1 for clauses that vote for a bank, -1 for those against; shared ones by their level."""
        return np.where(self.levels[bank] >= 0, 1, -1) if self.config.shared else self.polarity

    def _matches(self, bank: int, x: Bools) -> Bools:
        """Which patches satisfy which clauses while learning, [clauses, patches]: a clause fires if any does.

        All satisfy an empty clause, none one that sits out.
        """
        include = self.states[self._clause_set(bank)] >= self.config.n_states
        missing: Bools = np.any(include[:, None] & ~x, axis=2)
        return ~missing & ~self._dropped(bank)[:, None]

    def _learned_from(self, bank: int, x: Bools, matches: Bools) -> Bools:
        """The patch that each clause learns from, [clauses, literals]: drawn uniformly from its matches.

        For a clause without any it is the first patch, which is not looked at: Type Ib ignores the sample.
        """
        key = child_key(self.config.seed, Purpose.PATCH, self.step, bank)
        draws = words(np.uint64(key), np.arange(len(matches), dtype=np.uint64)) >> np.uint64(32)
        picks = draws * matches.sum(axis=1).astype(np.uint64) >> np.uint64(32)
        is_picked = matches & (matches.cumsum(axis=1) == picks.astype(np.int64)[:, None] + 1)
        learned_from: Bools = x[is_picked.argmax(axis=1)]
        return learned_from

    def _dropped(self, bank: int) -> Bools:
        """Which clauses sit out this block of steps."""
        key = child_key(self.config.seed, Purpose.DROP, self.step // DROP_BLOCK, self._clause_set(bank))
        return halves(key, self.config.n_clauses) < self.config.drop_chance

    def _vote(self, bank: int, fired: Bools) -> int:
        """The clipped vote v."""
        points = self.config.rule.points(self.levels[bank])
        vote = int((self.polarity * points)[fired].sum())
        return max(-self.config.threshold, min(self.config.threshold, vote))

    def _aim(self, goal: int, vote: int) -> tuple[bool, int, int]:
        """Whether the vote is to rise, with which chance for each clause, and the vote for the label.

        For a class, the chance is (T - v) / 2T or (T + v) / 2T; for a number, the loss says.
        """
        threshold, loss = self.config.threshold, self.config.loss
        if loss is not None:
            return vote < goal, loss.chance(vote - goal, threshold), 0
        lead = vote if goal == 1 else -vote
        return goal == 1, (threshold - lead << CHANCE_BITS) // (2 * threshold), lead

    def _selected(self, bank: int, chance: int) -> Bools:
        """Each clause independently."""
        key = child_key(self.config.seed, Purpose.SELECT, self.step, bank)
        return halves(key, self.config.n_clauses) < chance

    def _downs(self, bank: int, clauses: Bools) -> Bools:
        """One draw with probability 1/s for every automaton of the given clauses."""
        index = np.flatnonzero(clauses)
        keys = words(
            np.uint64(child_key(self.config.seed, Purpose.AUTOMATA, self.step, bank)), index.astype(np.uint64)
        )
        drawn = np.zeros((self.config.n_clauses, self.config.n_literals), bool)
        key = child_key(self.config.seed, Purpose.TABLE, self.step, bank)
        table = random_table(key, self.config.n_clauses, self.config.n_literals)
        draws = automaton_draws(keys, table, self.config.n_literals)
        drawn[index] = draws < self.config.down_chance[index, None]
        return drawn

    def _step(self, bank: int, x: Bools, goal: int) -> None:
        """One training step of one bank with a sample's patches x and its label, or the vote to aim at."""
        config, states, levels = self.config, self.states[self._clause_set(bank)], self.levels[bank]
        matches = self._matches(bank, x)
        fired = _fired(matches)
        up_to_goal, chance, lead = self._aim(goal, self._vote(bank, fired))
        selected = self._selected(bank, chance) & ~self._dropped(bank)
        favours = self._signs(bank) == (1 if up_to_goal else -1)
        length = (states >= config.n_states).sum(axis=1)
        longest = config.n_literals if config.max_clause_literals is None else config.max_clause_literals

        types = feedback_types(selected, favours, fired, fits=length <= longest)
        drawn = self._downs(bank, types.type_1a | types.type_1b)
        patch = self._learned_from(bank, x, matches)
        up, down = moves(types, patch, drawn, boost_true_positive=config.boost_true_positive)

        states += (up & self.allowed).astype(np.int16)
        states -= (down & self.allowed).astype(np.int16)
        np.clip(states, 0, 2 * config.n_states - 1, out=states)
        moved = ~config.rule.stays(levels, lead)
        rises, falls = types.type_1a & moved, types.type_2 & moved
        if config.shared:  # a level has a sign, and moves towards the goal
            rises, falls = (rises | falls) & up_to_goal, (rises | falls) & (not up_to_goal)
        levels[rises] = config.rule.reward(levels[rises])
        levels[falls] = config.rule.penalise(levels[falls])


def _fired(matches: Bools) -> Bools:
    """Which clauses some patch satisfies."""
    fired: Bools = np.any(matches, axis=1)
    return fired


def sample_patches(literals: NDArray[np.uint64], config: EngineConfig) -> Bools:
    """The literals of each patch of packed samples, [n, patches, literals]; a row of a table is one patch."""
    if config.view is None:
        return unpack_bits(literals, config.n_literals)[:, None]
    return patch_literals(literals, config.view)


def patch_literals(samples: NDArray[np.uint64], view: PatchView) -> Bools:
    """The literals of each patch of packed samples, [n, patches, literals]."""
    columns = view.columns(samples)
    return np.concatenate([columns, ~columns], axis=2)


def train_many(jobs: Sequence[TrainingJob[ReferenceEngine]], n_threads: int = 1) -> None:
    """Train different machines, one after another; interrupted, all are as before the call."""
    if len({id(job.engine) for job in jobs}) < len(jobs):
        raise ValueError("a machine must be given once")
    before = [job.engine.export_state() for job in jobs]
    try:
        for job in jobs:
            job.engine.fit_epoch(job.literals, job.targets, job.order)
    except BaseException:
        for job, state in zip(jobs, before, strict=True):
            job.engine.import_state(state)
        raise


def pack(bits: NDArray[np.uint8], n_threads: int = 1) -> NDArray[np.uint64]:
    """Literals of boolean rows as words: bit k of a row is literal k, columns first, then their negations."""
    return pack_bits(np.concatenate([bits != 0, bits == 0], axis=1))


def pack_csr(
    row_starts: NDArray[np.int64], columns: NDArray[np.int64], n_columns: int, n_threads: int = 1
) -> NDArray[np.uint64]:
    """Literals of rows given as the indices of their true columns."""
    bits = np.zeros((len(row_starts) - 1, n_columns), np.uint8)
    bits[np.repeat(np.arange(len(bits)), np.diff(row_starts)), columns] = 1
    return pack(bits)


def clause_outputs(
    include: NDArray[np.uint64],
    literals: NDArray[np.uint64],
    n_threads: int = 1,
    view: PatchView | None = None,
) -> NDArray[np.uint8]:
    """Which clauses fire when predicting, [n, banks * clauses]; empty ones never do.

    Rows are literals or, with a view, samples of patches.
    """
    if view is not None:
        per_sample = (pack_bits(patch_literals(sample[None], view)[0]) for sample in literals)
        fired = [clause_outputs(include, patches).any(axis=0) for patches in per_sample]
        return np.array(fired, np.uint8).reshape(len(literals), -1 if fired else include[..., 0].size)
    flat = include.reshape(-1, include.shape[-1])
    missing: Bools = np.any(flat[None, :, :] & ~literals[:, None, :], axis=2)
    filled: Bools = np.any(flat, axis=1)
    return (~missing & filled).astype(np.uint8)


class ReferenceClauses:
    """Trained clauses: words [banks, clauses, words] and signed points [banks, clauses]."""

    def __init__(
        self,
        include: NDArray[np.uint64],
        points: NDArray[np.int32],
        n_columns: int,
        view: PatchView | None = None,
    ) -> None:
        n_banks, n_clauses = points.shape
        self.view = view
        self._set(include, np.repeat(np.arange(n_banks), n_clauses), points.ravel(), n_banks, n_columns)

    @classmethod
    def from_lists(cls, lists: ClauseLists, n_banks: int, n_columns: int) -> ReferenceClauses:
        """Clauses that are lists of literals: literal k is column k, `n_columns` + k its negation."""
        include = np.zeros((len(lists.points), 2 * n_columns), bool)
        include[np.repeat(np.arange(len(include)), np.diff(lists.starts)), lists.literals] = True
        clauses = cls.__new__(cls)
        clauses.view = None
        clauses._set(pack_bits(include), lists.banks, lists.points, n_banks, n_columns)
        return clauses

    def _set(
        self,
        include: NDArray[np.uint64],
        banks: NDArray[np.integer],
        points: NDArray[np.integer],
        n_banks: int,
        n_columns: int,
    ) -> None:
        self.include, self.n_banks, self.n_columns = include, n_banks, n_columns
        self.banks, self.points = banks, points.astype(np.int64)  # of each clause

    def votes(self, literals: NDArray[np.uint64], n_threads: int = 1) -> NDArray[np.int64]:
        """Votes [n, banks] on packed rows, or samples with patches, [n, words]."""
        votes = clause_outputs(self.include, literals, view=self.view) * self.points
        total = np.zeros((len(literals), self.n_banks), np.int64)
        for bank in range(self.n_banks):
            total[:, bank] = votes[:, self.banks == bank].sum(axis=1)
        return total

    def votes_of_bits(self, bits: NDArray[np.uint8], n_threads: int = 1) -> NDArray[np.int64] | None:
        """Votes on rows of bytes [n, columns]; None where a byte is neither 0 nor 1."""
        return None if np.any(bits > 1) else self.votes(pack(bits))

    def votes_of_sparse(
        self, row_starts: NDArray[np.integer], columns: NDArray[np.integer], n_threads: int = 1
    ) -> NDArray[np.int64]:
        """Votes on rows given as the indices of their true columns."""
        return self.votes(pack_csr(row_starts.astype(np.int64), columns.astype(np.int64), self.n_columns))
