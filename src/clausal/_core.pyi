# The compiled core as bindings/ offers it; used by clausal.engine.native only. tests/unit/engine/
# test_native_stub.py compares the two.
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.engine.protocol import EngineConfig

class Machine:
    step: int
    backend: str
    def __init__(self, config: EngineConfig | SimpleNamespace, backend: str) -> None: ...
    def export_state(self, n_threads: int) -> tuple[NDArray[np.uint8], NDArray[np.int32], int]: ...
    def levels(self) -> NDArray[np.int32]: ...
    def import_state(
        self, states: NDArray[np.uint8], levels: NDArray[np.int32], step: int, n_threads: int
    ) -> None: ...

def train(
    jobs: list[tuple[Machine, NDArray[np.uint64], NDArray[np.int32], NDArray[np.int64]]], n_threads: int
) -> None: ...
def train_epochs(
    machine: Machine,
    literals: NDArray[np.uint64],
    targets: NDArray[np.int32],
    orders: list[NDArray[np.int64]],
    levels: NDArray[np.int32],
    n_threads: int,
) -> None: ...
def config_fields() -> list[str]: ...

class CompiledClauses:
    n_operands: int
    def __init__(
        self,
        include: NDArray[np.uint64],
        points: NDArray[np.int32],
        n_columns: int,
        backend: str,
        view: object,
    ) -> None: ...
    @staticmethod
    def from_lists(
        starts: NDArray[np.int64],
        literals: NDArray[np.uint32],
        banks: NDArray[np.uint32],
        points: NDArray[np.int64],
        n_banks: int,
        n_columns: int,
        backend: str,
    ) -> CompiledClauses: ...
    def votes_of_literals(self, literals: NDArray[np.uint64], n_threads: int) -> NDArray[np.int64]: ...
    def votes_of_bits(self, bits: NDArray[np.uint8], n_threads: int) -> NDArray[np.int64] | None: ...
    def votes_of_sparse(
        self, row_starts: NDArray[np.integer], columns: NDArray[np.integer], n_threads: int
    ) -> NDArray[np.int64]: ...

def clause_outputs(
    include: NDArray[np.uint64],
    literals: NDArray[np.uint64],
    n_threads: int,
    backend: str,
    view: object,
) -> NDArray[np.uint8]: ...
def shuffled(rows: NDArray[np.int64], keys: NDArray[np.uint64]) -> NDArray[np.int64]: ...
def pack(bits: NDArray[np.uint8], n_threads: int, isa: str) -> NDArray[np.uint64]: ...
def pack_csr(
    row_starts: NDArray[np.int64], columns: NDArray[np.int64], n_columns: int, n_threads: int
) -> NDArray[np.uint64]: ...
def bin_rows(
    literals: NDArray[np.uint64], feature_of: NDArray[np.uint32]
) -> tuple[NDArray[np.uint16], NDArray[np.int64], NDArray[np.uint8]]: ...

class CardConstraints:
    def __init__(
        self,
        low: NDArray[np.int32],
        high: NDArray[np.int32],
        groups: NDArray[np.uint64],
        max_rule_features: int,
        starts: NDArray[np.int64],
        literals: NDArray[np.uint32],
        banks: NDArray[np.uint32],
        fixed_low: NDArray[np.int32],
        fixed_high: NDArray[np.int32],
    ) -> None: ...

class SearchTable:
    def __init__(
        self,
        bins: NDArray[np.uint8] | NDArray[np.uint16],
        n_bins: NDArray[np.int64],
        truth: NDArray[np.uint8],
        feature_of: NDArray[np.uint32],
        begins: NDArray[np.uint8],
    ) -> None: ...
    def find_cards(
        self,
        weights: NDArray[np.float64],
        shares: NDArray[np.float64],
        signs: NDArray[np.uint8],
        starts: NDArray[np.int64],
        literals: NDArray[np.uint32],
        ridge: float,
        conjunctions: bool,
        sizes: NDArray[np.int64],
        max_rules: int,
        max_features: int,
        max_points: int,
        thorough: bool,
        constraints: CardConstraints,
        loss: int,
        quantile: float,
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.uint32],
        NDArray[np.uint32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.float64],
    ]: ...
    def card_scores(
        self,
        term_starts: NDArray[np.int64],
        literal_starts: NDArray[np.int64],
        literals: NDArray[np.uint32],
        banks: NDArray[np.uint32],
        points: NDArray[np.int32],
        values: NDArray[np.int32],
        offsets: NDArray[np.int32],
        rows: NDArray[np.int64],
    ) -> NDArray[np.int32]: ...

class Comparisons:
    def __init__(
        self,
        kinds: NDArray[np.int32],
        marks: NDArray[np.float64],
        starts: NDArray[np.int64],
        nullable: NDArray[np.bool_],
        missing_allowed: NDArray[np.bool_],
    ) -> None: ...

def encode(
    values: list[NDArray[Any]],
    comparisons: Comparisons,
    literals: NDArray[np.uint64],
    n_columns: int,
    first_column: int,
    n_threads: int,
    isa: str,
) -> bool: ...
def instruction_sets() -> list[str]: ...
def cuda_sources() -> dict[str, str]: ...
