// Words to shingles: a polynomial over the hashes of SHINGLE words that follow one another, finalised.  A document of
// fewer words is one shingle of all of them.  A task is at most TASK shingles of one document, LANES threads share it.
#include "hashing.cuh"

template <class Hash>
__device__ __forceinline__ void shingles(const u64* words, const i64* document_words, const i64* document_shingles,
                                         const i64* owners, const i64* starts, i64 tasks, Hash* hashes) {
    i64 t = thread_number() / LANES;
    if (t >= tasks) return;
    i64 d = owners[t], low = document_words[d], count = document_words[d + 1] - low;
    i64 first = document_shingles[d], n = document_shingles[d + 1] - first;
    i64 stop = starts[t] + TASK < n ? starts[t] + TASK : n;
    for (i64 s = starts[t] + threadIdx.x % LANES; s < stop; s += LANES) {
        const u64* word = words + low + s;
        u64 hash = 0;
        if (count >= SHINGLE) {
#pragma unroll
            for (int k = 0; k < SHINGLE; ++k) hash = hash * SHINGLE_BASE + word[k];
        } else {
#pragma unroll 1
            for (int k = 0; k < (int)count; ++k) hash = hash * SHINGLE_BASE + word[k];
        }
        hashes[first + s] = (Hash)mix64(hash);
    }
}

// The low 32 bits, which MinHash takes.
KERNEL short_shingles(const u64* words, const i64* document_words, const i64* document_shingles, const i64* owners,
                      const i64* starts, i64 tasks, u32* hashes) {
    shingles(words, document_words, document_shingles, owners, starts, tasks, hashes);
}

// All 64 bits, which exact comparison takes.
KERNEL long_shingles(const u64* words, const i64* document_words, const i64* document_shingles, const i64* owners,
                     const i64* starts, i64 tasks, u64* hashes) {
    shingles(words, document_words, document_shingles, owners, starts, tasks, hashes);
}
