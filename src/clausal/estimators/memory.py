"""MemoryError before the system runs out of memory, rather than a killed process after."""

from __future__ import annotations

import os


def require_memory(n_bytes: int, what: str) -> None:
    """Raise MemoryError when `what` needs more bytes than this machine has."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return
    if n_bytes > total:
        raise MemoryError(
            f"{what} would need about {n_bytes / 2**30:,.1f} GiB. This machine has {total / 2**30:,.1f} GiB."
        )
