// How many shingle hashes two documents have in common: an exact integer, of which Jaccard is a quotient.
#include "types.cuh"

// A task is at most TASK hashes of the smaller set of a pair; LANES threads share it and look each hash up in the
// larger set by bisection.  Sets are sorted and distinct: hashes[offsets[d]] .. hashes[offsets[d + 1]] is document d's.
KERNEL count_shared(const i64* smaller, const i64* larger, const i64* offsets, const u64* hashes, const i64* owners,
                    const i64* starts, i64 tasks, u64* shared) {
    i64 t = thread_number() / LANES;
    if (t >= tasks) return;
    i64 pair = owners[t], a = smaller[pair], b = larger[pair];
    i64 a_end = offsets[a + 1], i = offsets[a] + starts[t], stop = i + TASK < a_end ? i + TASK : a_end;
    i64 b_first = offsets[b], b_end = offsets[b + 1];
    u64 found = 0;
    for (i += threadIdx.x % LANES; i < stop; i += LANES) {
        u64 hash = hashes[i];
        i64 low = b_first, high = b_end;  // the first place in b that is not less lies in [low, high]
        while (low < high) {
            i64 middle = low + (high - low) / 2;
            if (hashes[middle] < hash) low = middle + 1;
            else high = middle;
        }
        found += low < b_end && hashes[low] == hash;
    }
    if (found) atomicAdd(&shared[pair], found);
}
