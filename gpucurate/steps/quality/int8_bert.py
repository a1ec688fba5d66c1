"""A BERT regressor's forward pass in 8-bit integers on a CPU core, without padding.

The same arithmetic as the module of transformers with its encoder's linear layers as `Int8Linear`, arranged for a
core's cache: windows lie one after another instead of in a padded rectangle, query, key and value are one product, and
what follows attention is done for a few tokens at a time, from the first product to the last sum.  Everything but the
products of linear layers is fp32; attention never leaves a window.

All BERT-shaped regressors fit (MiniLM, Snowflake's arctic-embed, FineWeb-Edu's classifier); others keep their module.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from gpucurate.steps.quality.int8 import ROWS_AT_ONCE, Int8Linear

PARTS = 3  # query, key, value


@dataclass(frozen=True, slots=True)
class Int8Layer:
    """A layer of the encoder."""

    query_key_value: Int8Linear
    attended: Int8Linear
    attended_norm: Any  # torch.nn.LayerNorm
    inner: Int8Linear
    outer: Int8Linear
    outer_norm: Any

    @classmethod
    def of(cls, layer: Any) -> Int8Layer:
        """From transformers' BertLayer."""
        attention = layer.attention
        three = (attention.self.query, attention.self.key, attention.self.value)
        joined = torch.nn.Linear(three[0].in_features, sum(each.out_features for each in three))
        joined.weight.data = torch.cat([each.weight.detach() for each in three])
        joined.bias.data = torch.cat([each.bias.detach() for each in three])
        return cls(
            Int8Linear(joined),
            Int8Linear(attention.output.dense),
            attention.output.LayerNorm,
            Int8Linear(layer.intermediate.dense),
            Int8Linear(layer.output.dense),
            layer.output.LayerNorm,
        )


def fits(model: Any) -> bool:
    """Whether a model is a BERT regressor with nothing unusual about it."""
    from transformers import BertForSequenceClassification

    config = model.config
    return (
        type(model) is BertForSequenceClassification
        and config.hidden_act == "gelu"
        and not config.is_decoder
        and getattr(config, "position_embedding_type", None) in (None, "absolute")
    )


class Int8Bert:
    """A regressor over windows that lie one after another."""

    def __init__(self, model: Any) -> None:
        """Of a model in fp32 that `fits`; its embeddings, norms, pooler and head are used as they are."""
        self._embeddings, self._pooler, self._head = model.bert.embeddings, model.bert.pooler, model.classifier
        self._layers = [Int8Layer.of(layer) for layer in model.bert.encoder.layer]
        self._heads = int(model.config.num_attention_heads)

    def __call__(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float64]:
        """[windows]: scores of windows of these lengths, whose token ids [sum of lengths] follow one another."""
        starts = np.cumsum([0, *lengths[:-1]])
        with torch.inference_mode():
            states = self._embedded(ids, np.arange(len(ids)) - np.repeat(starts, lengths))
            attended = torch.empty_like(states)
            mixed = torch.empty(len(states), PARTS * states.shape[1])
            for layer in self._layers:
                for rows in _slices(len(states)):
                    mixed[rows] = layer.query_key_value(states[rows])
                self._attend(mixed, lengths, attended)
                for rows in _slices(len(states)):
                    states[rows] = _after_attention(layer, states[rows], attended[rows])
            first = self._pooler(states[torch.from_numpy(starts)][:, None])
            found: NDArray[np.float64] = self._head(first)[:, 0].double().numpy()
        return found

    def _embedded(self, ids: NDArray[np.int64], places: NDArray[np.int64]) -> torch.Tensor:
        """[tokens, width]; all tokens are of the first kind, as a text alone is."""
        parts = self._embeddings
        words = parts.word_embeddings(torch.from_numpy(ids))
        words += parts.position_embeddings(torch.from_numpy(places))
        words += parts.token_type_embeddings.weight[0]
        normed: torch.Tensor = parts.LayerNorm(words)
        return normed

    def _attend(self, mixed: torch.Tensor, lengths: NDArray[np.int64], out: torch.Tensor) -> None:
        """Attention within each window; neighbours of one length go together."""
        start, width = 0, out.shape[1] // self._heads
        for length, equal in groupby(lengths.tolist()):
            windows = len(list(equal))
            stop = start + windows * length
            shape = (windows, length, PARTS, self._heads, width)
            query, key, value = mixed[start:stop].view(shape).permute(2, 0, 3, 1, 4)
            found = functional.scaled_dot_product_attention(query, key, value)
            out[start:stop].view(windows, length, self._heads, width).copy_(found.transpose(1, 2))
            start = stop


def _slices(rows: int) -> list[slice]:
    return [slice(low, low + ROWS_AT_ONCE) for low in range(0, rows, ROWS_AT_ONCE)]


def _after_attention(layer: Int8Layer, states: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
    """The rest of a layer, token by token."""
    between = layer.attended_norm(layer.attended(attended).add_(states))
    inner = functional.gelu(layer.inner(between))
    normed: torch.Tensor = layer.outer_norm(layer.outer(inner).add_(between))
    return normed
