#ifndef QUARRY_CSQLITE_SHIM_H
#define QUARRY_CSQLITE_SHIM_H

#include <sqlite3.h>

// Swift imports neither function pointers made of integers (SQLITE_STATIC, SQLITE_TRANSIENT) nor functions with a
// variable number of arguments. A null pointer would bind NULL instead of an empty value.

static inline int quarry_sqlite3_bind_text_static(sqlite3_stmt *statement, int index, const void *bytes,
                                                  sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int quarry_sqlite3_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes,
                                                  sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

static inline int quarry_sqlite3_bind_text_copy(sqlite3_stmt *statement, int index, const void *bytes,
                                                sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int quarry_sqlite3_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes,
                                                sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int quarry_sqlite3_configure(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

// Where SQLite's locks are in a database: the page there is never written. 0 asks; tests move it. Not above 0 where SQLite
// was built without this.
static inline int quarry_sqlite3_pending_byte(unsigned int offset) {
  return sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, offset);
}

#endif
