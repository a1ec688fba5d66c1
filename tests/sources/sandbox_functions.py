"""What the sandbox tests run in a child: one function a misfortune, chosen by the payload."""

from __future__ import annotations

import ctypes
import os
import sys
import time


def misfortune(payload: bytes) -> bytes | str | None:
    """Do what the payload says; echo it otherwise."""
    match payload:
        case b"nothing":
            return None
        case b"str":
            return "žemė \ud835"
        case b"raise":
            raise ValueError("two\nlines")
        case b"memory":
            return bytes(1 << 40)
        case b"grow":
            hoard = []
            while True:
                hoard.append(bytes(16 << 20))
        case b"recursion":
            return misfortune_again(payload)
        case b"segfault":
            ctypes.string_at(0)
        case b"exit":
            sys.exit(3)
        case b"hard exit":
            os._exit(0)
        case b"spin":
            while True:
                pass
        case b"spin in C":
            return bytes(sum(range(10**14)))
        case b"busy":
            end = time.process_time() + 0.05
            while time.process_time() < end:
                pass
        case b"sleep":
            time.sleep(600)
        case b"print":
            print("to standard output", flush=True)
            os.write(1, b"to the descriptor")
        case b"pid":
            return str(os.getpid())
    return payload


def misfortune_again(payload: bytes) -> bytes | str | None:
    return misfortune(payload)
