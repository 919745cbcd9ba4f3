"""Booleans as 64-bit words. Not here: a sample's literals from its columns (the engines)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pack_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The last axis of a boolean array as words: bit k of word q is entry 64 q + k, the rest is 0."""
    as_bytes = np.packbits(bits, axis=-1, bitorder="little")
    n_words = -(-bits.shape[-1] // 64)
    padded = np.zeros((*bits.shape[:-1], n_words * 8), np.uint8)
    padded[..., : as_bytes.shape[-1]] = as_bytes
    return padded.view("<u8").astype(np.uint64)


def unpack_bits(words: NDArray[np.uint64], n_bits: int) -> NDArray[np.bool_]:
    """The inverse of `pack_bits`: the first `n_bits` entries of the last axis."""
    as_bytes = np.ascontiguousarray(words, "<u8").view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, count=n_bits, bitorder="little").astype(bool)
