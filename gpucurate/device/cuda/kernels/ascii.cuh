// Eight bytes of ASCII at a time, as one 64-bit integer; marks are the high bits of its bytes.
#pragma once
#include "types.cuh"

#define HIGH 0x8080808080808080ull   // no byte of ASCII has one of these bits
#define LOWER 0x2020202020202020ull  // makes letters lower case and leaves digits as they are

// Eight bytes from `i` on.  `text` is aligned to 8 bytes and readable to the next multiple of 8.
__device__ __forceinline__ u64 load8(const u8* text, i64 i) {
    const u64* words = (const u64*)(text + (i & ~7ll));
    int shift = (int)(i & 7) * 8;
    return shift ? words[0] >> shift | words[1] << (64 - shift) : words[0];
}

// Marks letters and digits; all bytes are below 128, so that no sum carries into its neighbour.
__device__ __forceinline__ u64 alphanumeric(u64 bytes) {
    u64 low = bytes | LOWER;
    u64 letter = (low + 0x1F1F1F1F1F1F1F1Full) & ~(low + 0x0505050505050505ull);    // 'a' <= byte <= 'z'
    u64 digit = (bytes + 0x5050505050505050ull) & ~(bytes + 0x4646464646464646ull);  // '0' <= byte <= '9'
    return (letter | digit) & HIGH;
}

// How many bytes come before the first mark; 8 if there is none.
__device__ __forceinline__ int before_mark(u64 marks) { return marks ? (__ffsll((i64)marks) - 1) >> 3 : 8; }
