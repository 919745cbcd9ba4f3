"""Small result data frames in pandas, polars or pyarrow, whichever is installed; none is required.

Also here: the error for a package that is not installed. Not here: reading the user's tables
(encoding/table.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, get_args

import narwhals as nw

FrameBackend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[FrameBackend, ...] = get_args(FrameBackend)


def make_frame(columns: Mapping[str, Sequence[Any]], backend: FrameBackend | None = None) -> Any:
    """A data frame of these columns.

    Parameters
    ----------
    columns : the values of each column, all of the same length
    backend : "pandas", "polars" or "pyarrow"; None selects the first one that is installed
    """
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}. Got {backend!r}.")
    for name in BACKENDS if backend is None else (backend,):
        if find_spec(name) is not None:
            return nw.from_dict(dict(columns), backend=name).to_native()
    raise not_installed("A data frame", backend or " or ".join(BACKENDS), backend or "pandas")


def not_installed(what: str, package: str, install: str) -> ImportError:
    """The error where `what` needs a package; `install` is what pip installs, as `clausal[sql]`."""
    quoted = f'"{install}"' if "[" in install else install  # some shells expand brackets
    said = f"{what} needs {package}, which is not installed. Install it with: pip install {quoted}"
    return ImportError(said)
