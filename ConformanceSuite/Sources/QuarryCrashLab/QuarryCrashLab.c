#include "QuarryCrashLab.h"

#ifdef __linux__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static size_t folder_length;
static int is_torn;
static atomic_long last_operation;
static atomic_long operations;
static atomic_int is_counting;

int crash_lab_begin(const char *path, long last, int torn) {
  size_t length = strlen(path);
  if (length >= sizeof folder) return -1;
  atomic_store(&is_counting, 0);
  memcpy(folder, path, length + 1);
  folder_length = length;
  is_torn = torn;
  atomic_store(&last_operation, last);
  atomic_store(&operations, 0);
  atomic_store(&is_counting, 1);
  return 0;
}

long crash_lab_operations(void) { return atomic_load(&operations); }

// What is done in the folder.

static int is_inside(const char *path) {
  return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

// A file that was removed and is open keeps its path, with something behind it.
static int is_file_inside(int descriptor) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_inside(path);
}

// The name may be of something that is not there yet; the folder that it is in is.
static int is_path_inside(int directory, const char *path) {
  char whole[PATH_MAX], real[PATH_MAX], link[64];
  if (path[0] == '/' || directory == AT_FDCWD) {
    if (snprintf(whole, sizeof whole, "%s", path) >= (int)sizeof whole) return 0;
  } else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, whole, sizeof whole - 1);
    if (length < 0) return 0;
    if (snprintf(whole + length, sizeof whole - length, "/%s", path) >= (int)(sizeof whole - length)) return 0;
  }
  size_t length = strlen(whole);
  while (length > 1 && whole[length - 1] == '/') whole[--length] = 0;
  char *slash = strrchr(whole, '/');
  if (slash == whole) return 0;
  if (slash) *slash = 0;
  return realpath(slash ? whole : ".", real) != NULL && is_inside(real);
}

// Counts an operation. Returns whether it is the last one.
static int is_last(void) {
  long number = atomic_fetch_add(&operations, 1) + 1;
  return number == atomic_load(&last_operation);
}

#define OPERATION(inside)                                     \
  do {                                                        \
    if (atomic_load(&is_counting)) {                          \
      int error = errno;                                      \
      if ((inside) && is_last()) _exit(CRASH_LAB_EXIT);       \
      errno = error;                                          \
    }                                                         \
  } while (0)

// The function of that name of the library below.
#define BELOW(name)                                           \
  static __typeof__(&name) below;                             \
  if (!below) below = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// Calls that take what they need and hand it on.
#define HANDED_ON(type, name, parameters, arguments, inside)  \
  type name parameters {                                      \
    BELOW(name);                                              \
    OPERATION(inside);                                        \
    return below arguments;                                   \
  }

// Writes.

#define WRITING(name, parameters, half, arguments)            \
  ssize_t name parameters {                                   \
    BELOW(name);                                              \
    if (atomic_load(&is_counting)) {                          \
      int error = errno;                                      \
      if (is_file_inside(file) && is_last()) {                \
        if (is_torn) below half;                              \
        _exit(CRASH_LAB_EXIT);                                \
      }                                                       \
      errno = error;                                          \
    }                                                         \
    return below arguments;                                   \
  }

WRITING(write, (int file, const void *bytes, size_t count), (file, bytes, count / 2), (file, bytes, count))
WRITING(pwrite, (int file, const void *bytes, size_t count, off_t start), (file, bytes, count / 2, start),
        (file, bytes, count, start))
WRITING(pwrite64, (int file, const void *bytes, size_t count, off64_t start), (file, bytes, count / 2, start),
        (file, bytes, count, start))
WRITING(writev, (int file, const struct iovec *parts, int count), (file, parts, count / 2), (file, parts, count))
WRITING(pwritev, (int file, const struct iovec *parts, int count, off_t start), (file, parts, count / 2, start),
        (file, parts, count, start))
WRITING(pwritev64, (int file, const struct iovec *parts, int count, off64_t start), (file, parts, count / 2, start),
        (file, parts, count, start))

// The length of files, and the disk.

