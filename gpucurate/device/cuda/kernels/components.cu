// Connected components without locks: union by least node, as in ECL-CC (Jaiganesh and Burtscher, HPDC 2018).
// root[x] <= x always, and root[x] is connected with x once all unions are done, whatever the order of threads.
#include "types.cuh"

// The node at the end of x's path.  Every node on the way is pointed at its grandparent (path splitting): without that,
// a chain of a million nodes would be walked in full by each of a million threads.
__device__ __forceinline__ u64 find(u64* root, u64 x) {
    u64 up = root[x];
    while (up != x) {
        u64 above = root[up];
        if (above != up) atomicMin(&root[x], above);
        x = up;
        up = above;
    }
    return x;
}

KERNEL unite(const i64* pairs, i64 count, u64* root) {
    i64 t = thread_number();
    if (t >= count) return;
    u64 a = (u64)pairs[2 * t], b = (u64)pairs[2 * t + 1];
    while (true) {
        a = find(root, a);
        b = find(root, b);
        if (a == b) return;
        if (a < b) {
            u64 swap = a;
            a = b;
            b = swap;
        }
        u64 old = atomicMin(&root[a], b);
        if (old == a) return;
        a = old;  // another thread hooked a first and the write above may have undone it: join what it found
    }
}

// Every node points at the least one of its component.
KERNEL flatten(u64* root, i64 nodes) {
    i64 t = thread_number();
    if (t >= nodes) return;
    u64 least = find(root, (u64)t);
    atomicMin(&root[t], least);
}
