"""NVRTC through ctypes: kernels to machine code of any GPU, without one.  NVIDIA's wheel carries the library."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from gpucurate.device.cuda.engine import Kernel
from gpucurate.device.cuda.sources import options, source

# What ptxas says of a function with -v.
_FUNCTION = re.compile(r"Compiling entry function '(\w+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")


class Resources(NamedTuple):
    """Of one kernel on one architecture: registers a thread, bytes of stack and of spilled registers."""

    registers: int
    stack: int
    spilled: int


@cache
def library() -> ctypes.CDLL | None:
    """The library of the newest installed wheel (13.x), None where there is none."""
    found = find_spec("nvidia")
    folders = [Path(each) for each in (found.submodule_search_locations or [])] if found else []
    candidates = sorted(path for folder in folders for path in folder.glob("*/lib/libnvrtc.so.*"))
    if not candidates:
        return None
    for builtins in candidates[-1].parent.glob("libnvrtc-builtins.so*"):
        ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)  # NVRTC opens it by name, and 13.0 does not look beside itself
    return ctypes.CDLL(str(candidates[-1]))


def version() -> tuple[int, int]:
    major, minor = ctypes.c_int(), ctypes.c_int()
    _call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def architectures() -> list[int]:
    """Numbers such as 90 for sm_90, all that this NVRTC can compile for."""
    count = ctypes.c_int()
    _call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
    numbers = (ctypes.c_int * count.value)()
    _call("nvrtcGetSupportedArchs", numbers)
    return list(numbers)


def compiled(kernel: Kernel, architecture: int) -> dict[str, Resources]:
    """Compile the file of a kernel; what each kernel in it needs.  Raises RuntimeError with the compiler's log."""
    return resources(source(kernel.file), options(kernel), architecture)


@cache
def resources(text: str, flags: tuple[str, ...], architecture: int) -> dict[str, Resources]:
    """The same of CUDA C++ text."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    _call("nvrtcCreateProgram", ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None)
    chosen = (f"--gpu-architecture=sm_{architecture}", *flags, "--ptxas-options=-v")
    arguments = (ctypes.c_char_p * len(chosen))(*(each.encode() for each in chosen))
    code = _library().nvrtcCompileProgram(program, len(chosen), arguments)
    _call("nvrtcGetProgramLogSize", program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    _call("nvrtcGetProgramLog", program, log)
    told = log.value.decode()
    if code != 0:
        raise RuntimeError(told)
    _call("nvrtcGetCUBINSize", program, ctypes.byref(size))
    _call("nvrtcDestroyProgram", ctypes.byref(program))
    if size.value == 0:
        raise RuntimeError(f"no machine code for sm_{architecture}")
    return _resources(told)


def _resources(log: str) -> dict[str, Resources]:
    found = {}
    for block in log.split("ptxas info    : Compiling")[1:]:
        name = _FUNCTION.search("Compiling" + block)
        stack, stores, loads = map(int, _SPILLS.search(block).groups())  # type: ignore[union-attr]
        found[name[1]] = Resources(int(_REGISTERS.search(block)[1]), stack, stores + loads)  # type: ignore[index]
    return found


def _library() -> ctypes.CDLL:
    found = library()
    assert found is not None
    return found


def _call(name: str, *arguments: object) -> None:
    code = getattr(_library(), name)(*arguments)
    assert code == 0, f"{name}: error {code}"
