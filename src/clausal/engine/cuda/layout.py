"""How a clause set is spread over a GPU: lanes per clause, threads, blocks, and what lies in shared memory.

A layout is the sizes that kernels are compiled with. It decides about speed only: every layout gives the same
bits. Not here: the kernels (core/cuda).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from clausal.engine.protocol import EngineConfig
from clausal.engine.random_stream import AUTOMATON_BITS, OFFSET_UNIT, OFFSETS, TABLED_BANK, TABLED_GROUPS

WARP = 32
_TURNS_AT_ONCE = 64
_STEP_BYTES = 56
_PLANES = 9
_MOST_THREADS = 512
_FEWEST_THREADS = 64
_LARGE_SET = 96 << 10
"""Bytes of planes from which on several blocks share a set."""


@dataclass(frozen=True)
class Shape:
    """What kernels are compiled with, whatever the GPU.

    Attributes
    ----------
    constants : names and values
    n_clauses, n_words : of a set
    sample_words : of a sample
    n_sets : sets that one team trains
    patch_bytes : of the patches of a sample
    """

    constants: tuple[tuple[str, int], ...]
    n_clauses: int
    n_words: int
    sample_words: int
    n_sets: int
    patch_bytes: int


@dataclass(frozen=True)
class Layout:
    """A shape, spread over a GPU.

    Attributes
    ----------
    lanes : threads that hold the words of one clause
    threads : of a block
    blocks : that share the clauses of a set, a cluster
    shared_planes : bit planes that lie in shared memory, of 9
    """

    shape: Shape
    lanes: int
    threads: int
    blocks: int
    shared_planes: int = 0

    @property
    def clauses_per_block(self) -> int:
        """The most clauses of a set that a block has."""
        return -(-self.shape.n_clauses // self.blocks)

    @property
    def plane_bytes(self) -> int:
        """Of one plane of a block's clauses."""
        return 8 * self.shape.n_sets * self.clauses_per_block * self.shape.n_words

    @property
    def other_bytes(self) -> int:
        """Room for what a block shares besides planes; core/cuda/train.cu checks that it is enough."""
        shape, groups = self.shape, self.threads // self.lanes
        listed = shape.n_sets * self.clauses_per_block
        tabled = shape.n_words // TABLED_GROUPS * TABLED_GROUPS if _is_tabled(shape) else shape.n_words
        n_bytes = 1024 + shape.patch_bytes + 16 * shape.sample_words + _TURNS_AT_ONCE * _STEP_BYTES
        n_bytes += 16 * (self.threads // WARP + self.blocks) + 11 * listed + 14 * self.clauses_per_block
        if _is_tabled(shape):
            n_bytes += 8 * (OFFSETS * OFFSET_UNIT + shape.n_words)
            n_bytes += 8 * groups * AUTOMATON_BITS * (2 + max(1, shape.n_words - tabled))
        return -(-n_bytes // 128) * 128

    @property
    def shared_bytes(self) -> int:
        """Of a block, in all."""
        return self.other_bytes + self.shared_planes * self.plane_bytes

    @property
    def constants(self) -> tuple[tuple[str, int], ...]:
        """What kernels are compiled with."""
        own = {
            "LANES": self.lanes,
            "THREADS": self.threads,
            "BLOCKS": self.blocks,
            "CLAUSES_PER_BLOCK": self.clauses_per_block,
            "SHARED_PLANES": self.shared_planes,
            "SHARED_BYTES": self.other_bytes,
        }
        return (*self.shape.constants, *own.items())


def _is_tabled(shape: Shape) -> bool:
    return shape.n_words >= TABLED_GROUPS and shape.n_clauses * shape.n_words >= TABLED_BANK


def shape_of(config: EngineConfig) -> Shape:
    """The shape of a machine without groups."""
    view = config.view
    n_words = -(-config.n_literals // 64)
    sample_words = n_words if view is None else view.n_words
    focused = config.focused_negatives and config.n_banks > 1 and config.label_sets is None
    n_sets = config.n_banks if focused and not config.shared else 1
    most = config.max_clause_literals
    constants = {
        "N_CLAUSES": config.n_clauses,
        "N_WORDS": n_words,
        "N_LITERALS": config.n_literals,
        "SAMPLE_WORDS": sample_words,
        "N_BANKS": config.n_banks if focused or config.shared else 1,
        "SETS": n_sets,
        "N_STATES": config.n_states,
        "BOOSTS": int(config.boost_true_positive),
        "LIMITED": int(most is not None and most < config.n_literals),
        "DROPS": int(config.drop_chance > 0),
        "SHARED_CLAUSES": int(config.shared),
        "NUMBERS": int(config.loss is not None),
        "FOCUSED": int(focused),
        "HAS_PATCHES": int(view is not None),
    }
    patch_bytes = 0
    if view is not None:
        patch_bytes = 8 * view.n_columns * -(-view.n_patches // 32)
        constants |= {
            "HEIGHT": view.height,
            "WIDTH": view.width,
            "DEPTH": view.depth,
            "PATCH_HEIGHT": view.patch_height,
            "PATCH_WIDTH": view.patch_width,
            "ROW_STRIDE": view.row_stride,
            "COLUMN_STRIDE": view.column_stride,
        }
    return Shape(tuple(constants.items()), config.n_clauses, n_words, sample_words, n_sets, patch_bytes)


def layout_of(
    shape: Shape, n_teams: int, n_processors: int, shared_bytes: int, *, has_clusters: bool
) -> Layout:
    """The layout for as many teams at once; MemoryError where a block's share does not fit.

    Parameters
    ----------
    shape : of their sets
    n_teams : sets, or with focused negatives machines, that are trained at the same time
    n_processors, shared_bytes, has_clusters : of the GPU
    """
    lanes = min(WARP, _power_of_two(shape.n_words))
    set_bytes = 8 * _PLANES * shape.n_sets * shape.n_clauses * shape.n_words
    blocks = 1
    while (
        has_clusters
        and blocks < 8
        and set_bytes > blocks * _LARGE_SET
        and 2 * blocks * n_teams <= n_processors
    ):
        blocks *= 2
    per_block = -(-shape.n_clauses // blocks)
    threads = min(_MOST_THREADS, max(_FEWEST_THREADS, WARP * -(-per_block * lanes // WARP)))
    layout = Layout(shape, lanes, _power_of_two(threads), blocks)
    if layout.other_bytes > shared_bytes:
        raise MemoryError(
            f"backend='cuda' needs {layout.other_bytes:,} bytes of shared memory for clauses of "
            f"{shape.n_words * 64:,} literals. The GPU has {shared_bytes:,}."
        )
    fitting = (shared_bytes - layout.other_bytes) // layout.plane_bytes
    return replace(layout, shared_planes=min(_PLANES, fitting))


def _power_of_two(n: int) -> int:
    return 1 << (n - 1).bit_length()
