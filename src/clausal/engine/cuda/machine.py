"""Machines in training on a GPU: their state lies there, and whole calls of epochs run without the host.

A machine is trained by teams of blocks: one per clause set, or one for the whole machine where its banks
depend on each other. The state before a call is kept beside that after it, so that an interrupted call
changes nothing. Not here: the kernels (core/cuda), their sizes (layout.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.engine.cuda.arguments import TEAM, TURN_BYTES, VISITS, kind_of, team_of, turns_per_visit
from clausal.engine.cuda.device import Device, Memory, open_device
from clausal.engine.cuda.layout import Layout, Shape, layout_of, shape_of
from clausal.engine.protocol import EngineConfig, EngineState, TrainingJob, first_state
from clausal.engine.random_stream import TARGET_BITS

_PLANES = 9
_THREADS = 256
_LISTING_THREADS = 1024
_TURNS_PER_PART = 20_000
"""Turns of a team between two moments at which Ctrl-C is answered."""


class _State(NamedTuple):
    """What learning changes, on the GPU."""

    planes: Memory
    levels: Memory


class _Standing(NamedTuple):
    """The state now, memory for that after the next call, and the steps taken."""

    now: _State
    spare: _State
    step: int


class CudaEngine:
    """Trains a machine on a GPU."""

    def __init__(self, config: EngineConfig, n_threads: int = 1, device: int = 0) -> None:
        self.config, self.device = config, open_device(device)  # n_threads is for engines that use it
        self.shape = shape_of(config)
        n_words = config.n_clause_sets * config.n_clauses * self.shape.n_words
        n_levels, rule = config.n_banks * config.n_clauses, config.rule
        constants: dict[str, NDArray[Any] | None] = {
            "down_chance": config.down_chance,
            "allowed": config.allowed_words,
            "table": rule.table,
            "up": rule.up,
            "down": rule.down,
            "label_sets": config.label_sets,
        }
        with (gpu := self.device):
            now, spare = (
                _State(gpu.memory(8 * _PLANES * n_words), gpu.memory(4 * n_levels)) for _ in range(2)
            )
            self._standing = _Standing(now, spare, 0)
            self._constants = {name: gpu.put(value) for name, value in constants.items() if value is not None}
            self._teams = self._make_teams()
            self.import_state(first_state(config))

    def _make_teams(self) -> NDArray[Any]:
        config = self.config
        n_teams = config.n_clause_sets if self.shape.n_sets == 1 else 1
        teams = np.repeat(team_of(config), n_teams)
        for name in ("down_chance", "allowed", "table", "up", "down"):
            if name in self._constants:
                teams[name] = self._constants[name].address
        return teams

    @property
    def n_teams(self) -> int:
        """Teams that train the machine at the same time."""
        return len(self._teams)

    @property
    def team_bytes(self) -> tuple[int, int]:
        """Bytes of planes and of levels from one team to the next."""
        planes, levels = self._standing.now
        return planes.n_bytes // self.n_teams, levels.n_bytes // self.n_teams

    def fit_epoch(
        self, literals: NDArray[np.uint64], targets: NDArray[np.int32], order: NDArray[np.int64]
    ) -> None:
        """Visit rows in the order given, one step each; interrupted, the state is as before the call."""
        train_many([TrainingJob(self, literals, targets, order)])

    def fit_epochs(
        self,
        literals: NDArray[np.uint64],
        targets: NDArray[np.int32],
        orders: Sequence[NDArray[np.int64]],
        levels: NDArray[np.int32],
    ) -> None:
        """Run an epoch per order, filling `levels`; interrupted, the state is that of the last whole one."""
        with self.device as device:
            copies = _Copies(device)
            for order, after in zip(orders, levels, strict=True):
                try:
                    _train([TrainingJob(self, literals, targets, order)], copies)
                finally:  # an interrupt may come between the end of an epoch and this
                    after[...] = self.levels

    @property
    def step(self) -> int:
        """Steps taken so far."""
        return self._standing.step

    @property
    def levels(self) -> NDArray[np.int32]:
        """The clauses' levels, [banks, clauses]."""
        levels = np.empty((self.config.n_banks, self.config.n_clauses), np.int32)
        with self.device as device:
            device.read(self._standing.now.levels, levels)
        return levels

    def export_state(self) -> EngineState:
        """A copy of the state."""
        config, device = self.config, self.device
        states = np.empty((config.n_clause_sets, config.n_clauses, config.n_literals), np.uint8)
        with device:
            levels = self.levels
            memory = device.memory(states.nbytes)
            self._convert("planes_to_states", self._standing.now.planes, memory)
            device.read(memory, states)
            return EngineState(states, levels, self.step)

    def import_state(self, state: EngineState) -> None:
        """Go on from a state."""
        with self.device as device:
            memory = device.put(np.ascontiguousarray(state.states, np.uint8))
            now, spare, _ = self._standing
            self._convert("states_to_planes", memory, spare.planes)
            device.write(spare.levels, np.ascontiguousarray(state.levels, np.int32))
            device.wait()
            self._standing = _Standing(spare, now, int(state.step))

    def _convert(self, name: str, source: Memory, target: Memory) -> None:
        n_sets = self.config.n_clause_sets
        n_words = n_sets * self.config.n_clauses * self.shape.n_words
        constants = _plain_layout(self.shape).constants
        kernel = self.device.kernel("states", name, constants)
        self.device.run(kernel, -(-n_words // _THREADS), _THREADS, (source, target, np.uint32(n_sets)))

    # --- one call to train, of which `_train` asks ---

    def check(self, job: TrainingJob[CudaEngine]) -> None:
        """Refuse arrays of another kind or size. What they hold is checked once for each (`_Copies`)."""
        kinds = [array.dtype for array in (job.literals, job.targets, job.order)]
        if kinds != [np.uint64, np.int32, np.int64]:
            raise TypeError(f"literals, targets and order must be uint64, int32 and int64. Got {kinds}.")
        n_rows, (*_, n_words) = len(job.targets), job.literals.shape
        _require(
            len(job.literals) == n_rows, f"the number of targets must be {len(job.literals)}. Got {n_rows}"
        )
        expected = self.shape.sample_words
        _require(n_words == expected, f"the words of a row must be {expected}. Got {n_words}")
        n_turns = len(job.order) * turns_per_visit(self.config)
        _require(n_turns < 1 << 32, f"a call must have fewer than 2^32 steps. Got {n_turns}")

    @property
    def n_targets(self) -> int:
        """What targets must be below."""
        config = self.config
        if config.loss is not None:
            return (1 << TARGET_BITS) + 1
        return max(config.n_banks, 2) if config.label_sets is None else len(config.label_sets)

    @property
    def teams(self) -> NDArray[Any]:
        """A record per team, without what a call changes; only to be read."""
        return self._teams

    @property
    def label_sets(self) -> int:
        """Their address, 0 for none."""
        memory = self._constants.get("label_sets")
        return 0 if memory is None else memory.address

    @property
    def addresses(self) -> tuple[int, int, int, int]:
        """Of the planes and the levels before a call, and of those that it is to write."""
        now, spare, _ = self._standing
        return now.planes.address, now.levels.address, spare.planes.address, spare.levels.address

    @property
    def standing(self) -> _Standing:
        """Where the machine stands. A call ends, or is undone, by setting another."""
        return self._standing

    @standing.setter
    def standing(self, standing: _Standing) -> None:
        self._standing = standing


def train_many(jobs: Sequence[TrainingJob[CudaEngine]], n_threads: int = 1) -> None:
    """Train different machines of one GPU side by side; interrupted, all are as before the call."""
    if not jobs:
        return
    device = jobs[0].engine.device
    _require(len({id(job.engine) for job in jobs}) == len(jobs), "a machine must be given once")
    _require(all(job.engine.device is device for job in jobs), "machines of one call must be on one GPU")
    with device:
        _train(jobs, _Copies(device))


class _Copies:
    """Arrays on the GPU for the time of a call; an array that comes again is not copied again."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._made: dict[int, tuple[NDArray[Any], Memory]] = {}
        self._checked: set[tuple[int, int]] = set()

    def of(self, array: NDArray[Any], what: str = "", end: int = 0) -> Memory:
        """The copy of an array, whose entries must be below an end if one is given.

        The array is kept, so that no other has its identity.
        """
        key = id(array)
        if end and (key, end) not in self._checked:
            _require_below(what, array, end)
            self._checked.add((key, end))
        if key not in self._made:
            self._made[key] = (array, self._device.copy_of(array))
        return self._made[key][1]


@dataclass(frozen=True)
class _Launch:
    """Teams of the same layout that are trained side by side."""

    kernel: Any
    layout: Layout
    n_teams: int
    first: int  # of the records of all teams


def _train(jobs: Sequence[TrainingJob[CudaEngine]], copies: _Copies) -> None:
    device = jobs[0].engine.device
    for job in jobs:
        job.engine.check(job)
    places = {shape: place for place, shape in enumerate(dict.fromkeys(job.engine.shape for job in jobs))}
    jobs = sorted(jobs, key=lambda job: places[job.engine.shape])  # those of one shape come together
    call = _Call(jobs, device, copies)
    device.run(device.kernel("list_turns", "list_turns"), call.n_teams, _LISTING_THREADS, (call.visits,))
    n_parts = max(1, -(-call.most_turns // _TURNS_PER_PART))
    launches = _launches(jobs, device)
    for part in range(n_parts):
        for launch in launches:
            first = np.uint64(call.teams.address + TEAM.itemsize * launch.first)
            layout = launch.layout
            device.run(
                launch.kernel,
                launch.n_teams * layout.blocks,
                layout.threads,
                (first, np.uint32(part), np.uint32(n_parts)),
                shared_bytes=layout.shared_bytes,
                cluster=layout.blocks,
            )
        device.wait()
    before = [job.engine.standing for job in jobs]
    try:
        for job, (now, spare, step) in zip(jobs, before, strict=True):
            job.engine.standing = _Standing(spare, now, step + len(job.order))
    except BaseException:  # Ctrl-C
        for job, standing in zip(jobs, before, strict=True):
            job.engine.standing = standing
        raise


class _Call:
    """What the kernels of a call are given, on the GPU.

    Attributes
    ----------
    teams, visits : the records of all teams
    n_teams : their number
    most_turns : an upper bound of those of any team
    """

    def __init__(self, jobs: Sequence[TrainingJob[CudaEngine]], device: Device, copies: _Copies) -> None:
        engines = [job.engine for job in jobs]
        counts = np.array([engine.n_teams for engine in engines])
        n_visits = np.array([len(job.order) for job in jobs], np.uint64)
        n_turns = n_visits * np.array([turns_per_visit(engine.config) for engine in engines], np.uint64)
        self.n_teams, self.most_turns = int(counts.sum()), int(n_turns.max())
        index = np.concatenate([np.arange(count, dtype=np.uint64) for count in counts])  # within a machine
        turn_ends = np.cumsum(np.repeat(n_turns, counts))
        self._kept = [
            device.memory(TURN_BYTES * int(turn_ends[-1])),
            device.memory(4 * self.n_teams),
        ]
        turns_address, counts_address = (memory.address for memory in self._kept)

        def each(values: Sequence[int]) -> NDArray[np.uint64]:
            """The values of machines for each of their teams."""
            return np.repeat(np.array(values, np.uint64), counts)

        teams = np.concatenate([engine.teams.view(np.uint64) for engine in engines]).view(TEAM)
        addresses = zip(*(engine.addresses for engine in engines), strict=True)
        sizes = zip(*(engine.team_bytes for engine in engines), strict=True)
        plane_bytes, level_bytes = (index * each(size) for size in sizes)
        for name, values, offset in zip(
            ("planes_before", "levels_before", "planes", "levels"),
            addresses,
            (plane_bytes, level_bytes, plane_bytes, level_bytes),
            strict=True,
        ):
            teams[name] = each(values) + offset
        teams["literals"] = each([copies.of(job.literals).address for job in jobs])
        teams["first_step"] = each([engine.step for engine in engines])
        teams["turns"] = turns_address + TURN_BYTES * (turn_ends - np.repeat(n_turns, counts))
        teams["n_turns"] = counts_address + 4 * np.arange(self.n_teams, dtype=np.uint64)

        visits = np.zeros(self.n_teams, VISITS)
        rows = [copies.of(job.order, "a row in the order", len(job.targets)) for job in jobs]
        targets = [copies.of(job.targets, "a target", job.engine.n_targets) for job in jobs]
        visits["order"] = each([memory.address for memory in rows])
        visits["targets"] = each([memory.address for memory in targets])
        visits["label_sets"] = each([engine.label_sets for engine in engines])
        visits["n_visits"] = np.repeat(n_visits, counts)
        visits["n_banks"] = each([engine.config.n_banks for engine in engines])
        visits["bank"] = index
        visits["kind"] = each([int(kind_of(engine.config)) for engine in engines])
        for name in ("turns", "n_turns", "seed", "first_step"):
            visits[name] = teams[name]
        self.teams, self.visits = device.put(teams), device.put(visits)


def _launches(jobs: Sequence[TrainingJob[CudaEngine]], device: Device) -> list[_Launch]:
    """One for each shape; jobs come sorted by it."""
    counts: dict[Shape, int] = {}
    for job in jobs:
        counts[job.engine.shape] = counts.get(job.engine.shape, 0) + job.engine.n_teams
    found, first = [], 0
    for shape, n_teams in counts.items():
        layout = layout_of(
            shape, n_teams, device.n_processors, device.shared_bytes, has_clusters=device.has_clusters
        )
        kernel = device.kernel("train", "train", layout.constants, layout.shared_bytes, layout.blocks)
        found.append(_Launch(kernel, layout, n_teams, first))
        first += n_teams
    return found


def _plain_layout(shape: Shape) -> Layout:
    """For kernels in which no block shares anything."""
    return Layout(shape, 1, _THREADS, 1)


def _require_below(what: str, values: NDArray[np.integer[Any]], end: int) -> None:
    low, high = values.min(initial=0), values.max(initial=0)
    wrong = low if low < 0 else high
    _require(0 <= wrong < end, f"{what} must be from 0 to {end - 1}. Got {wrong}")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message + ".")
