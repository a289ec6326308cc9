#ifndef QUARRY_CBENCHSQLITEFUNCTIONS_H
#define QUARRY_CBENCHSQLITEFUNCTIONS_H

#include <sqlite3.h>

// What the benchmark needs of SQLite's C interface, of one library or another. Functions that came after SQLite 3.15 are
// not in it: SQLCipher 3.4 is made from that one.
typedef struct {
  const char *(*libversion)(void);
  int (*open_v2)(const char *path, sqlite3 **database, int flags, const char *vfs);
  int (*close)(sqlite3 *database);
  int (*busy_timeout)(sqlite3 *database, int milliseconds);
  int (*exec)(
      sqlite3 *database, const char *sql, int (*row)(void *, int, char **, char **), void *context, char **message);
  const char *(*errmsg)(sqlite3 *database);
  int (*file_control)(sqlite3 *database, const char *name, int code, void *argument);
  int (*changes)(sqlite3 *database);
  int (*prepare_v2)(sqlite3 *database, const char *sql, int count, sqlite3_stmt **statement, const char **rest);
  int (*step)(sqlite3_stmt *statement);
  int (*reset)(sqlite3_stmt *statement);
  int (*finalize)(sqlite3_stmt *statement);
  sqlite3 *(*db_handle)(sqlite3_stmt *statement);
  int (*bind_int64)(sqlite3_stmt *statement, int index, sqlite3_int64 value);
  int (*bind_double)(sqlite3_stmt *statement, int index, double value);
  int (*bind_null)(sqlite3_stmt *statement, int index);
  int (*bind_text)(sqlite3_stmt *statement, int index, const char *bytes, int count, void (*destructor)(void *));
  sqlite3_int64 (*column_int64)(sqlite3_stmt *statement, int column);
  double (*column_double)(sqlite3_stmt *statement, int column);
  const unsigned char *(*column_text)(sqlite3_stmt *statement, int column);
  int (*column_bytes)(sqlite3_stmt *statement, int column);
} bench_sqlite_functions;

// The functions of the library that the program is linked with.
const bench_sqlite_functions *bench_sqlite_linked(void);

// The functions of SQLCipher, loaded for good beside the linked library; null where it is not installed or lacks one.
// The first call is to be over before there is another.
const bench_sqlite_functions *bench_sqlite_sqlcipher(void);

#endif
