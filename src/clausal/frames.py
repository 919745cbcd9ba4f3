"""Small result tables in whichever table library the user has; none is required by the package.

Not here: reading the user's own tables (encoding/table.py).
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
    columns : the values of each column, all of one length
    backend : "pandas", "polars" or "pyarrow"; None takes the first that is installed
    """
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"The backend of a frame must be one of {', '.join(BACKENDS)}. Got {backend!r}.")
    for name in BACKENDS if backend is None else (backend,):
        if find_spec(name) is not None:
            return nw.from_dict(dict(columns), backend=name).to_native()
    wanted = backend or " or ".join(BACKENDS)
    raise ImportError(
        f"A frame needs {wanted}, which is not installed; install one, such as: pip install pandas"
    )