HANDED_ON(int, ftruncate, (int file, off_t length), (file, length), is_file_inside(file))
HANDED_ON(int, ftruncate64, (int file, off64_t length), (file, length), is_file_inside(file))
HANDED_ON(int, truncate, (const char *path, off_t length), (path, length), is_path_inside(AT_FDCWD, path))
HANDED_ON(int, truncate64, (const char *path, off64_t length), (path, length), is_path_inside(AT_FDCWD, path))
HANDED_ON(int, fallocate, (int file, int mode, off_t start, off_t length), (file, mode, start, length),
          is_file_inside(file))
HANDED_ON(int, fallocate64, (int file, int mode, off64_t start, off64_t length), (file, mode, start, length),
          is_file_inside(file))
HANDED_ON(int, posix_fallocate, (int file, off_t start, off_t length), (file, start, length), is_file_inside(file))
HANDED_ON(int, posix_fallocate64, (int file, off64_t start, off64_t length), (file, start, length),
          is_file_inside(file))
HANDED_ON(int, fsync, (int file), (file), is_file_inside(file))
HANDED_ON(int, fdatasync, (int file), (file), is_file_inside(file))
HANDED_ON(int, msync, (void *start, size_t length, int flags), (start, length, flags), 1)

// Names.

HANDED_ON(int, rename, (const char *old, const char *new), (old, new),
          is_path_inside(AT_FDCWD, old) || is_path_inside(AT_FDCWD, new))
HANDED_ON(int, renameat, (int from, const char *old, int to, const char *new), (from, old, to, new),
          is_path_inside(from, old) || is_path_inside(to, new))
HANDED_ON(int, renameat2, (int from, const char *old, int to, const char *new, unsigned int flags),
          (from, old, to, new, flags), is_path_inside(from, old) || is_path_inside(to, new))
HANDED_ON(int, link, (const char *old, const char *new), (old, new), is_path_inside(AT_FDCWD, new))
HANDED_ON(int, linkat, (int from, const char *old, int to, const char *new, int flags), (from, old, to, new, flags),
          is_path_inside(to, new))
HANDED_ON(int, unlink, (const char *path), (path), is_path_inside(AT_FDCWD, path))
HANDED_ON(int, unlinkat, (int directory, const char *path, int flags), (directory, path, flags),
          is_path_inside(directory, path))
HANDED_ON(int, mkdir, (const char *path, mode_t mode), (path, mode), is_path_inside(AT_FDCWD, path))
HANDED_ON(int, mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode),
          is_path_inside(directory, path))
HANDED_ON(int, rmdir, (const char *path), (path), is_path_inside(AT_FDCWD, path))
HANDED_ON(int, creat, (const char *path, mode_t mode), (path, mode), is_path_inside(AT_FDCWD, path))
HANDED_ON(int, creat64, (const char *path, mode_t mode), (path, mode), is_path_inside(AT_FDCWD, path))

// Opening.

static int has_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }
static int is_change(int flags) { return has_mode(flags) || (flags & O_TRUNC); }

#define TAKE_MODE                                             \
  mode_t mode = 0;                                            \
  if (has_mode(flags)) {                                      \
    va_list rest;                                             \
    va_start(rest, flags);                                    \
    mode = va_arg(rest, mode_t);                              \
    va_end(rest);                                             \
  }

#define OPENING(name)                                         \
  int name(const char *path, int flags, ...) {                \
    BELOW(name);                                              \
    TAKE_MODE                                                 \
    OPERATION(is_change(flags) && is_path_inside(AT_FDCWD, path)); \
    return below(path, flags, mode);                          \
  }

#define OPENING_AT(name)                                      \
  int name(int directory, const char *path, int flags, ...) { \
    BELOW(name);                                              \
    TAKE_MODE                                                 \
    OPERATION(is_change(flags) && is_path_inside(directory, path)); \
    return below(directory, path, flags, mode);               \
  }

OPENING(open)
OPENING(open64)
OPENING_AT(openat)
OPENING_AT(openat64)

#else

// Other systems have no such library: the cases that need it are not run there.
int crash_lab_begin(const char *folder, long last, int torn) {
  (void)folder;
  (void)last;
  (void)torn;
  return -1;
}

long crash_lab_operations(void) { return 0; }

#endif
