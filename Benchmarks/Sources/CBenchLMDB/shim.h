#ifndef QUARRY_CBENCHLMDB_SHIM_H
#define QUARRY_CBENCHLMDB_SHIM_H

#include <lmdb.h>
#include <stddef.h>

// In the C library, but not in what Swift imports of it.
extern void *memmem(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);

static inline int bench_contains(const void *bytes, size_t count, const void *needle, size_t needle_count) {
  return memmem(bytes, count, needle, needle_count) != NULL;
}

#endif
