// Grams of SHINGLE words that are in a table: a polynomial as in shingle.cu, two bits of the sieve, and for the few that
// pass both a bisection.  A task is at most TASK grams of one document, LANES threads share it.
#include "hashing.cuh"

// hits[3 k ..]: document, first word, place in `table` of hit k, in any order, for as many as there is `room` for.
// `*count` is the number of all hits; more than `room` of them ask for another launch.
KERNEL search_grams(const u64* words, const i64* document_words, const i64* owners, const i64* starts, i64 tasks,
                    const u64* table, i64 first, i64 end, const u64* sieve, i64 mask, i64 room, i64* hits,
                    u64* count) {
    i64 t = thread_number() / LANES;
    if (t >= tasks) return;
    i64 d = owners[t], low = document_words[d], n = document_words[d + 1] - low - (SHINGLE - 1);
    i64 stop = starts[t] + TASK < n ? starts[t] + TASK : n;
    for (i64 s = starts[t] + threadIdx.x % LANES; s < stop; s += LANES) {
        const u64* word = words + low + s;
        u64 value = 0;
#pragma unroll
        for (int k = 0; k < SHINGLE; ++k) value = value * SHINGLE_BASE + word[k];
        u64 place = value & (u64)mask;
        if (!(sieve[place >> 6] >> (place & 63) & 1)) continue;
        u64 hash = mix64(value);
        place = hash & (u64)mask;
        if (!(sieve[place >> 6] >> (place & 63) & 1)) continue;
        i64 a = first, b = end;  // the first place that is not less lies in [a, b]
        while (a < b) {
            i64 middle = a + (b - a) / 2;
            if (table[middle] < hash) a = middle + 1;
            else b = middle;
        }
        if (a >= end || table[a] != hash) continue;
        i64 k = (i64)atomicAdd(count, 1ull);
        if (k >= room) continue;
        hits[3 * k] = d;
        hits[3 * k + 1] = s;
        hits[3 * k + 2] = a;
    }
}
