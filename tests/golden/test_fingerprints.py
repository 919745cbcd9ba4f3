"""Golden fingerprints: the bits of a short training run of each variant, pinned.

To renew them after a deliberate change of the stream or the law (which needs a CHANGELOG line):
    python tests/golden/test_fingerprints.py
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from clausal.engine.native import NativeEngine, pack
from clausal.engine.reference import ReferenceEngine

if __name__ == "__main__":
    import sys

    sys.path.insert(0, str(Path(__file__).parents[1]))
from toy_machines import keyed_bits, keyed_targets, make_config

FILE = Path(__file__).with_name("fingerprints.json")

VARIANTS = {
    "tm": {"weighting": "none"},
    "iwtm": {"weighting": "integer"},
    "rwtm": {"weighting": "real"},
    "iwtm floor 1": {"weight_floor": 1},
    "iwtm max weight": {"max_weight": 3},
    "iwtm boost": {"boost_true_positive": True},
    "iwtm short clauses": {"max_clause_literals": 2},
    "iwtm spread specificity": {"specificity": (1.5, 9.0)},
    "iwtm drop clause": {"drop_clause": 0.25},
    "iwtm few states": {"n_states": 5},
    "iwtm 4 classes": {"n_banks": 4},
    "iwtm 4 classes focused": {"n_banks": 4, "focused_negatives": True},
    "rwtm 4 classes": {"n_banks": 4, "weighting": "real"},
    "iwtm wide": {"n_columns": 150},
}


def fingerprint(engine_class, options) -> str:
    config = make_config(**{"n_clauses": 20, "n_columns": 9, "threshold": 8, "seed": 2020, **options})
    rows = keyed_bits(3, 60, config.n_columns)
    targets = (rows[:, 0] ^ rows[:, 1]).astype(np.int32)
    if config.n_banks > 1:
        targets = keyed_targets(4, 60, config.n_banks)
    engine = engine_class(config)
    engine.fit_epoch(pack(rows), targets, np.arange(300, dtype=np.int64) % 60)
    state = engine.export_state()
    content = state.states.tobytes() + state.levels.astype("<i4").tobytes() + str(state.step).encode()
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("engine", [NativeEngine, ReferenceEngine], ids=["native", "reference"])
def test_fingerprint(engine, variant):
    assert fingerprint(engine, VARIANTS[variant]) == json.loads(FILE.read_text())[variant]


def test_fingerprints_differ():
    prints = json.loads(FILE.read_text())
    assert set(prints) == set(VARIANTS)
    assert len(set(prints.values())) == len(prints)


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: fingerprint(NativeEngine, o) for name, o in VARIANTS.items()}, indent=1) + "\n")
