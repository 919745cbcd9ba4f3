"""The machines whose bits are pinned by golden fingerprints (tests/golden), and how a fingerprint is made."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from clausal.encoding.patch_view import PatchView
from clausal.engine.feedback import NumericLoss
from clausal.engine.native import pack
from clausal.engine.random_stream import TARGET_BITS
from tests.support.toy_machines import fnv1a, keyed_bits, keyed_targets, make_config

FILE = Path(__file__).parents[1] / "golden" / "fingerprints.txt"

VARIANTS = {
    "tm": {"weighting": "none"},
    "iwtm": {"weighting": "integer"},
    "rwtm": {"weighting": "real"},
    "rwtla": {"weighting": "rwtla"},
    "cpl_ats": {"weighting": "cpl_ats"},
    "iwtm_floor_1": {"weight_floor": 1},
    "iwtm_max_weight": {"max_weight": 3},
    "iwtm_boost": {"boost_true_positive": True},
    "iwtm_short_clauses": {"max_clause_literals": 2},
    "iwtm_spread_specificity": {"specificity": (1.5, 9.0)},
    "iwtm_drop_clause": {"drop_clause": 0.25},
    "iwtm_few_states": {"n_states": 5},
    "iwtm_4_classes": {"n_banks": 4},
    "iwtm_4_classes_focused": {"n_banks": 4, "focused_negatives": True},
    "rwtm_4_classes": {"n_banks": 4, "weighting": "real"},
    "iwtm_wide": {"n_columns": 150},
    "iwtm_tabled": {"n_columns": 300, "n_clauses": 206},
    "iwtm_patches": {"view": PatchView(7, 6, 1, 3, 2)},
    "iwtm_4_classes_patches": {"view": PatchView(9, 70, 2, 2, 33, 2, 3), "n_banks": 4},
    "numbers": {"loss": NumericLoss(2**32, 2**32, proportional=True)},
    "numbers_quantile": {"loss": NumericLoss(3 << 29, 1 << 29, proportional=False)},
    "numbers_tabled": {
        "loss": NumericLoss(2**32, 2**32, proportional=True),
        "n_columns": 300,
        "n_clauses": 206,
        "threshold": 300,
    },
    "shared": {"shared": True},
    "shared_4_classes": {"n_banks": 4, "shared": True},
    "shared_4_classes_focused": {"n_banks": 4, "shared": True, "focused_negatives": True},
    "label_sets": {"n_banks": 4, "label_sets": keyed_bits(5, 4, 4)},
    "shared_label_sets": {"n_banks": 4, "shared": True, "label_sets": keyed_bits(5, 4, 4)},
}


def fingerprint(engine_class, options) -> str:
    view = options.get("view")
    n_columns = 9 if view is None else view.n_columns
    config = make_config(**{"n_clauses": 20, "n_columns": n_columns, "threshold": 8, "seed": 2020, **options})
    rows = keyed_bits(3, 60, config.n_columns if view is None else view.n_bits)
    targets = (rows[:, 0] ^ rows[:, 1]).astype(np.int32)
    if config.loss is not None:
        targets = keyed_targets(4, 60, 2**TARGET_BITS + 1)
    elif config.n_banks > 1:
        targets = keyed_targets(4, 60, config.n_banks)
    engine = engine_class(config)
    literals = pack(rows) if view is None else view.pack(rows == 1)
    engine.fit_epoch(literals, targets, np.arange(300, dtype=np.int64) % 60)
    state = engine.export_state()
    return fnv1a(state.states.tobytes() + state.levels.astype("<i4").tobytes())


def pinned() -> dict[str, str]:
    return dict(line.split() for line in FILE.read_text().splitlines())
