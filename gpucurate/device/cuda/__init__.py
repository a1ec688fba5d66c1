"""The CUDA backend: the verbs on one NVIDIA GPU, bit for bit as the CPU backend gives them.

What the device cannot take (a document larger than its memory, text of 64 continuation bytes in a row) goes to the CPU
backend, whose answer is the same.  Importing this package needs neither CuPy nor a device; the first verb needs both.
"""

from gpucurate.device.cuda.backend import CudaBackend

__all__ = ["CudaBackend"]
