"""Linear layers in 8-bit integers on a CPU: weights quantised once per output, activations per token as they come.

Symmetric, with the largest magnitude as 127, after LLM.int8 (Dettmers et al. 2022, section 2: vector-wise
quantisation), without its outlier columns.  A token's scale depends on that token alone, and integer sums are exact:
what shares a batch does not change a layer's output.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from gpucurate.steps.quality.int8_rows import LARGEST, LEAST, dequantise, quantise

ROWS_AT_ONCE = 256  # what is computed for so many tokens stays in a core's cache


class Int8Linear(torch.nn.Module):
    """A replacement for torch.nn.Linear in evaluation."""

    weight: torch.Tensor  # int8 [in, out]

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach().float()
        scale = weight.abs().amax(1).clamp_(min=float(LEAST)) / float(LARGEST)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        # [in, out], a view: its columns are contiguous.
        self.register_buffer("weight", (weight / scale[:, None]).round_().to(torch.int8).t())
        bias = torch.zeros(self.out_features) if linear.bias is None else linear.bias.detach().float()
        self._scale, self._bias = scale.numpy(), bias.numpy()

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """[..., in] to [..., out], float32."""
        rows = given.detach().reshape(-1, self.in_features).contiguous().numpy()
        out = torch.empty(len(rows), self.out_features)
        filled, scale = out.numpy(), np.empty(ROWS_AT_ONCE, np.float32)
        quantised = torch.empty(ROWS_AT_ONCE, self.in_features, dtype=torch.int8)
        for low in range(0, len(rows), ROWS_AT_ONCE):
            part = rows[low : low + ROWS_AT_ONCE]
            here, steps = quantised[: len(part)], scale[: len(part)]
            quantise(part, part.view(np.int32), here.numpy(), steps, steps.view(np.int32))
            sums = torch._int_mm(here, self.weight).numpy()
            dequantise(sums, steps, self._scale, self._bias, filled[low : low + ROWS_AT_ONCE])
        return out.reshape(*given.shape[:-1], self.out_features)


def to_int8(model: Any) -> None:
    """Replace the linear layers of the encoder, in place; the head keeps its precision."""
    encoder = model.base_model
    for parent in list(encoder.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is torch.nn.Linear and child.out_features > 1:
                setattr(parent, name, Int8Linear(child))
