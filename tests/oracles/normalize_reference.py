"""Normalisation over Python strings, step by step in the order docs/rules.md gives it."""

from __future__ import annotations

import re
import unicodedata

BREAKS = "\n\x0b\x0c\r\x85\u2028\u2029"
BLANKS = "\t" + "".join(chr(cp) for cp in range(0x110000) if unicodedata.category(chr(cp)) == "Zs")
CONTROLS = "".join(chr(cp) for cp in [*range(32), *range(127, 160)] if chr(cp) not in BREAKS + BLANKS)


def normalized(text: str, form: str = "NFC", byte_order_marks: bool = True, zero_width: bool = True) -> str:
    gone = CONTROLS + "\ufeff" * byte_order_marks + "\xad\u200b\u2060" * zero_width
    text = text.translate(dict.fromkeys(map(ord, gone)))
    text = unicodedata.normalize(form, text)  # type: ignore[arg-type]
    text = re.sub(f"\r\n|[{BREAKS}]", "\n", text)
    text = re.sub(f"[{BLANKS}]+", " ", text)
    text = "\n".join(line.strip(" ") for line in text.split("\n"))
    return re.sub("\n{3,}", "\n\n", text).strip("\n")
