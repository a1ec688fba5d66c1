// Which windows of words are sampled: those that are the first least one of some `span` consecutive windows of their
// document.  A thread a window looks left and right until it meets a lesser one: three or four steps on average.
#include "types.cuh"

// `hashes` holds the windows of all documents, `count` of them; document d's are hashes[documents[d]] to
// hashes[documents[d + 1]], and `owners` says whose each is.  A document of fewer than `window` words has one entry
// that is no window.
KERNEL sample_windows(const u64* hashes, const i64* documents, const i64* document_words, const i64* owners, i64 count,
                      i64 window, i64 span, u8* sampled) {
    i64 t = thread_number();
    if (t >= count) return;
    i64 d = owners[t], low = documents[d], high = documents[d + 1], reach = 1;
    u64 hash = hashes[t];
    for (i64 j = t - 1; reach < span && j >= low && hashes[j] > hash; --j) ++reach;
    for (i64 j = t + 1; reach < span && j < high && hashes[j] >= hash; ++j) ++reach;
    sampled[t] = reach >= span && document_words[d + 1] - document_words[d] >= window;
}
