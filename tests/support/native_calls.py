"""One correct call of each function of the compiled core that takes arrays, and what is out of range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from clausal import _core
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config

ISA = "portable"
N, COLUMNS, CLAUSES = 6, 40, 10  # rows, columns (2 words of literals), clauses
FEATURE_OF = np.repeat(np.arange(COLUMNS // 4, dtype=np.uint32), 4)
Arrays = dict[str, np.ndarray]


def machine(**changes: Any) -> _core.Machine:
    return _core.Machine(replace(make_config(n_columns=COLUMNS, n_clauses=CLAUSES), **changes), ISA)


def words(n_rows: int = N) -> np.ndarray:
    return _core.pack(keyed_bits(0, n_rows, COLUMNS), 1, ISA)


def clauses() -> _core.CompiledClauses:
    points = np.ones((1, 3), np.int32)
    return _core.CompiledClauses(words(3)[None], points, COLUMNS, ISA, None)


def encode(values: np.ndarray, literals: np.ndarray, **comparisons: np.ndarray) -> Any:
    own = {**arrays_of("Comparisons"), **comparisons}
    return _core.encode([values, values], _core.Comparisons(**own), literals, COLUMNS, 0, 1, ISA)


def configured(**arrays: np.ndarray) -> Any:
    config = make_config(n_columns=COLUMNS, n_clauses=CLAUSES)
    values = {name: getattr(config, name) for name in _core.config_fields()}
    of_rule = {name: arrays.pop(name) for name in ("table", "up", "down")}
    values["rule"] = SimpleNamespace(low=0, high=3, margin=5, **of_rule)
    return _core.Machine(SimpleNamespace(**{**values, **arrays}), ISA)


def train(literals: np.ndarray, targets: np.ndarray, order: np.ndarray) -> Any:
    return _core.train([(machine(), literals, targets, order)], 1)


def search_table_of(n_columns: int) -> tuple[np.ndarray, ...]:
    """What a table has besides its bins: one feature, if there are columns, and no rows."""
    features = np.zeros(n_columns, np.uint32)
    return (
        np.zeros(min(n_columns, 1), np.int64),
        np.zeros(0, np.uint8),
        features,
        np.ones(n_columns, np.uint8),
    )


def search_table() -> _core.SearchTable:
    return _core.SearchTable(**arrays_of("SearchTable"))


def constraints(**changes: np.ndarray) -> _core.CardConstraints:
    return _core.CardConstraints(**{**arrays_of("CardConstraints"), **changes}, max_rule_features=2)


def find_cards(table: _core.SearchTable | None = None, **arguments: Any) -> Any:
    numbers = {"ridge": 1.0, "max_rules": 0, "max_features": 0, "max_points": 5, "loss": 0, "quantile": 0.5}
    flags = {"conjunctions": True, "thorough": True}
    arguments = {"constraints": constraints(), **arguments}
    return (table or search_table()).find_cards(**{**numbers, **flags, **arguments})


CALLS: dict[str, tuple[Callable[..., Any], Callable[[], Arrays]]] = {
    "Machine": (
        configured,
        lambda: {
            "down_chance": np.ones(CLAUSES, np.uint32),
            "allowed_words": np.ones((2, 2), np.uint64),
            "table": np.ones(4, np.int32),
            "up": np.ones(4, np.int32),
            "down": np.ones(4, np.int32),
        },
    ),
    "Machine.import_state": (
        lambda states, levels: machine(n_states=3).import_state(states, levels, 0, 1),
        lambda: {
            "states": np.ones((1, CLAUSES, 2 * COLUMNS), np.uint8),
            "levels": np.ones((1, CLAUSES), np.int32),
        },
    ),
    "train": (
        train,
        lambda: {"literals": words(), "targets": keyed_targets(0, N, 2), "order": np.arange(N)},
    ),
    "train_epochs": (
        lambda order, **arrays: _core.train_epochs(
            machine(), orders=[np.arange(N), order], n_threads=1, **arrays
        ),
        lambda: {**arrays_of("train"), "levels": np.zeros((2, 1, CLAUSES), np.int32)},
    ),
    "shuffled": (_core.shuffled, lambda: {"rows": np.arange(N), "keys": np.array([7, 8], np.uint64)}),
    "CompiledClauses": (
        lambda include, points: _core.CompiledClauses(include, points, COLUMNS, ISA, None),
        lambda: {"include": words(3)[None], "points": np.ones((1, 3), np.int32)},
    ),
    "CompiledClauses.from_lists": (
        lambda **arrays: _core.CompiledClauses.from_lists(
            **arrays, n_banks=2, n_columns=COLUMNS, backend=ISA
        ),
        lambda: {
            "starts": np.array([0, 2, 3]),
            "literals": np.array([0, 79, 5], np.uint32),
            "banks": np.array([0, 1], np.uint32),
            "points": np.array([3, -4]),
        },
    ),
    "CompiledClauses.votes_of_literals": (
        lambda literals: clauses().votes_of_literals(literals, 1),
        lambda: {"literals": words()},
    ),
    "CompiledClauses.votes_of_bits": (
        lambda bits: clauses().votes_of_bits(bits, 1),
        lambda: {"bits": keyed_bits(0, N, COLUMNS)},
    ),
    "CompiledClauses.votes_of_sparse": (
        lambda row_starts, columns: clauses().votes_of_sparse(row_starts, columns, 1),
        lambda: {"row_starts": np.array([0, 2, 3]), "columns": np.array([0, 39, 5])},
    ),
    "clause_outputs": (
        lambda include, literals: _core.clause_outputs(include, literals, 1, ISA, None),
        lambda: {"include": words(3)[None], "literals": words()},
    ),
    "pack": (lambda bits: _core.pack(bits, 1, ISA), lambda: {"bits": keyed_bits(0, N, COLUMNS)}),
    "pack_csr": (
        lambda row_starts, columns: _core.pack_csr(row_starts, columns, COLUMNS, 1),
        lambda: {"row_starts": np.array([0, 2, 3]), "columns": np.array([0, 39, 5])},
    ),
    "Comparisons": (
        lambda **arrays: encode(np.arange(N) / 2, np.zeros((N, 2), np.uint64), **arrays),
        lambda: {
            "kinds": np.array([0, 1], np.int32),
            "marks": np.array([0.5, 1.5, 2.0]),
            "starts": np.array([0, 2, 3]),
            "nullable": np.array([False, True]),
            "missing_allowed": np.array([True, True]),
        },
    ),
    "SearchTable": (
        _core.SearchTable,
        lambda: {
            **dict(zip(("bins", "n_bins", "truth"), _core.bin_rows(words(), FEATURE_OF), strict=True)),
            "feature_of": FEATURE_OF,
            "begins": np.ones(COLUMNS, np.uint8),
        },
    ),
    "bin_rows": (_core.bin_rows, lambda: {"literals": words(), "feature_of": FEATURE_OF}),
    "CardConstraints": (
        lambda **arrays: find_cards(**arrays_of("SearchTable.find_cards"), constraints=constraints(**arrays)),
        lambda: {
            "low": np.full(COLUMNS, -3, np.int32),
            "high": np.full(COLUMNS, 4, np.int32),
            "groups": np.full((COLUMNS, 2), 5, np.uint64),
            "starts": np.array([0, 1, 3]),
            "literals": np.array([3, 0, 79], np.uint32),
            "banks": np.array([2, 0], np.uint32),
            "fixed_low": np.array([-3, 2], np.int32),
            "fixed_high": np.array([3, 2], np.int32),
        },
    ),
    "SearchTable.find_cards": (
        find_cards,
        lambda: {
            "weights": np.ones(N),
            "shares": np.eye(3)[np.arange(N) % 3].T.copy(),
            "signs": np.full(2 * COLUMNS, 3, np.uint8),
            "starts": np.array([0, 2, 3]),
            "literals": np.array([0, 79, 5], np.uint32),
            "sizes": np.array([2, 5]),
        },
    ),
    "SearchTable.card_scores": (
        lambda **arrays: search_table().card_scores(**arrays),
        lambda: {
            "term_starts": np.array([0, 1, 3]),
            "literal_starts": np.array([0, 2, 3, 4]),
            "literals": np.array([0, 79, 5, 6], np.uint32),
            "banks": np.array([0, 1, 1], np.uint32),
            "points": np.array([3, -4, 2], np.int32),
            "values": np.array([10, 20], np.int32),
            "offsets": np.array([[1, 2], [3, 4]], np.int32),
            "rows": np.arange(N),
        },
    ),
    "encode": (encode, lambda: {"values": np.arange(N) / 2, "literals": np.zeros((N, 2), np.uint64)}),
}
ANY_TYPE = {("encode", "values")}  # of any number and any stride
ANY_LENGTH = {("shuffled", "rows"), ("shuffled", "keys"), ("Comparisons", "marks")}
ANY_LENGTH |= {("train", "order"), ("train_epochs", "order")}
WRITTEN = {("encode", "literals"), ("train_epochs", "levels")}
WITHOUT_ARRAYS = {
    "config_fields",
    "cuda_sources",
    "instruction_sets",
    "Machine.export_state",
    "Machine.levels",
}
# Contents that are indices or have a range: a value below, one just beyond it, one far beyond it.
RANGES: dict[tuple[str, str], tuple[int, ...]] = {
    ("Machine.import_state", "states"): (6, 255),
    ("Machine.import_state", "levels"): (-1, -(2**31)),
    ("Machine", "down_chance"): (2**24 + 1, 2**32 - 1),
    ("Machine", "up"): (-1, 4, 2**31 - 1, -(2**31)),
    ("Machine", "down"): (-1, 4, 2**31 - 1, -(2**31)),
    ("train", "targets"): (-1, 2, 2**31 - 1, -(2**31)),
    ("train", "order"): (-1, N, 2**62, -(2**63)),
    ("CompiledClauses.from_lists", "starts"): (-1, 4, 2**62, -(2**63)),
    ("CompiledClauses.from_lists", "literals"): (80, 2**32 - 1),
    ("CompiledClauses.from_lists", "banks"): (2, 2**32 - 1),
    ("CompiledClauses.from_lists", "points"): (-(2**63), 2**62 + 1),
    ("CompiledClauses.votes_of_sparse", "row_starts"): (-1, 4, 2**62, -(2**63)),
    ("CompiledClauses.votes_of_sparse", "columns"): (-1, 40, 2**62, -(2**63)),
    ("pack_csr", "row_starts"): (-1, 4, 2**62, -(2**63)),
    ("pack_csr", "columns"): (-1, 40, 2**62, -(2**63)),
    ("SearchTable", "begins"): (2, 255),
    ("SearchTable", "bins"): (N, 2**16 - 1),
    ("SearchTable", "n_bins"): (0, N + 1, -1, 2**62),
    ("SearchTable", "truth"): (2, 255),
    ("SearchTable.find_cards", "weights"): (-1, 2 * 10**15),
    ("SearchTable.find_cards", "shares"): (-1, 2),
    ("SearchTable.find_cards", "signs"): (4, 255),
    ("SearchTable.find_cards", "starts"): (-1, 4, 2**62, -(2**63)),
    ("SearchTable.find_cards", "literals"): (80, 2**32 - 1),
    ("SearchTable.find_cards", "sizes"): (0, -1, 10**6 + 1, -(2**63)),
    ("CardConstraints", "low"): (-101, 101, 2**31 - 1, -(2**31)),
    ("CardConstraints", "high"): (-101, 101, 2**31 - 1, -(2**31)),
    ("CardConstraints", "starts"): (-1, 4, 2**62, -(2**63)),
    ("CardConstraints", "literals"): (80, 2**32 - 1),
    ("CardConstraints", "banks"): (3, 2**32 - 1),
    ("CardConstraints", "fixed_low"): (-6, 6, 2**31 - 1, -(2**31)),
    ("CardConstraints", "fixed_high"): (-6, 6, 2**31 - 1, -(2**31)),
    ("SearchTable.card_scores", "term_starts"): (-1, 4, 2**62, -(2**63)),
    ("SearchTable.card_scores", "literal_starts"): (-1, 5, 2**62, -(2**63)),
    ("SearchTable.card_scores", "literals"): (80, 2**32 - 1),
    ("SearchTable.card_scores", "banks"): (2, 2**32 - 1),
    ("SearchTable.card_scores", "points"): (2**31 - 1, -(2**31)),
    ("SearchTable.card_scores", "values"): (2**31 - 1, -(2**31)),
    ("SearchTable.card_scores", "offsets"): (2**31 - 1, -(2**31)),
    ("SearchTable.card_scores", "rows"): (-1, N, 2**62, -(2**63)),
    ("Comparisons", "kinds"): (-1, 3, 2**31 - 1),
    ("Comparisons", "starts"): (-1, 4, 2**62, -(2**63)),
}
RANGES |= {("train_epochs", name): RANGES["train", name] for name in ("targets", "order")}


def arrays_of(function: str) -> Arrays:
    return CALLS[function][1]()


def call(function: str, **changed: np.ndarray) -> Any:
    return CALLS[function][0](**{**arrays_of(function), **changed})
