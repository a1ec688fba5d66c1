// One character at a time.  An entry is a folded code point in the low 24 bits and its class above them; entries of the
// 65,536 lowest code points come from the frozen table that the CPU backend uses too.
#pragma once
#include "types.cuh"

#define SEPARATOR 0u
#define LETTER 1u     // joins its neighbours into a word
#define IDEOGRAPH 2u  // a word of its own: CJK, kana, Thai, emoji
#define EMOJI 0x1F000u  // from this code point on a character is a word of its own; the other astral ones are letters

__device__ __forceinline__ u32 class_of(u32 entry) { return entry >> 24; }
__device__ __forceinline__ u32 point_of(u32 entry) { return entry & 0xFFFFFFu; }
__device__ __forceinline__ bool continues(u8 byte) { return (byte & 0xC0u) == 0x80u; }

// The entry of the character at `i`, which is no continuation byte; `*next` is the place behind it.  Every such byte
// starts a character, and one that is cut short is a separator of one byte: damaged text reads alike from any place on.
__device__ __forceinline__ u32 character(const u8* text, i64 i, i64 end, const u32* table, i64* next) {
    u32 lead = text[i];
    *next = i + 1;
    if (lead < 0x80u) return table[lead];
    int more = lead < 0xE0u ? 1 : lead < 0xF0u ? 2 : 3;
    u32 point = lead & (0x3Fu >> more);
    for (int k = 1; k <= more; ++k) {
        if (i + k >= end || !continues(text[i + k])) return SEPARATOR;
        point = point << 6 | (text[i + k] & 0x3Fu);
    }
    *next = i + 1 + more;
    if (more < 3) return table[point];
    return (point >= EMOJI ? IDEOGRAPH : LETTER) << 24 | point;
}
