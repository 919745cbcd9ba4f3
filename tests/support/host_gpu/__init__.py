"""A GPU that the CPU plays: kernels of core/cuda run thread by thread, to be tested without a GPU.

`HostDevice` takes the place of `clausal.engine.cuda.device.Device`; everything above it is the real thing.
It also finds what a GPU would pass over: memory that is read before it is written (it holds no zeros), bytes
written past the end of an array, and lanes that wait for each other in different places.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from clausal.engine.cuda.device import Device, DeviceArray, Memory, is_available

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
COMPILER = shutil.which("g++")
HAS_GPU = is_available()
_POISON = 0xA5
_MARGIN = 64
"""Bytes on each side of an array that nobody may write to."""


class HostDevice(Device):
    """A GPU of the test's choice; see the module.

    Parameters
    ----------
    n_processors, shared_bytes, has_clusters : as those of a `Device`
    seed : of the order in which threads run
    """

    def __init__(
        self, n_processors: int = 4, shared_bytes: int = 227 << 10, *, has_clusters: bool = True, seed=0
    ) -> None:
        self.name, self.arch = "host", "host"
        self.n_processors, self.shared_bytes, self.has_clusters = n_processors, shared_bytes, has_clusters
        self.seed = seed
        self._host_lock, self._copies = RLock(), {}
        self._live: dict[int, np.ndarray] = {}

    def __enter__(self) -> HostDevice:
        self._host_lock.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self._host_lock.release()

    def memory(self, n_bytes: int) -> Memory:
        buffer = np.full(n_bytes + 2 * _MARGIN + 16, _POISON, np.uint8)
        address = -(-(buffer.ctypes.data + _MARGIN) // 16) * 16
        return HostMemory(address, n_bytes, buffer)

    def zeros(self, n_bytes: int) -> Memory:
        memory = self.memory(n_bytes)
        ctypes.memset(memory.address, 0, n_bytes)
        return memory

    def array_of(self, rows: Any) -> DeviceArray:
        return DeviceArray(Memory(rows.ctypes.data, 0, rows), rows.shape, rows.strides[0])

    def write(self, memory: Memory, array: np.ndarray) -> None:
        array = np.ascontiguousarray(array)
        ctypes.memmove(memory.address, array.ctypes.data, array.nbytes)

    def read(self, memory: Memory, out: np.ndarray) -> None:
        ctypes.memmove(out.ctypes.data, memory.address, out.nbytes)

    def wait(self) -> None:
        pass

    def run(
        self,
        kernel: Any,
        n_blocks: int | tuple[int, int],
        n_threads: int,
        arguments: Sequence[Any],
        *,
        shared_bytes: int = 0,
        cluster: int = 1,
    ) -> None:
        assert shared_bytes <= self.shared_bytes
        assert cluster == 1 or self.has_clusters
        plain = [np.uint64(one.address) if isinstance(one, Memory) else one for one in arguments]
        boxes = [np.array([value]) for value in plain]
        pointers = (ctypes.c_void_p * len(boxes))(*(box.ctypes.data for box in boxes))
        grid = n_blocks if isinstance(n_blocks, tuple) else (n_blocks, 1)
        self.seed += 1
        sizes = ctypes.c_size_t(shared_bytes), ctypes.c_uint64(self.seed)
        error = kernel(*grid, n_threads, cluster, *sizes, pointers)
        assert error is None, error.decode()
        for one in arguments:
            if isinstance(one, HostMemory):
                one.check()

    def kernel(
        self,
        file: str,
        name: str,
        constants: tuple[tuple[str, int], ...] = (),
        shared_bytes: int = 0,
        cluster: int = 1,
    ) -> Any:
        return _built(file, name, constants)


class HostMemory(Memory):
    """Memory between margins that stay as they were."""

    def __init__(self, address: int, n_bytes: int, buffer: np.ndarray) -> None:
        super().__init__(address, n_bytes, buffer)
        self._begin = address - buffer.ctypes.data
        self._buffer = buffer

    def check(self) -> None:
        """Fail if anything beside it was written."""
        end = self._begin + self.n_bytes
        assert (self._buffer[: self._begin] == _POISON).all(), "a kernel wrote before an array"
        assert (self._buffer[end:] == _POISON).all(), "a kernel wrote past the end of an array"


@cache
def _folder() -> Path:
    """Of compiled kernels, gone with the process."""
    _folder.kept = tempfile.TemporaryDirectory(prefix="clausal_kernels_")  # type: ignore[attr-defined]
    return Path(_folder.kept.name)  # type: ignore[attr-defined]


@cache
def _built(file: str, name: str, constants: tuple[tuple[str, int], ...]) -> Any:
    """The launch of a kernel, compiled for the CPU."""
    assert COMPILER is not None
    defined = [f"-D{key}={value}u" for key, value in constants]
    library = _folder() / f"{name}_{sha256(repr(constants).encode()).hexdigest()[:16]}.so"
    command = [COMPILER, "-std=c++20", "-O1", "-shared", "-fPIC", "-w", f"-I{HERE}", f"-I{ROOT}", *defined]
    command += [f'-DKERNEL_FILE="core/cuda/{file}.cu"', f"-DKERNEL={name}"]
    done = subprocess.run([*command, "-o", library, HERE / "kernel.cpp"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    launch = ctypes.CDLL(library).run_kernel
    launch.restype = ctypes.c_char_p
    return launch
