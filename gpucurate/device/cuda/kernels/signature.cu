// Shingles to MinHash: rows[d][j] = min over the shingles x of document d of a[j] * x + b[j] mod 2^32.
// This is where the time goes (one multiplication a hash and shingle).  LANES threads share a task of at most TASK
// shingles; each keeps PER_LANE minima in registers and walks all shingles of the task, reading the same address as its
// neighbours.  A launch does the LANES * PER_LANE hashes from `begin` on; more of them take several launches.
#include "types.cuh"

// `rows` holds 0xFFFFFFFF before: documents of several tasks are joined by atomicMin.
KERNEL signature(const u32* shingles, const i64* document_shingles, const i64* owners, const i64* starts, i64 tasks,
                 const u32* a, const u32* b, i64 hashes, i64 begin, u32* rows) {
    i64 t = thread_number() / LANES;
    if (t >= tasks) return;
    i64 d = owners[t], low = document_shingles[d], n = document_shingles[d + 1] - low, s = starts[t];
    int count = (int)(s + TASK < n ? TASK : n - s);
    int first = (int)begin + (int)(threadIdx.x % LANES), size = (int)hashes;
    u32 scale[PER_LANE], shift[PER_LANE], least[PER_LANE];
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        int j = first + k * LANES;
        scale[k] = j < size ? a[j] : 1u;
        shift[k] = j < size ? b[j] : 0u;
        least[k] = 0xFFFFFFFFu;
    }
    const u32* x = shingles + low + s;
#pragma unroll 4
    for (int q = 0; q < count; ++q)
#pragma unroll
        for (int k = 0; k < PER_LANE; ++k) {
            u32 value = scale[k] * x[q] + shift[k];
            least[k] = value < least[k] ? value : least[k];
        }
    u32* row = rows + d * hashes;
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        int j = first + k * LANES;
        if (j < size && n <= TASK) row[j] = least[k];
        if (j < size && n > TASK) atomicMin(&row[j], least[k]);
    }
}
