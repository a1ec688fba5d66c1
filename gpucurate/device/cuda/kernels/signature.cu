// Shingles to MinHash: rows[d][j] = min over the shingles x of document d of a[j] * x + b[j] mod 2^32.
// This is where the time goes (one multiplication a hash and shingle).  LANES threads share a task of at most TASK
// shingles; each keeps PER_LANE minima in registers and walks all shingles of the task, reading the same address as its
// neighbours.  More hashes than LANES * PER_LANE are done in several groups.
#include "types.cuh"

// `rows` holds 0xFFFFFFFF before: documents of several tasks are joined by atomicMin.
extern "C" __global__ void __launch_bounds__(BLOCK)
    signature(const u32* shingles, const i64* document_shingles, const i64* owners, const i64* starts, i64 tasks,
              const u32* a, const u32* b, i64 hashes, i64 groups, u32* rows) {
    i64 t = thread_number() / LANES;
    if (t >= tasks * groups) return;
    i64 task = t / groups, first = (t % groups) * (LANES * PER_LANE) + threadIdx.x % LANES;
    i64 d = owners[task], low = document_shingles[d], n = document_shingles[d + 1] - low;
    i64 s = starts[task], stop = s + TASK < n ? s + TASK : n;
    u32 scale[PER_LANE], shift[PER_LANE], least[PER_LANE];
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        i64 j = first + k * LANES;
        scale[k] = j < hashes ? a[j] : 1u;
        shift[k] = j < hashes ? b[j] : 0u;
        least[k] = 0xFFFFFFFFu;
    }
#pragma unroll 4
    for (i64 q = low + s; q < low + stop; ++q) {
        u32 x = shingles[q];
#pragma unroll
        for (int k = 0; k < PER_LANE; ++k) {
            u32 value = scale[k] * x + shift[k];
            least[k] = value < least[k] ? value : least[k];
        }
    }
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        i64 j = first + k * LANES;
        if (j >= hashes) break;
        if (n <= TASK) rows[d * hashes + j] = least[k];
        else atomicMin(&rows[d * hashes + j], least[k]);
    }
}
