"""BLAKE3 digests: of payloads, files and configurations.

A configuration is digested through one canonical JSON form, so that equal settings have equal keys on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from blake3 import blake3

RECORD_BYTES = 16  # record ids and raw digests: 128 bits
READ_BYTES = 1 << 20


def digest16(payload: bytes) -> bytes:
    """First 16 bytes of BLAKE3(payload)."""
    return blake3(payload).digest(length=RECORD_BYTES)


def digest_settings(settings: object) -> str:
    """64 hex digits over the canonical JSON of `settings` (sorted keys, no spaces, UTF-8; no floats as keys)."""
    return blake3(canonical_json(settings).encode()).hexdigest()


def canonical_json(settings: object) -> str:
    """One spelling for equal values: sorted keys, no white space, non-ASCII as it is."""
    return json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)


def digest_file(path: str | Path) -> str:
    """64 hex digits over a local file's bytes, read through a memory map with several threads."""
    hasher = blake3(max_threads=blake3.AUTO)
    hasher.update_mmap(path)
    return hasher.hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return str(value)
