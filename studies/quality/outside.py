"""FasterRisk and LogRR, each in an environment of its own, because they need older packages than clausal.

The environments are made on first use, as `.venv-rivals-<name>` in the root of the repository; if that fails,
the comparison goes on and says so. A fit takes many seconds, so these two are compared only if they are
named, with fewer settings: FasterRisk has at most 10 conditions. Not here: what runs in the environments
(outside_worker.py).
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.quality.bits import Bits
from studies.quality.paths import Model, two_columns

ROOT = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("outside_worker.py")
LIMIT_S = 600  # of an installation


class Environment(NamedTuple):
    """What is installed, and the settings of the path."""

    needs: tuple[str, ...]
    settings: tuple[float, ...]


ENVIRONMENTS = {
    "fasterrisk": Environment(("fasterrisk>=0.1.10", "numpy<2"), (1, 2, 3, 5, 7, 10)),
    "logrr": Environment(
        ("aix360>=0.3", "scikit-learn<1.4", "numpy<2", "pandas<2.2", "scipy<1.14", "cvxpy<1.6"),
        (0.1, 0.07, 0.05, 0.035, 0.025, 0.017, 0.012),
    ),
}


def folder(name: str) -> Path:
    """Where an environment is."""
    return ROOT / f".venv-rivals-{name}"


def install(name: str) -> str | None:
    """Make the environment on first use; returns why that failed, or None."""
    home, needs = folder(name), list(ENVIRONMENTS[name].needs)
    marker = home / "installed.json"
    if marker.exists() and json.loads(marker.read_text()) == needs:
        return None
    print(f"installing {', '.join(needs)}", flush=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", *needs]
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True, capture_output=True)
        subprocess.run(pip, check=True, capture_output=True, timeout=LIMIT_S)
    except subprocess.SubprocessError as error:
        return f"{needs[0]} does not install ({type(error).__name__})"
    marker.write_text(json.dumps(needs))
    return None


def path_of(name: str) -> Callable[[pd.DataFrame, NDArray[np.int64], int], Iterator[Model]]:
    """The path of models of an environment; every model carries its CPU seconds there."""

    def path(X: pd.DataFrame, y: NDArray[np.int64], seed: int) -> Iterator[Model]:
        bits = Bits().fit(X)
        for found in _run(name, bits.transform(X), y):
            rules = [(np.array(literals), weight) for literals, weight in found["rules"]]
            columns = {abs(int(literal)) - 1 for literals, _ in rules for literal in literals}
            yield Model(
                _probabilities(bits, found["constant"], rules),
                sum(len(literals) for literals, _ in rules),
                len({bits.columns[column].feature for column in columns}),
                len(rules),
                found["seconds"],
            )

    return path


def _run(name: str, B: Any, y: Any) -> Any:
    with tempfile.TemporaryDirectory() as place:
        source, target = Path(place) / "in.npz", Path(place) / "out.json"
        np.savez(source, B=B, y=y, settings=ENVIRONMENTS[name].settings)
        python = str(folder(name) / "bin" / "python")
        one_thread = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [python, str(WORKER), name, str(source), str(target)]
        subprocess.run(command, check=True, capture_output=True, env=one_thread)
        return json.loads(target.read_text())


def _probabilities(
    bits: Bits, constant: float, rules: list[tuple[NDArray[np.int64], float]]
) -> Callable[[pd.DataFrame], NDArray[np.float64]]:
    def probabilities(X: pd.DataFrame) -> NDArray[np.float64]:
        B, score = bits.transform(X), np.full(len(X), constant)
        for literals, weight in rules:
            true = B[:, abs(literals) - 1] == (literals > 0)
            score += weight * true.all(1)
        return two_columns(1 / (1 + np.exp(-score)))

    return probabilities
