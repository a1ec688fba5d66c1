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
    int width = count < SHINGLE ? (int)count : SHINGLE;
    for (i64 s = starts[t] + threadIdx.x % LANES; s < stop; s += LANES) {
        u64 hash = 0;
        for (int k = 0; k < width; ++k) hash = hash * SHINGLE_BASE + words[low + s + k];
        hashes[first + s] = (Hash)mix64(hash);
    }
}

// The low 32 bits, which MinHash takes.
extern "C" __global__ void __launch_bounds__(BLOCK)
    short_shingles(const u64* words, const i64* document_words, const i64* document_shingles, const i64* owners,
                   const i64* starts, i64 tasks, u32* hashes) {
    shingles(words, document_words, document_shingles, owners, starts, tasks, hashes);
}

// All 64 bits, which exact comparison takes.
extern "C" __global__ void __launch_bounds__(BLOCK)
    long_shingles(const u64* words, const i64* document_words, const i64* document_shingles, const i64* owners,
                  const i64* starts, i64 tasks, u64* hashes) {
    shingles(words, document_words, document_shingles, owners, starts, tasks, hashes);
}
