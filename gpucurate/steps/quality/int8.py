"""Linear layers in 8-bit integers on a CPU: weights quantised once per output, activations per token as they come.

Symmetric, with the largest magnitude as 127, after LLM.int8 (Dettmers et al. 2022, section 2: vector-wise
quantisation), without its outlier columns.  A token's scale depends on that token alone, and integer sums are exact:
what shares a batch does not change a score.
"""

from __future__ import annotations

from typing import Any

import torch

LARGEST = 127
LEAST_SCALE = 1e-12  # for a token that is all zeros
ROWS_AT_ONCE = 256  # what is computed for so many tokens stays in a core's cache


class Int8Linear(torch.nn.Module):
    """A replacement for torch.nn.Linear in evaluation."""

    weight: torch.Tensor  # int8 [in, out]
    scale: torch.Tensor  # float32 [out]
    bias: torch.Tensor | None

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach().float()
        scale = weight.abs().amax(1).clamp_(min=LEAST_SCALE) / LARGEST
        quantised = (weight / scale[:, None]).round_().to(torch.int8)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.register_buffer("weight", quantised.t())  # a view: its columns are contiguous
        self.register_buffer("scale", scale)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().float())

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """[..., in] to [..., out], float32."""
        rows = given.reshape(-1, self.in_features)
        out = torch.empty(len(rows), self.out_features)
        for low in range(0, len(rows), ROWS_AT_ONCE):
            part = rows[low : low + ROWS_AT_ONCE]
            scale = part.abs().amax(1, keepdim=True).clamp_(min=LEAST_SCALE) / LARGEST
            sums = torch._int_mm((part / scale).round_().to(torch.int8), self.weight)
            done = torch.mul(sums, scale, out=out[low : low + ROWS_AT_ONCE]).mul_(self.scale)
            if self.bias is not None:
                done.add_(self.bias)
        return out.reshape(*given.shape[:-1], self.out_features)


def to_int8(model: Any) -> None:
    """Replace the linear layers of the encoder, in place; the head keeps its precision."""
    encoder = model.base_model
    for parent in list(encoder.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is torch.nn.Linear and child.out_features > 1:
                setattr(parent, name, Int8Linear(child))
