"""Words and shingles of near-duplicates in plain Python: the oracle of the kernels.

Written from the definitions, a character and a word at a time, over any bytes.
"""

from __future__ import annotations

from gpucurate.device.shingle_characters import IDEOGRAPH, LETTER, shingle_characters

MASK = (1 << 64) - 1


def mix(value: int) -> int:
    value ^= value >> 33
    value = value * 0xFF51AFD7ED558CCD & MASK
    value ^= value >> 33
    value = value * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def fold(value: int, more: int) -> int:
    value = (value ^ more) * 0xD6E8FEB86659FD93 & MASK
    return value ^ value >> 32


def characters(text: bytes) -> list[tuple[int, int]]:
    """(class, folded code point) of each character; every byte but a continuation starts one."""
    starts = [i for i, byte in enumerate(text) if byte & 0xC0 != 0x80]
    found = []
    for i in starts:
        lead = text[i]
        more = 0 if lead < 0x80 else 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
        tail = text[i + 1 : i + 1 + more]
        if len(tail) < more or any(byte & 0xC0 != 0x80 for byte in tail):
            found.append((0, 0))
            continue
        point = lead & [0x7F, 0x1F, 0x0F, 0x07][more]
        for byte in tail:
            point = point << 6 | byte & 0x3F
        if point < 0x10000 and more < 3:
            entry = int(shingle_characters()[point])
            found.append((entry >> 24, entry & 0xFFFFFF))
        else:
            found.append((IDEOGRAPH if point >= 0x1F000 else LETTER, point))
    return found


def words(text: bytes) -> list[list[int]]:
    """Folded code points of each word."""
    found: list[list[int]] = []
    open_word = False
    for kind, point in characters(text):
        if kind == LETTER and open_word:
            found[-1].append(point)
        elif kind in (LETTER, IDEOGRAPH):
            found.append([point])
        open_word = kind == LETTER
    return found


def word_hash(points: list[int]) -> int:
    value, block, used = 0x9E3779B97F4A7C15, 0, 0
    for point in points:
        size = 1 if point < 0x80 else 3
        if used + size > 8:
            value, block, used = fold(value, block), 0, 0
        block |= point << 8 * used
        used += size
    return mix(value ^ block)


def shingles(text: bytes, k: int) -> list[int]:
    """Hashes of the shingles as they occur."""
    hashes = [word_hash(word) for word in words(text)]
    windows = [hashes[i : i + k] for i in range(len(hashes) - k + 1)] or ([hashes] if hashes else [])
    found = []
    for window in windows:
        value = 0
        for each in window:
            value = (value * 0x9FB21C651E98DF25 + each) & MASK
        found.append(mix(value))
    return found


def signature(text: bytes, k: int, a: list[int], b: list[int]) -> list[int]:
    low = [x & 0xFFFFFFFF for x in shingles(text, k)]
    return [min([(p * x + q) % 2**32 for x in low], default=2**32 - 1) for p, q in zip(a, b, strict=True)]
