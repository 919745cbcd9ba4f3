"""Golden scorecards: what the search finds on a small table, pinned.

To renew them after a deliberate change of the search (which needs a CHANGELOG line):
    python -m tests.golden.test_scorecards
The C++ tests (tests/native) read the same file, also on ARM.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clausal.engine.card_search import CardSearch
from clausal.engine.card_search_reference import ReferenceSearchTable
from clausal.engine.native import NativeSearchTable
from tests.support.card_searches import packed
from tests.support.toy_machines import fnv1a, keyed_bits, keyed_targets

FILE = Path(__file__).with_name("scorecards.txt")
N, COLUMNS = 80, 12
VARIANTS: dict[str, tuple[int, bool, float, str]] = {
    f"{n_banks}_{'rules' if conjunctions else 'literals'}_{'low' if ridge < 1 else 'high'}": (
        n_banks,
        conjunctions,
        ridge,
        "log_loss",
    )
    for n_banks in (1, 3)
    for conjunctions in (False, True)
    for ridge in (0.25, 4.0)
}
VARIANTS |= {
    f"{loss}_{'rules' if conjunctions else 'literals'}": (1, conjunctions, 0.25, loss)
    for loss in ("squared_error", "quantile")
    for conjunctions in (False, True)
}


def fingerprint(table_class, n_banks: int, conjunctions: bool, ridge: float, loss: str) -> str:
    values = keyed_bits(11, N, COLUMNS)
    noise = keyed_targets(13, N, 8) == 0
    first, second = values[:, 0].astype(int), values[:, 4].astype(int)
    if loss != "log_loss":
        shares = (keyed_targets(12, N, 1000) / 256 + first - second)[None]
    elif n_banks == 1:
        shares = ((first ^ second) ^ noise).astype(np.float64)[None]
    else:
        codes = np.where(noise, keyed_targets(12, N, n_banks), first + second)
        shares = np.ascontiguousarray(np.eye(n_banks)[codes].T)
    begins = ~np.isin(np.arange(COLUMNS), [4, 11])
    table = table_class(packed(values), np.repeat(np.arange(4, dtype=np.uint32), 3), begins)
    search = CardSearch(
        weights=1.0 + 0.5 * (np.arange(N) % 3),
        shares=shares,
        signs=np.full(2 * COLUMNS, 3, np.uint8),
        starts=np.array([0, 3, 5]),
        literals=np.array([0, 13, 6, 12, 4], np.uint32),
        ridge=ridge,
        conjunctions=conjunctions,
        sizes=np.array([1, 2, 3, 5, 8]),
        loss=loss,
        quantile=0.75,
    )
    numbers: list[int] = []
    for thorough in (False, True):
        cards = table.find_cards(replace(search, thorough=thorough))
        for card in range(len(cards.values)):
            for literals, bank, points in cards.terms(card):
                numbers += [*literals, bank, points]
            numbers += [int(cards.values[card]), *cards.offsets[card].tolist()]
    return fnv1a(np.array(numbers, "<i4").tobytes())


def pinned() -> dict[str, str]:
    return dict(line.split() for line in FILE.read_text().splitlines())


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("table", [NativeSearchTable, ReferenceSearchTable], ids=["native", "reference"])
def test_scorecards(table, variant):
    assert fingerprint(table, *VARIANTS[variant]) == pinned()[variant]


def test_scorecards_differ():
    assert set(pinned()) == set(VARIANTS)
    assert len(set(pinned().values())) == len(VARIANTS)


if __name__ == "__main__":
    lines = [f"{name} {fingerprint(NativeSearchTable, *options)}\n" for name, options in VARIANTS.items()]
    FILE.write_text("".join(lines))
