"""The secret behind surrogates and digests: who has it can test a guess, nobody else can.

An e-mail address or a phone number is guessed in seconds, so a plain digest of one protects nothing.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from blake3 import blake3

from gpucurate.core.digests import RECORD_BYTES
from gpucurate.core.errors import RecipeError

VARIABLE = "GPUCURATE_PII_KEY"
PUBLIC = b"gpucurate's public default: this is no secret"
PURPOSE = "gpucurate pii 2026 surrogates and digests"  # BLAKE3's derive_key: one secret, one use


class Key:
    """32 bytes derived from a secret of any length; `public` says that the secret is the default everyone knows."""

    def __init__(self, secret: bytes | None) -> None:
        self.public = secret is None
        self._bytes = blake3(PUBLIC if secret is None else secret, derive_key_context=PURPOSE).digest()

    def digest(self, *parts: bytes, size: int = RECORD_BYTES) -> bytes:
        """Keyed BLAKE3 of the parts, each with its length before it, so that no two lists of parts agree."""
        hasher = blake3(key=self._bytes)
        for part in parts:
            hasher.update(len(part).to_bytes(8, "little"))
            hasher.update(part)
        return hasher.digest(length=size)

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that name the key and do not give it away."""
        return self.digest(b"fingerprint").hex()


def read_key(key_file: str | None) -> Key:
    """The key of a file, else of the environment, else the public one.  Raises RecipeError for a file that is missing
    or empty."""
    if key_file is None:
        secret = os.environ.get(VARIABLE)
        return Key(secret.encode() if secret else None)
    try:
        content = Path(key_file).read_bytes().strip()
    except OSError as error:
        raise RecipeError(
            f"step 'pii': key_file {key_file} cannot be read: {error.strerror}. Remedy: name a file that holds a long "
            f"random secret, relative to the working directory, or leave key_file out and set {VARIABLE}"
        ) from error
    if not content:
        raise RecipeError(f"step 'pii': key_file {key_file} is empty. Remedy: put a long random secret into it")
    return Key(content)
