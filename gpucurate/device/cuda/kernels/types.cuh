// Widths by name, and the rule that all kernels keep: every thread works on its own.  No shared memory, no barriers, no
// warp primitives; the only writes that threads share are atomic and commute.  Running the threads one after another,
// in any order, is therefore an exact emulation, and a plain C++ compiler can do it (tests/parity).
#pragma once
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Number of this thread in the launch.
__device__ __forceinline__ i64 thread_number() { return (i64)blockIdx.x * BLOCK + threadIdx.x; }

// A kernel of blocks of BLOCK threads, at least four on a processor (so at most 128 registers a thread).  Where nothing
// is said of blocks, ptxas aims at more of them for `write_words` on sm_100 and spills registers for it.
#define KERNEL extern "C" __global__ void __launch_bounds__(BLOCK, 4)
