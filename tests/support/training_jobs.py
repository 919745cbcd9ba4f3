"""Several machines with data, to be trained in one call."""

from __future__ import annotations

import numpy as np

from clausal.engine.protocol import TrainingJob
from tests.support.toy_machines import keyed_bits, keyed_targets, make_config

CONFIGS = [
    make_config(n_clauses=20, n_columns=9, seed=1),
    make_config(n_clauses=30, n_columns=9, seed=2, weighting="real", specificity=2.0),
    make_config(n_clauses=10, n_columns=9, n_banks=3, seed=3, drop_clause=0.3),
    make_config(n_clauses=10, n_columns=9, n_banks=3, seed=4, focused_negatives=True),
]


def make_jobs(backend, shared, n_visits=60, configs=CONFIGS):
    """Every machine has its own targets and order, over one array of literals or its own."""
    literals = backend.pack(keyed_bits(5, 30, 9), 1)
    jobs = []
    for i, config in enumerate(configs):
        own = literals if shared else backend.pack(keyed_bits(6 + i, 30, 9), 1)
        targets = keyed_targets(i, 30, max(config.n_banks, 2))
        order = keyed_targets(9 + i, n_visits, 30).astype(np.int64)
        jobs.append(TrainingJob(backend.engine(config, 1), own, targets, order))
    return jobs
