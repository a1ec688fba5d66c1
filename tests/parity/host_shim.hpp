// Runs thread-independent CUDA kernels on a CPU.  Included before a kernel file; the launcher below it is what ctypes
// calls.  Threads run one after another in a chosen order, or interrupt each other, or run on several real threads.
#pragma once
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

struct Index { unsigned x; };
static thread_local Index blockIdx, threadIdx;
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads, blocks)

static inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
static inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }

// Called before every atomic operation: what a thread knows may be out of date by then.
static thread_local std::function<void()> interrupt;

template <class T> static inline T atomicMin(T* place, T value) {
    if (interrupt) interrupt();
    T old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(place, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}
template <class T> static inline T atomicAdd(T* place, T value) {
    if (interrupt) interrupt();
    return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
}

// What a parameter takes: a value, an array to read or one to write, and its dtype as NumPy writes it.
template <class T> struct Dtype;
template <> struct Dtype<unsigned char> { static constexpr const char* name = "|u1"; };
template <> struct Dtype<unsigned int> { static constexpr const char* name = "<u4"; };
template <> struct Dtype<unsigned long long> { static constexpr const char* name = "<u8"; };
template <> struct Dtype<long long> { static constexpr const char* name = "<i8"; };
template <class T> struct Parameter {
    static constexpr char how = 'v';
    static constexpr const char* name = Dtype<T>::name;
};
template <class T> struct Parameter<const T*> {
    static constexpr char how = 'r';
    static constexpr const char* name = Dtype<T>::name;
};
template <class T> struct Parameter<T*> {
    static constexpr char how = 'w';
    static constexpr const char* name = Dtype<T>::name;
};

// `arguments` holds the address of each argument, as cuLaunchKernel wants them.  `order` 0: forwards; else the stride
// in which the threads of all blocks are visited.  `workers` real threads share them if it is above 1; if it is 0, a
// thread is now and then interrupted at an atomic operation by others that run to their end.
template <class... T, std::size_t... I>
void run(void (*kernel)(T...), std::index_sequence<I...>, uint64_t blocks, uint64_t order, unsigned workers,
         void** arguments) {
    uint64_t threads = blocks * BLOCK, stride = order ? order % threads : 1;
    while (order && std::gcd(stride, threads) != 1) ++stride;
    std::tuple<T...> values{*static_cast<T*>(arguments[I])...};
    auto one = [&](uint64_t n) {
        uint64_t t = (unsigned __int128)n * stride % threads;
        blockIdx.x = (unsigned)(t / BLOCK);
        threadIdx.x = (unsigned)(t % BLOCK);
        kernel(std::get<I>(values)...);
    };
    auto part = [&](uint64_t from, uint64_t to) {
        for (uint64_t n = from; n < to; ++n) one(n);
    };
    if (workers == 1) return part(0, threads);
    if (workers == 0) {
        uint64_t next = 0, chance = 1;
        int depth = 0;
        interrupt = [&] {
            chance = chance * 6364136223846793005ull + 1442695040888963407ull;
            if (next == threads || depth == 40 || chance >> 62) return;  // one time in four
            Index block = blockIdx, thread = threadIdx;
            ++depth;
            one(next++);
            --depth;
            blockIdx = block;
            threadIdx = thread;
        };
        while (next < threads) one(next++);
        interrupt = nullptr;
        return;
    }
    std::vector<std::thread> crew;
    for (unsigned w = 0; w < workers; ++w)
        crew.emplace_back(part, threads * w / workers, threads * (w + 1) / workers);
    for (auto& each : crew) each.join();
}
template <class... T>
void run(void (*kernel)(T...), uint64_t blocks, uint64_t order, unsigned workers, void** arguments) {
    run(kernel, std::index_sequence_for<T...>{}, blocks, order, workers, arguments);
}
template <class... T> int parameter(void (*)(T...), int i, char* how, const char** name) {
    char hows[] = {Parameter<T>::how...};
    const char* names[] = {Parameter<T>::name...};
    if (i < (int)sizeof...(T)) {
        *how = hows[i];
        *name = names[i];
    }
    return (int)sizeof...(T);
}

#define EXPORT(kernel)                                                                                        \
    extern "C" void run_##kernel(uint64_t blocks, uint64_t order, unsigned workers, void** arguments) {       \
        run(kernel, blocks, order, workers, arguments);                                                       \
    }                                                                                                         \
    extern "C" int parameter_##kernel(int i, char* how, const char** name) { return parameter(kernel, i, how, name); }
