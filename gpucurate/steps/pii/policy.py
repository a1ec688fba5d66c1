"""From findings to new text: what the policy of each class puts in the place of what was found."""

from __future__ import annotations

import pyarrow as pa

from gpucurate.core.text_buffers import text_buffers
from gpucurate.steps.contract import SPANS, Edit
from gpucurate.steps.pii.classes import PiiClass
from gpucurate.steps.pii.config import PiiConfig, Policy
from gpucurate.steps.pii.keys import Key
from gpucurate.steps.pii.surrogates import normalised, surrogate

AROUND = 48  # bytes on either side that go into the context digest and the restricted table


def apply(texts: pa.Array | pa.ChunkedArray, findings: pa.Table, config: PiiConfig, key: Key) -> Edit:
    """New texts (null where nothing changes) and one span a changed finding, of kind `pii.<class>`.

    `findings` has the first columns of finder.FINDINGS, sorted by (row, start), none overlapping.  Redacted are the
    classes with policy `redact` and `drop`: a document that stays below `drop_above` loses its findings too.
    """
    buffers = text_buffers(texts)
    view = buffers.data.data
    policies = {kind.value: policy for kind, policy in config.policies.items()}
    new: list[bytes | None] = [None] * buffers.documents
    spans: list[tuple[int, int, int, str, str]] = []
    pieces: dict[int, tuple[list[bytes], int]] = {}  # by row: what is written so far, and up to where it was read
    columns = [findings[name].to_pylist() for name in ("row", "start", "end", "class")]
    for row, start, end, kind in zip(*columns, strict=True):
        low = int(buffers.offsets[row])
        value = bytes(view[low + start : low + end])
        replacement = _replacement(PiiClass(kind), policies[kind], value, key)
        if replacement is None:
            continue
        written, read = pieces.get(row, ([], 0))
        written += (bytes(view[low + read : low + start]), replacement.encode())
        pieces[row] = written, end
        spans.append((row, start, end, replacement, f"pii.{kind}"))
    for row, (written, read) in pieces.items():
        low, high = int(buffers.offsets[row]), int(buffers.offsets[row + 1])
        new[row] = b"".join([*written, bytes(view[low + read : high])])
    text = pa.array(new, pa.large_binary()).cast(pa.large_string())
    columns = list(zip(*spans, strict=True)) or [()] * len(SPANS)
    return Edit(text, pa.table([pa.array(c, f.type) for c, f in zip(columns, SPANS, strict=True)], schema=SPANS))


def placeholder(kind: PiiClass) -> str:
    """What stands for a redacted finding: `[EMAIL]`."""
    return f"[{kind.value.upper()}]"


def with_digests(texts: pa.Array | pa.ChunkedArray, findings: pa.Table, key: Key) -> tuple[pa.Table, pa.Table]:
    """The findings with two keyed digests (binary 16), and the restricted table, row by row beside it.

    `value_digest` is equal for equal normalised values of a class, `context_digest` for equal values in equal
    surroundings.  Restricted are row, start and end again, the `match`, and the text `before` and `after` it.
    """
    buffers = text_buffers(texts)
    view = buffers.data.data
    values, contexts = [], []
    shown: list[tuple[str, str, str]] = []
    columns = [findings[name].to_pylist() for name in ("row", "start", "end", "class")]
    for row, start, end, kind in zip(*columns, strict=True):
        low, high = int(buffers.offsets[row]), int(buffers.offsets[row + 1])
        match = bytes(view[low + start : low + end])
        before = bytes(view[max(low, low + start - AROUND) : low + start])
        after = bytes(view[low + end : min(high, low + end + AROUND)])
        name = kind.encode()
        values.append(key.digest(b"value", name, normalised(PiiClass(kind), match)))
        contexts.append(key.digest(b"context", name, before, match, after))
        shown.append((match.decode(), before.decode(errors="ignore"), after.decode(errors="ignore")))
    findings = findings.append_column("value_digest", pa.array(values, pa.binary(16)))
    findings = findings.append_column("context_digest", pa.array(contexts, pa.binary(16)))
    restricted = findings.select(["row", "start", "end"])
    for name, column in zip(("match", "before", "after"), list(zip(*shown, strict=True)) or [()] * 3, strict=True):
        restricted = restricted.append_column(name, pa.array(column, pa.string()))
    return findings, restricted


def _replacement(kind: PiiClass, policy: Policy, value: bytes, key: Key) -> str | None:
    if policy in (Policy.KEEP, Policy.QUARANTINE):
        return None
    return surrogate(kind, value, key) if policy is Policy.SURROGATE else placeholder(kind)
