"""Kernels as programs: sources put together with the sizes they are for, and compiled. No GPU is needed.

The sources are those of core/, part of the compiled module as text; the law of learning is the CPU's own.
NVRTC compiles them when they are first used, so that no compiler has to be installed (docs/decisions/0041).
Not here: which sizes (layout.py), running (device.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from clausal.engine.native import cuda_sources

_INCLUDE = re.compile(r'^#include [<"](.*)[>"]$')
_PRELUDE = "#define INT64_MAX 0x7FFFFFFFFFFFFFFFll\n"
_UNKNOWN_ATTRIBUTE, _UNREFERENCED, _POINTLESS_COMPARISON, _UNREACHABLE_LOOP = 1097, 177, 186, 128
"""Warnings that sizes known in advance lead to, or that GCC's attributes do."""

Constants = Mapping[str, int]


def source_of(kernel: str) -> str:
    """The whole source of core/cuda/<kernel>.cu: every file of core/ that it includes, once.

    Headers of the C++ library are left out; `standard_types.cuh` has what is used of them.
    """
    texts, seen = cuda_sources(), set[str]()

    def put_together(path: str) -> str:
        if path not in texts or path in seen:
            return ""
        seen.add(path)
        lines = (line for line in texts[path].splitlines() if line != "#pragma once")
        found = ((line, _INCLUDE.match(line)) for line in lines)
        return "\n".join(put_together(match[1]) if match else line for line, match in found) + "\n"

    return _PRELUDE + put_together("core/cuda/standard_types.cuh") + put_together(f"core/cuda/{kernel}.cu")


@cache
def compiled(kernel: str, constants: tuple[tuple[str, int], ...], arch: str) -> Any:
    """The machine code of a kernel file for a processor such as "sm_90", a `cuda.core.ObjectCode`.

    Parameters
    ----------
    kernel : name of a file in core/cuda, without its ending
    constants : names and values that its source is compiled with
    arch : the processor
    """
    from cuda.core import Program, ProgramOptions

    options = ProgramOptions(
        name=f"clausal_{kernel}",
        std="c++20",
        arch=arch,
        device_as_default_execution_space=True,  # functions that the CPU shares have no annotation
        diag_suppress=[_UNKNOWN_ATTRIBUTE, _UNREFERENCED, _POINTLESS_COMPARISON, _UNREACHABLE_LOOP],
    )
    defined = "".join(f"#define {name} {value}u\n" for name, value in constants)
    return Program(defined + source_of(kernel), "c++", options).compile("cubin")
