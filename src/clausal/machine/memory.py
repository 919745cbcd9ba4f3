"""MemoryError before the system runs out of memory, rather than a killed process after."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

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
