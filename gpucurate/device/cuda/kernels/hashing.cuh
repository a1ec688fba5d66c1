// The hash arithmetic that words, shingles and bands share; its constants are those of the CPU backend.
#pragma once
#include "types.cuh"

#define WORD_SEED 0x9E3779B97F4A7C15ull        // 2^64 over the golden ratio
#define FOLD_MULTIPLIER 0xD6E8FEB86659FD93ull  // with the shift by 32, one round of the mixer degski64
#define SHINGLE_BASE 0x9FB21C651E98DF25ull     // a multiplier of the mixer rrmxmx (P. Evensen 2018)

// MurmurHash3's 64-bit finaliser (A. Appleby).
__device__ __forceinline__ u64 mix64(u64 h) {
    h ^= h >> 33;
    h *= 0xFF51AFD7ED558CCDull;
    h ^= h >> 33;
    h *= 0xC4CEB9FE1A85EC53ull;
    return h ^ (h >> 33);
}

// Takes eight more bytes into a running hash.
__device__ __forceinline__ u64 fold(u64 hash, u64 block) {
    hash = (hash ^ block) * FOLD_MULTIPLIER;
    return hash ^ (hash >> 32);
}
