"""What a training runs on: one process or several (started by `accelerate launch`), CPU or GPU, and how precise."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

from gpucurate.core.errors import DeviceError, MissingExtra, UserError

BF16_CAPABILITY = (8, 0)  # Ampere, the first with bf16 in tensor cores


@dataclass(frozen=True, slots=True)
class Machine:
    """This process among its equals."""

    device: Any  # torch.device
    precision: str  # fp32, bf16 or fp16
    rank: int
    processes: int

    @property
    def leads(self) -> bool:
        """Whether this process writes and speaks for all."""
        return self.rank == 0

    def autocast(self) -> contextlib.AbstractContextManager[Any]:
        """Forward passes run in here."""
        import torch

        if self.precision == "fp32":
            return contextlib.nullcontext()
        dtype = torch.bfloat16 if self.precision == "bf16" else torch.float16
        return torch.autocast(self.device.type, dtype=dtype)

    def sum(self, tensor: Any) -> Any:
        """Add a tensor up over the processes, in place."""
        if self.processes > 1:
            import torch

            torch.distributed.all_reduce(tensor)
        return tensor

    def wait(self) -> None:
        """Until all processes are here."""
        if self.processes > 1:
            import torch

            torch.distributed.barrier()


def find_machine(device: str, precision: str) -> Machine:
    """The machine for `auto`, `cpu` or `cuda`; several processes where `accelerate launch` has started them.

    Raises DeviceError if `cuda` was asked for and torch has none, UserError for fp16 on a CPU, MissingExtra.
    """
    try:
        import torch
        from accelerate import PartialState
    except ImportError as error:
        raise MissingExtra("gpucurate classifier train", error.name or "torch", "classifier") from error
    has_gpu = torch.cuda.is_available()
    if device == "cuda" and not has_gpu:
        why = "torch sees no GPU" if torch.version.cuda else "this build of torch is for CPU only"
        raise DeviceError(
            f"device 'cuda' was asked for, but {why}. Remedy: check nvidia-smi and CUDA_VISIBLE_DEVICES, install "
            "torch with CUDA, or --device cpu"
        )
    on_gpu = has_gpu and device != "cpu"
    if precision == "fp16" and not on_gpu:
        raise UserError("precision: fp16 needs a GPU. Remedy: precision: bf16 or fp32 on a CPU")
    state = PartialState(cpu=not on_gpu)
    place = state.device if on_gpu else torch.device("cpu")
    if precision == "auto":
        precision = "fp32"
        if on_gpu:
            precision = "bf16" if torch.cuda.get_device_capability(place) >= BF16_CAPABILITY else "fp16"
    return Machine(place, precision, state.process_index, state.num_processes)
