// Text to words.  A thread owns CHUNK bytes of the batch and every word that starts there, so that documents of any
// length spread over the device.  Two kernels take the same walk: the first counts, the second writes at the places
// that a prefix sum of the counts gives.
#include "words.cuh"

// What the walk does where it finds a word.
struct Count {
    i64 words;
    __device__ __forceinline__ void starts(i64, u64 marks, i64) { words += __popcll(marks); }
    __device__ __forceinline__ void start(i64, i64) { ++words; }
    __device__ __forceinline__ void ideograph(u32) { ++words; }
    __device__ __forceinline__ void document(i64) {}
};

struct Write {
    const u8* text;
    const u32* table;
    u64* hashes;
    i64* document_words;
    i64 at;
    __device__ __forceinline__ void starts(i64 i, u64 marks, i64 end) {
        for (; marks; marks &= marks - 1) start(i + before_mark(marks), end);
    }
    __device__ __forceinline__ void start(i64 i, i64 end) { hashes[at++] = word_hash(text, i, end, table); }
    __device__ __forceinline__ void ideograph(u32 entry) { hashes[at++] = ideograph_hash(entry); }
    __device__ __forceinline__ void document(i64 d) { document_words[d] = at; }
};

// Class of the last character that starts before `i` in the document that begins at `begin`.  Looks back over at most
// CHUNK continuation bytes: valid UTF-8 has no more than three in a row, and in damaged text each of a million threads
// would look back over the whole run.  `*lost` is set where that was not enough.
__device__ u32 class_before(const u8* text, i64 i, i64 begin, i64 end, const u32* table, u32* lost) {
    i64 p = i - 1, next;
    while (p >= begin && p >= i - CHUNK && continues(text[p])) --p;
    if (p < begin) return SEPARATOR;
    if (p < i - CHUNK) {
        *lost = 1u;  // every thread that writes here writes the same
        return SEPARATOR;
    }
    return class_of(character(text, p, end, table, &next));
}

// `owner` is the last document that begins before this chunk, -1 if none does.
template <class Found>
__device__ __forceinline__ void walk(const u8* text, const i64* offsets, i64 bytes, i64 chunk, i64 owner,
                                     const u32* table, u32* lost, Found& found) {
    i64 i = chunk * CHUNK, stop = i + CHUNK < bytes ? i + CHUNK : bytes;
    i64 d = owner, end = d >= 0 ? offsets[d + 1] : 0;
    u32 before = i < end ? class_before(text, i, offsets[d], end, table, lost) : SEPARATOR;
    while (i < stop) {
        if (i >= end) {  // the next document that is not empty begins here
            do {
                ++d;
                end = offsets[d + 1];
                found.document(d);
            } while (i >= end);
            before = SEPARATOR;
        }
        u64 eight = i + 8 <= end ? load8(text, i) : HIGH;
        if (!(eight & HIGH)) {
            u64 inside = alphanumeric(eight);
            u64 starts = inside & ~(inside << 8 | (before == LETTER ? 0x80ull : 0ull));
            if (i + 8 > stop) starts &= ~0ull >> (8 * (i + 8 - stop));  // the next thread has the rest
            found.starts(i, starts, end);
            before = inside >> 63 ? LETTER : SEPARATOR;
            i += 8;
        } else if (continues(text[i])) {
            ++i;
        } else {
            i64 place = i;
            u32 entry = character(text, i, end, table, &i);
            u32 kind = class_of(entry);
            if (kind == IDEOGRAPH) found.ideograph(entry);
            if (kind == LETTER && before != LETTER) found.start(place, end);
            before = kind;
        }
    }
}

// counts[chunk]: words that start in it.  `*lost` is 1 afterwards if the text is too damaged for this device.
KERNEL count_words(const u8* text, const i64* offsets, i64 bytes, const i64* owners, i64 chunks, const u32* table,
                   i64* counts, u32* lost) {
    i64 t = thread_number();
    if (t >= chunks) return;
    Count found = {0};
    walk(text, offsets, bytes, t, owners[t], table, lost, found);
    counts[t] = found.words;
}

// hashes[first[chunk]...]: the words that start in it.  document_words[d]: place of the first word of each document
// that begins in it; those behind the last byte keep what the caller put there.
KERNEL write_words(const u8* text, const i64* offsets, i64 bytes, const i64* owners, i64 chunks, const u32* table,
                   const i64* first, u64* hashes, i64* document_words, u32* lost) {
    i64 t = thread_number();
    if (t >= chunks) return;
    Write found = {text, table, hashes, document_words, first[t]};
    walk(text, offsets, bytes, t, owners[t], table, lost, found);
}
