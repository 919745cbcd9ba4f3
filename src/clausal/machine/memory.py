"""MemoryError before the system runs out of memory and ends the process."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from clausal.machine.inputs import row_count


def require_table_memory(X: Any, n_columns: int | None = None) -> None:
    """MemoryError where the literals of `X`, with as many columns as it has or as said, would not fit."""
    require_memory_of(row_count(X) or 0, X.shape[-1] if n_columns is None else n_columns)


def require_memory_of(n_rows: int, n_columns: int) -> None:
    """MemoryError where the literals of a table of this size would not fit."""
    require_memory(n_rows * n_columns // 4, f"A table of {n_rows:,} rows and {n_columns:,} boolean columns")


_CONTAINER_LIMITS = (  # of this process's control group, version 2 and 1
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def require_memory(n_bytes: int, what: str) -> None:
    """Raise MemoryError when `what` needs more bytes than this machine, or container, has."""
    limit = _available()
    if limit is not None and n_bytes > limit:
        raise MemoryError(
            f"{what} would need about {n_bytes / 2**30:,.1f} GiB. This machine has {limit / 2**30:,.1f} GiB."
        )


@cache
def _available() -> int | None:
    """Bytes of memory of this machine or container; None where it does not say."""
    limits = [limit for limit in (_physical(), *map(_written, _CONTAINER_LIMITS)) if limit is not None]
    return min(limits, default=None)


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return None


def _written(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # no such limit, or "max"
        return None
