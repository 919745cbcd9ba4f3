"""`clausal info`: versions, instruction set and libraries of this installation."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from clausal.cli.options import command
from clausal.cli.screen import Screen

_LIBRARIES = {
    "numpy": "arrays",
    "scipy": "numerical functions",
    "scikit-learn": "conventions, metrics",
    "narwhals": "any table library",
    "pandas": "tables",
    "polars": "tables, Parquet",
    "pyarrow": "tables, Parquet",
    "sqlglot": "export to SQL",
    "matplotlib": "plots",
    "optuna": "its tuners",
}


@dataclass(kw_only=True)
class InfoOptions:
    """No options."""


@command(InfoOptions, "clausal info")
def info(options: InfoOptions) -> None:
    """Print versions, the instruction set, the number of threads and the installed libraries."""
    from clausal import __version__
    from clausal.engine.native import available_instruction_sets, instruction_set

    screen = Screen()
    rows = [
        ("clausal", __version__),
        ("Python", platform.python_version()),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("instruction set", f"{instruction_set()} (available: {', '.join(available_instruction_sets())})"),
        ("threads", str(os.cpu_count() or 1)),
    ]
    screen.result_table(("property", "value"), rows, "This installation")
    libraries = [(name, _version(name), use) for name, use in _LIBRARIES.items()]
    screen.result_table(("library", "version", "for"), libraries, "Libraries")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
