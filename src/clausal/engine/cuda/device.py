"""A GPU: opened once, arrays to it and back, kernels run on it.

With program.py the only module that needs the packages of `clausal[cuda]`.

Not here: what the kernels compute (core/cuda), how they are compiled (program.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from threading import RLock
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from clausal.engine.cuda.program import compiled
from clausal.frames import not_installed

_LEAST_CAPABILITY = (8, 0)
_CLUSTERS = (9, 0)
"""From here on, blocks that work together share their memory."""

_MOST_PORTABLE_BLOCKS = 8
_KEPT_BYTES = 1 << 30
"""Memory that is not given back between calls, which would take as long as a small one."""

_SMALL_SHARED = 48 << 10
"""Bytes of shared memory that a block may have without being asked for."""


class Memory:
    """Bytes on a GPU, freed with this object.

    Attributes
    ----------
    address : where they are
    n_bytes : their number
    """

    def __init__(self, address: int, n_bytes: int, owner: Any = None) -> None:
        self.address, self.n_bytes = address, n_bytes
        self._owner = owner  # whose memory it is, if not ours


class DeviceArray:
    """Rows of bytes that another package has on a GPU, read where they are.

    Attributes
    ----------
    memory : of the first row
    shape, strides : as those of a NumPy array of bytes
    """

    def __init__(self, memory: Memory, shape: tuple[int, int], row_bytes: int) -> None:
        self.memory, self.shape, self.strides = memory, shape, (row_bytes, 1)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> DeviceArray:
        first, end, _ = rows.indices(len(self))
        memory = Memory(self.memory.address + first * self.strides[0], 0, self.memory)
        return DeviceArray(memory, (end - first, self.shape[1]), self.strides[0])


class Device:
    """One GPU and the stream on which all of its work is done, in the order in which it is asked for.

    `with device:` makes it the GPU of the calling thread, which no other thread then has; all other methods
    are to be called within.

    Attributes
    ----------
    name, arch : what it is, "sm_90" and the like
    n_processors : its multiprocessors
    shared_bytes : shared memory that a block may have
    has_clusters : whether blocks can work together
    """

    def __init__(self, index: int) -> None:
        from cuda.bindings import driver
        from cuda.core import Device as CudaDevice

        self._driver, self._device, self._lock = driver, CudaDevice(index), RLock()
        self._copies: dict[int, Memory] = {}
        _, before = driver.cuCtxGetCurrent()
        self._device.set_current()
        _, self._context = driver.cuCtxGetCurrent()
        driver.cuCtxSetCurrent(before)
        properties = self._device.properties
        self.name, self.arch = self._device.name, f"sm_{self._device.arch}"
        self.n_processors = properties.multiprocessor_count
        self.shared_bytes = properties.max_shared_memory_per_block_optin
        capability = tuple(self._device.compute_capability)
        self.has_clusters = capability >= _CLUSTERS
        if capability < _LEAST_CAPABILITY:
            least = ".".join(map(str, _LEAST_CAPABILITY))
            raise RuntimeError(
                f"backend='cuda' needs a GPU of compute capability {least} or higher. Got {self.name} of "
                f"{'.'.join(map(str, capability))}."
            )
        with self:
            self._stream = self._device.create_stream()
            _, pool = driver.cuDeviceGetDefaultMemPool(self._device.device_id)
            kept = driver.cuuint64_t(_KEPT_BYTES)
            threshold = driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
            self._check(driver.cuMemPoolSetAttribute(pool, threshold, kept))

    def __enter__(self) -> Device:
        self._lock.acquire()
        self._check(self._driver.cuCtxPushCurrent(self._context))
        return self

    def __exit__(self, *error: object) -> None:
        self._driver.cuCtxPopCurrent()
        self._lock.release()

    def memory(self, n_bytes: int) -> Memory:
        """Bytes of any content; MemoryError where the GPU has not that many."""
        result, address = self._driver.cuMemAllocAsync(max(n_bytes, 16), self._stream_handle)
        if result == self._driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            raise MemoryError(f"backend='cuda' needs {n_bytes / 2**30:,.2f} GiB more than {self.name} has.")
        self._check((result,))
        memory = Memory(int(address), n_bytes)
        finalize(memory, self._free, address).atexit = False
        return memory

    def _free(self, address: Any) -> None:
        """Without the lock, as it may be called at any moment."""
        self._driver.cuCtxPushCurrent(self._context)
        self._driver.cuMemFreeAsync(address, self._stream_handle)
        self._driver.cuCtxPopCurrent()

    @property
    def _stream_handle(self) -> int:
        return int(self._stream.handle)

    def zeros(self, n_bytes: int) -> Memory:
        """Bytes that are 0."""
        memory = self.memory(n_bytes)
        self._check(self._driver.cuMemsetD8Async(memory.address, 0, max(n_bytes, 16), self._stream_handle))
        return memory

    def array_of(self, rows: Any) -> DeviceArray:
        """Rows of booleans or bytes [n, columns] that another package has on this GPU."""
        from cuda.core.utils import StridedMemoryView

        view = StridedMemoryView.from_any_interface(rows, stream_ptr=self._stream_handle)
        if view.device_id != self._device.device_id:
            raise ValueError(
                f"X must be on the GPU that predicts, number {self._device.device_id}. Got an array on "
                f"number {view.device_id}."
            )
        n_columns, strides = view.shape[-1], view.strides
        is_plain = strides is None or strides[-1] == 1 or n_columns == 1
        if len(view.shape) != 2 or np.dtype(view.dtype) not in (np.bool_, np.uint8, np.int8) or not is_plain:
            raise ValueError(
                "X on a GPU must be two-dimensional, of booleans or bytes, with the values of a row side by "
                f"side. Got {view.dtype} of shape {tuple(view.shape)}."
            )
        row_bytes = n_columns if strides is None else strides[0]
        return DeviceArray(Memory(int(view.ptr), 0, view), tuple(view.shape), row_bytes)

    def put(self, array: NDArray[Any]) -> Memory:
        """A copy of an array on the GPU."""
        memory = self.memory(array.nbytes)
        self.write(memory, array)
        return memory

    def copy_of(self, array: NDArray[Any]) -> Memory:
        """A copy of an array on the GPU; of one that is read-only the same as before."""
        if array.flags.writeable:
            return self.put(array)
        if id(array) not in self._copies:
            self._copies[id(array)] = self.put(array)
            finalize(array, self._copies.pop, id(array), None)
        return self._copies[id(array)]

    def write(self, memory: Memory, array: NDArray[Any]) -> None:
        """Overwrite memory with an array, which may be changed afterwards."""
        if array.nbytes:
            array = np.ascontiguousarray(array)
            self._check(
                self._driver.cuMemcpyHtoDAsync(
                    memory.address, array.ctypes.data, array.nbytes, self._stream_handle
                )
            )

    def read(self, memory: Memory, out: NDArray[Any]) -> None:
        """Fill a contiguous array from the beginning of the memory; waits for all work before it."""
        if out.nbytes:
            self._check(
                self._driver.cuMemcpyDtoHAsync(
                    out.ctypes.data, memory.address, out.nbytes, self._stream_handle
                )
            )
        self.wait()

    def wait(self) -> None:
        """Until all work is done."""
        self._stream.sync()

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
        """Launch a kernel; memories among the arguments are passed by address, other numbers as they are."""
        from cuda.core import LaunchConfig, launch

        if isinstance(n_blocks, int) and cluster > 1:
            config = LaunchConfig(
                grid=n_blocks // cluster, cluster=cluster, block=n_threads, shmem_size=shared_bytes
            )
        else:
            config = LaunchConfig(grid=n_blocks, block=n_threads, shmem_size=shared_bytes)
        plain = [np.uint64(one.address) if isinstance(one, Memory) else one for one in arguments]
        launch(self._stream, config, kernel, *plain)

    @cache  # noqa: B019 (devices are never given up)
    def kernel(
        self,
        file: str,
        name: str,
        constants: tuple[tuple[str, int], ...] = (),
        shared_bytes: int = 0,
        cluster: int = 1,
    ) -> Any:
        """A kernel of a file of core/cuda, compiled for this GPU and allowed what it asks for."""
        kernel = compiled(file, constants, self.arch).get_kernel(name)
        attribute = self._driver.CUfunction_attribute
        if shared_bytes > _SMALL_SHARED:
            self._allow(kernel, attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes)
        if cluster > _MOST_PORTABLE_BLOCKS:
            self._allow(kernel, attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)
        return kernel

    def _allow(self, kernel: Any, attribute: Any, value: int) -> None:
        handle = self._driver.CUkernel(int(kernel.handle))
        self._check(
            self._driver.cuKernelSetAttribute(
                attribute, value, handle, self._driver.CUdevice(self._device.device_id)
            )
        )

    def _check(self, returned: tuple[Any, ...]) -> None:
        result = returned[0]
        if result == self._driver.CUresult.CUDA_SUCCESS:
            return
        _, text = self._driver.cuGetErrorString(result)
        said = f"CUDA on {self.name}: {text.decode() if text else result}"
        if result == self._driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            raise MemoryError(said)
        raise RuntimeError(said)


@cache
def open_device(index: int = 0) -> Device:
    """The GPU of that number; an error that says what is missing where it cannot be used."""
    try:
        import cuda.bindings.driver as driver
        import cuda.core  # noqa: F401
    except ImportError as error:
        raise not_installed("backend='cuda'", "cuda-core", "clausal[cuda]") from error
    try:
        (result,) = driver.cuInit(0)
    except RuntimeError as error:  # there is no library of the driver
        raise RuntimeError("backend='cuda' needs the driver of an NVIDIA GPU, which is not here.") from error
    n_devices = 0
    if result == driver.CUresult.CUDA_SUCCESS:
        _, n_devices = driver.cuDeviceGetCount()
    if n_devices == 0:
        raise RuntimeError("backend='cuda' needs an NVIDIA GPU. The driver finds none.")
    if index >= n_devices:
        raise RuntimeError(f"backend='cuda:{index}' needs {index + 1} GPUs. The driver finds {n_devices}.")
    return Device(index)


def is_available() -> bool:
    """Whether the packages, the driver and a GPU are here."""
    try:
        open_device()
    except (ImportError, RuntimeError):
        return False
    return True
