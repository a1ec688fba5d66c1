// Signatures to bucket keys.
#include "hashing.cuh"

// keys[band][document]: hash of the band's number and its `rows` consecutive hashes.  Neighbouring threads take
// neighbouring documents: writes are dense, and each thread reads its hashes as whole 32-byte sectors.
KERNEL band_keys(const u32* signatures, i64 columns, i64 documents, i64 bands, i64 rows, u64* keys) {
    i64 t = thread_number();
    if (t >= documents * bands) return;
    i64 band = t / documents;
    const u32* hashes = signatures + (t % documents) * columns + band * rows;
    u64 key = (u64)band;
    for (i64 r = 0; r < rows; ++r) key = fold(key, hashes[r]);
    keys[t] = mix64(key);
}
