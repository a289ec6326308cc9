#ifndef QUARRY_CBENCHSQLITE_SHIM_H
#define QUARRY_CBENCHSQLITE_SHIM_H

#include <sqlite3.h>

// Swift cannot write SQLITE_STATIC, a function pointer made of an integer.
static inline int bench_bind_text(sqlite3_stmt *statement, int index, const void *bytes, long count) {
  return sqlite3_bind_text(statement, index, (const char *)bytes, (int)count, SQLITE_STATIC);
}

#endif
