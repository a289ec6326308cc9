// RTLD_DEEPBIND is an extension.
#define _GNU_SOURCE
#include "sqlite_functions.h"

#include <dlfcn.h>
#include <stddef.h>

#define EACH_FUNCTION(do) \
  do(libversion) do(open_v2) do(close) do(busy_timeout) do(exec) do(errmsg) do(file_control) do(changes) \
  do(prepare_v2) do(step) do(reset) do(finalize) do(db_handle) do(bind_int64) do(bind_double) do(bind_null) do(bind_text) \
  do(column_int64) do(column_double) do(column_text) do(column_bytes)

const bench_sqlite_functions *bench_sqlite_linked(void) {
#define TAKE_LINKED(name) .name = sqlite3_##name,
  static const bench_sqlite_functions functions = {EACH_FUNCTION(TAKE_LINKED)};
  return &functions;
}

const bench_sqlite_functions *bench_sqlite_sqlcipher(void) {
  static bench_sqlite_functions functions;
  static const char *const names[] = {
      "libsqlcipher.so.0", "libsqlcipher.so.1", "libsqlcipher.so", "libsqlcipher.dylib",
      "/opt/homebrew/lib/libsqlcipher.dylib",
  };
  int mode = RTLD_NOW | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
  // Without it the library's calls of its own functions would go to those of the linked one, which have the same names.
  mode |= RTLD_DEEPBIND;
#endif
  void *library = NULL;
  for (size_t index = 0; library == NULL && index < sizeof names / sizeof names[0]; index++) {
    library = dlopen(names[index], mode);
  }
  if (library == NULL) return NULL;
#define TAKE_LOADED(name) \
  *(void **)&functions.name = dlsym(library, "sqlite3_" #name); \
  if (functions.name == NULL) return NULL;
  EACH_FUNCTION(TAKE_LOADED)
  return &functions;
}
