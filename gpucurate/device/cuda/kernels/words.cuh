// Hash of one word: its folded characters packed into blocks of eight bytes, one byte an ASCII letter, three any other.
#pragma once
#include "ascii.cuh"
#include "characters.cuh"
#include "hashing.cuh"

// The word that starts at `i`, in a document that ends at `end`.  Eight ASCII bytes a step where a block is full or
// empty, else one character.
__device__ u64 word_hash(const u8* text, i64 i, i64 end, const u32* table) {
    u64 hash = WORD_SEED, block = 0;
    int used = 0;  // bytes of `block`
    bool open = true;
    while (open && i < end) {
        u64 more;
        int bytes;
        u64 eight = (used & 7) == 0 && i + 8 <= end ? load8(text, i) : HIGH;
        if (!(eight & HIGH)) {
            bytes = before_mark(~alphanumeric(eight) & HIGH);
            if (bytes == 0) break;
            open = bytes == 8;
            more = (eight | LOWER) & (~0ull >> (64 - 8 * bytes));
            i += bytes;
        } else {
            if (continues(text[i])) {
                ++i;
                continue;
            }
            u32 entry = character(text, i, end, table, &i);
            if (class_of(entry) != LETTER) break;
            more = point_of(entry);
            bytes = more < 0x80u ? 1 : 3;
        }
        if (used + bytes > 8) {
            hash = fold(hash, block);
            block = 0;
            used = 0;
        }
        block |= more << (8 * used);
        used += bytes;
    }
    return mix64(hash ^ block);
}

__device__ __forceinline__ u64 ideograph_hash(u32 entry) { return mix64(WORD_SEED ^ point_of(entry)); }
