#include "QuarryCrashLab.h"

#ifdef __linux__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static char folder[PATH_MAX];
static size_t folder_length;
static atomic_int is_counting;
static atomic_long operations;

// What is done at an operation, or to it.
static long chosen_operation;
static int is_ending;
static int is_torn;
static int failure;
static int fails_on;
static long failures;
static int counts_reads;
static int record = -1;
static atomic_int sync_microseconds;
// How long this thread waits for its sync when it has given the turn back.
static _Thread_local int sleep_due;

// One operation after the other, while they are counted: the record has them in the order in which they were done.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static int begin(const char *path) {
  size_t length = strlen(path);
  if (length >= sizeof folder) return -1;
  atomic_store(&is_counting, 0);
  memcpy(folder, path, length + 1);
  folder_length = length;
  atomic_store(&operations, 0);
  chosen_operation = 0;
  is_ending = is_torn = failure = fails_on = counts_reads = 0;
  failures = 0;
  if (record >= 0) syscall(SYS_close, record);
  record = -1;
  return 0;
}

int crash_lab_begin(const char *path, long last, int torn) {
  if (begin(path)) return -1;
  chosen_operation = last;
  is_ending = last > 0;
  is_torn = torn;
  atomic_store(&is_counting, 1);
  return 0;
}

int crash_lab_record(const char *path, const char *log) {
  if (begin(path)) return -1;
  record = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (record < 0) return -1;
  counts_reads = 1;
  atomic_store(&is_counting, 1);
  return 0;
}

int crash_lab_fail(const char *path, long first, int error, int goes_on) {
  if (begin(path)) return -1;
  chosen_operation = first;
  failure = error;
  fails_on = goes_on;
  counts_reads = 1;
  atomic_store(&is_counting, 1);
  return 0;
}

void crash_lab_end(void) {
  pthread_mutex_lock(&turn);
  atomic_store(&is_counting, 0);
  if (record >= 0) syscall(SYS_close, record);
  record = -1;
  pthread_mutex_unlock(&turn);
}

void crash_lab_slow_syncs(int microseconds) { atomic_store(&sync_microseconds, microseconds); }

long crash_lab_operations(void) { return atomic_load(&operations); }

long crash_lab_failures(void) { return failures; }

// What is done in the folder.

static int is_inside(const char *path) {
  return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

// A file that was removed and is open keeps its path, with something behind it.
static int path_of(int descriptor, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_inside(path);
}

// The name may be of something that is not there yet; the folder that it is in is. The path without links but for its
// last name.
static int path_at(int directory, const char *path, char *real) {
  char whole[PATH_MAX], link[64], name[NAME_MAX + 1];
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
  if (snprintf(name, sizeof name, "%s", slash ? slash + 1 : whole) >= (int)sizeof name) return 0;
  if (slash) *slash = 0;
  if (realpath(slash ? whole : ".", real) == NULL || !is_inside(real)) return 0;
  length = strlen(real);
  return snprintf(real + length, PATH_MAX - length, "/%s", name) < (int)(PATH_MAX - length);
}

// The record.

static void put(const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    long written = syscall(SYS_write, record, next, count);
    // A record that cannot be written is not taken for one: it ends in the midst.
    if (written <= 0) return;
    next += written;
    count -= written;
  }
}

struct entry {
  uint32_t kind;
  uint32_t flags;
  uint64_t number;
  uint64_t file;
  uint64_t offset;
  uint64_t length;
  uint32_t first;
  uint32_t second;
};

static void note(uint32_t kind, uint32_t flags, uint64_t file, uint64_t offset, uint64_t length, const char *first,
                 const char *second, const void *bytes, size_t count) {
  if (record < 0) return;
  struct entry entry = {kind, flags, (uint64_t)atomic_load(&operations), file, offset, length,
                        first ? (uint32_t)strlen(first) : 0, second ? (uint32_t)strlen(second) : 0};
  put(&entry, sizeof entry);
  if (first) put(first, entry.first);
  if (second) put(second, entry.second);
  if (bytes) put(bytes, count);
}

void crash_lab_mark(const char *text) {
  pthread_mutex_lock(&turn);
  if (atomic_load(&is_counting)) note(CRASH_LAB_MARK, 0, 0, 0, 0, text, NULL, NULL, 0);
  pthread_mutex_unlock(&turn);
}

static uint64_t number_of(int descriptor, int *is_folder) {
  struct stat status;
  if (fstat(descriptor, &status)) return 0;
  if (is_folder) *is_folder = S_ISDIR(status.st_mode);
  return status.st_ino;
}

static void note_write(int file, off_t start, const struct iovec *parts, int count, ssize_t written) {
  if (record < 0 || written <= 0) return;
  int flags = fcntl(file, F_GETFL);
  struct entry entry = {CRASH_LAB_WRITE, flags >= 0 && (flags & O_DSYNC) ? 1 : 0,
                        (uint64_t)atomic_load(&operations), number_of(file, NULL), (uint64_t)start,
                        (uint64_t)written, 0, 0};
  put(&entry, sizeof entry);
  for (int part = 0; part < count && written > 0; part++) {
    size_t length = parts[part].iov_len < (size_t)written ? parts[part].iov_len : (size_t)written;
    put(parts[part].iov_base, length);
    written -= length;
  }
}

// What becomes of an operation.

enum fate { DONE, ENDED, FAILED, SHORTENED };

// Counts an operation, whose turn it is until `leave`.
static enum fate enter(int is_read, int can_be_short) {
  if (is_read && !counts_reads) return DONE;
  long number = atomic_fetch_add(&operations, 1) + 1;
  if (number != chosen_operation && !(fails_on && chosen_operation > 0 && number > chosen_operation)) return DONE;
  if (is_ending) return ENDED;
  if (failure == CRASH_LAB_SHORT) {
    if (!can_be_short) return DONE;
    failures++;
    return SHORTENED;
  }
  if (failure == 0) return DONE;
  failures++;
  return FAILED;
}

static void leave(int error) {
  pthread_mutex_unlock(&turn);
  // A slow disk keeps none of the other threads waiting.
  if (sleep_due > 0) usleep(sleep_due);
  sleep_due = 0;
  errno = error;
}

// The function of that name of the library below.
#define BELOW(name)                                           \
  static __typeof__(&name) below;                             \
  if (!below) below = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// An operation that is counted where `inside` is true; `noted` writes it down when it was done.
#define COUNTED(type, is_read, inside, arguments, noted)      \
  do {                                                        \
    if (atomic_load(&is_counting)) {                          \
      int error = errno;                                      \
      char path[PATH_MAX], other[PATH_MAX];                   \
      path[0] = other[0] = 0;                                 \
      if (inside) {                                           \
        pthread_mutex_lock(&turn);                            \
        enum fate fate = enter(is_read, 0);                   \
        if (fate == ENDED) _exit(CRASH_LAB_EXIT);             \
        if (fate == FAILED) {                                 \
          leave(failure);                                     \
          return -1;                                          \
        }                                                     \
        errno = error;                                        \
        type result = below arguments;                        \
        error = errno;                                        \
        noted;                                                \
        leave(error);                                         \
        return result;                                        \
      }                                                       \
      errno = error;                                          \
    }                                                         \
  } while (0)

// Calls that take what they need and hand it on.
#define HANDED_ON(type, name, parameters, arguments, inside, noted) \
  type name parameters {                                      \
    BELOW(name);                                              \
    COUNTED(type, 0, inside, arguments, if (result == 0) { noted; }); \
    return below arguments;                                   \
  }

// Writes.

#define WRITING(name, parameters, half, arguments, pieces, start) \
  ssize_t name parameters {                                   \
    BELOW(name);                                              \
    if (atomic_load(&is_counting)) {                          \
      int error = errno;                                      \
      char path[PATH_MAX];                                    \
      if (path_of(file, path)) {                              \
        pthread_mutex_lock(&turn);                            \
        enum fate fate = enter(0, 1);                         \
        if (fate == ENDED) {                                  \
          if (is_torn) below half;                            \
          _exit(CRASH_LAB_EXIT);                              \
        }                                                     \
        if (fate == FAILED) {                                 \
          leave(failure);                                     \
          return -1;                                          \
        }                                                     \
        errno = error;                                        \
        ssize_t result = fate == SHORTENED ? below half : below arguments; \
        if (fate == SHORTENED && result == 0) result = below arguments; \
        error = errno;                                        \
        note_write(file, start, PIECES pieces, result);       \
        leave(error);                                         \
        return result;                                        \
      }                                                       \
      errno = error;                                          \
    }                                                         \
    return below arguments;                                   \
  }

#define PIECES(parts, count) parts, count
#define ONE_PART ((&(struct iovec){(void *)bytes, count}), 1)
#define BEFORE_HERE lseek(file, 0, SEEK_CUR) - (result > 0 ? result : 0)

WRITING(write, (int file, const void *bytes, size_t count), (file, bytes, count / 2), (file, bytes, count), ONE_PART,
        BEFORE_HERE)
WRITING(pwrite, (int file, const void *bytes, size_t count, off_t start), (file, bytes, count / 2, start),
        (file, bytes, count, start), ONE_PART, start)
WRITING(pwrite64, (int file, const void *bytes, size_t count, off64_t start), (file, bytes, count / 2, start),
        (file, bytes, count, start), ONE_PART, start)
WRITING(writev, (int file, const struct iovec *parts, int count), (file, parts, count / 2), (file, parts, count),
        (parts, count), BEFORE_HERE)
WRITING(pwritev, (int file, const struct iovec *parts, int count, off_t start), (file, parts, count / 2, start),
        (file, parts, count, start), (parts, count), start)
WRITING(pwritev64, (int file, const struct iovec *parts, int count, off64_t start), (file, parts, count / 2, start),
        (file, parts, count, start), (parts, count), start)

// Reads, which fail and come short, and leave nothing to write down.

#define READING(name, parameters, half, arguments)            \
  ssize_t name parameters {                                   \
    BELOW(name);                                              \
    if (counts_reads && atomic_load(&is_counting)) {          \
      int error = errno;                                      \
      char path[PATH_MAX];                                    \
      if (path_of(file, path)) {                              \
        pthread_mutex_lock(&turn);                            \
        enum fate fate = enter(1, 1);                         \
        if (fate == FAILED) {                                 \
          leave(failure);                                     \
          return -1;                                          \
        }                                                     \
        note(CRASH_LAB_READ, 0, 0, 0, 0, NULL, NULL, NULL, 0); \
        leave(error);                                         \
        if (fate == SHORTENED && count > 1) return below half; \
        return below arguments;                               \
      }                                                       \
      errno = error;                                          \
    }                                                         \
    return below arguments;                                   \
  }

READING(read, (int file, void *bytes, size_t count), (file, bytes, count / 2), (file, bytes, count))
READING(pread, (int file, void *bytes, size_t count, off_t start), (file, bytes, count / 2, start),
        (file, bytes, count, start))
READING(pread64, (int file, void *bytes, size_t count, off64_t start), (file, bytes, count / 2, start),
        (file, bytes, count, start))

// The length of files, and the disk.

#define LENGTH(kind, start, extent) note(kind, 0, number_of(file, NULL), start, extent, path, NULL, NULL, 0)
#define LENGTH_AT_PATH                                        \
  struct stat status;                                         \
  if (!stat(path, &status)) note(CRASH_LAB_TRUNCATE, 0, status.st_ino, 0, length, path, NULL, NULL, 0)

HANDED_ON(int, ftruncate, (int file, off_t length), (file, length), path_of(file, path),
          LENGTH(CRASH_LAB_TRUNCATE, 0, length))
HANDED_ON(int, ftruncate64, (int file, off64_t length), (file, length), path_of(file, path),
          LENGTH(CRASH_LAB_TRUNCATE, 0, length))
HANDED_ON(int, truncate, (const char *name, off_t length), (name, length), path_at(AT_FDCWD, name, path),
          LENGTH_AT_PATH)
HANDED_ON(int, truncate64, (const char *name, off64_t length), (name, length), path_at(AT_FDCWD, name, path),
          LENGTH_AT_PATH)

// Of the modes only those that make room are followed: others are told as what cannot be.
#define ROOM(mode)                                            \
  note((mode) & ~FALLOC_FL_KEEP_SIZE ? CRASH_LAB_UNKNOWN : CRASH_LAB_ALLOCATE, (mode) & FALLOC_FL_KEEP_SIZE ? 1 : 0, \
       number_of(file, NULL), start, length, path, NULL, NULL, 0)

HANDED_ON(int, fallocate, (int file, int mode, off_t start, off_t length), (file, mode, start, length),
          path_of(file, path), ROOM(mode))
HANDED_ON(int, fallocate64, (int file, int mode, off64_t start, off64_t length), (file, mode, start, length),
          path_of(file, path), ROOM(mode))

// These return their errors, and do not set errno.
#define ALLOCATING(name, offset)                              \
  int name(int file, offset start, offset length) {           \
    BELOW(name);                                              \
    if (atomic_load(&is_counting)) {                          \
      int error = errno;                                      \
      char path[PATH_MAX];                                    \
      if (path_of(file, path)) {                              \
        pthread_mutex_lock(&turn);                            \
        enum fate fate = enter(0, 0);                         \
        if (fate == ENDED) _exit(CRASH_LAB_EXIT);             \
        int result = fate == FAILED ? failure : below(file, start, length); \
        if (result == 0) ROOM(0);                             \
        leave(error);                                         \
        return result;                                        \
      }                                                       \
      errno = error;                                          \
    }                                                         \
    return below(file, start, length);                        \
  }

ALLOCATING(posix_fallocate, off_t)
ALLOCATING(posix_fallocate64, off64_t)

#define SYNCED                                                \
  int is_folder = 0;                                          \
  uint64_t number = number_of(file, &is_folder);              \
  note(is_folder ? CRASH_LAB_SYNC_FOLDER : CRASH_LAB_SYNC, 0, number, 0, 0, path, NULL, NULL, 0); \
  if (record >= 0) sleep_due = atomic_load(&sync_microseconds)

HANDED_ON(int, fsync, (int file), (file), path_of(file, path), SYNCED)
HANDED_ON(int, fdatasync, (int file), (file), path_of(file, path), SYNCED)
HANDED_ON(int, msync, (void *start, size_t length, int flags), (start, length, flags), 1,
          note(CRASH_LAB_READ, 0, 0, 0, 0, NULL, NULL, NULL, 0))

// Copies inside of the kernel: their bytes are read from where they came to.
#define COPIED                                                \
  if (record >= 0 && result > 0) {                            \
    char *bytes = malloc(result);                             \
    off_t at = out_start ? *out_start - result : lseek(file, 0, SEEK_CUR) - result; \
    char link[64];                                            \
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);    \
    int again = bytes ? (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC) : -1; \
    if (again >= 0 && syscall(SYS_pread64, again, bytes, result, at) == result) \
      note_write(file, at, &(struct iovec){bytes, result}, 1, result); \
    else                                                      \
      note(CRASH_LAB_UNKNOWN, 0, 0, 0, 0, path, NULL, NULL, 0); \
    if (again >= 0) syscall(SYS_close, again);                \
    free(bytes);                                              \
  }

ssize_t copy_file_range(int in, off64_t *in_start, int file, off64_t *out_start, size_t count, unsigned int flags) {
  BELOW(copy_file_range);
  COUNTED(ssize_t, 0, path_of(file, path), (in, in_start, file, out_start, count, flags), COPIED);
  return below(in, in_start, file, out_start, count, flags);
}

// Names.

#define NAMES(kind) note(kind, 0, 0, 0, 0, path, other, NULL, 0)
#define EITHER(from, old, to, new) (path_at(from, old, path) | path_at(to, new, other))

HANDED_ON(int, rename, (const char *old, const char *new), (old, new), EITHER(AT_FDCWD, old, AT_FDCWD, new),
          NAMES(CRASH_LAB_RENAME))
HANDED_ON(int, renameat, (int from, const char *old, int to, const char *new), (from, old, to, new),
          EITHER(from, old, to, new), NAMES(CRASH_LAB_RENAME))
HANDED_ON(int, renameat2, (int from, const char *old, int to, const char *new, unsigned int flags),
          (from, old, to, new, flags), EITHER(from, old, to, new),
          NAMES((flags & ~RENAME_NOREPLACE) ? CRASH_LAB_UNKNOWN : CRASH_LAB_RENAME))

#define LINKED                                                \
  struct stat status;                                         \
  note(CRASH_LAB_LINK, 0, lstat(path, &status) ? 0 : status.st_ino, 0, 0, path, NULL, NULL, 0)

HANDED_ON(int, link, (const char *old, const char *new), (old, new), path_at(AT_FDCWD, new, path), LINKED)
HANDED_ON(int, linkat, (int from, const char *old, int to, const char *new, int flags), (from, old, to, new, flags),
          path_at(to, new, path), LINKED)

#define NAME(kind) note(kind, 0, 0, 0, 0, path, NULL, NULL, 0)

HANDED_ON(int, unlink, (const char *name), (name), path_at(AT_FDCWD, name, path), NAME(CRASH_LAB_UNLINK))
HANDED_ON(int, unlinkat, (int directory, const char *name, int flags), (directory, name, flags),
          path_at(directory, name, path), NAME((flags & AT_REMOVEDIR) ? CRASH_LAB_REMOVE_FOLDER : CRASH_LAB_UNLINK))
HANDED_ON(int, mkdir, (const char *name, mode_t mode), (name, mode), path_at(AT_FDCWD, name, path),
          NAME(CRASH_LAB_MAKE_FOLDER))
HANDED_ON(int, mkdirat, (int directory, const char *name, mode_t mode), (directory, name, mode),
          path_at(directory, name, path), NAME(CRASH_LAB_MAKE_FOLDER))
HANDED_ON(int, rmdir, (const char *name), (name), path_at(AT_FDCWD, name, path), NAME(CRASH_LAB_REMOVE_FOLDER))

// Opening.

static int is_nameless(int flags) { return (flags & O_TMPFILE) == O_TMPFILE; }
static int has_mode(int flags) { return (flags & O_CREAT) || is_nameless(flags); }
static int is_change(int flags) { return has_mode(flags) || (flags & O_TRUNC); }

static int is_there(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

static void note_opened(int file, int flags, int was_there, const char *path) {
  if (record < 0 || file < 0) return;
  if (!is_change(flags)) {
    note(CRASH_LAB_READ, 2, 0, 0, 0, NULL, NULL, NULL, 0);
  } else if (is_nameless(flags)) {
    note(CRASH_LAB_NAMELESS, 2, number_of(file, NULL), 0, 0, path, NULL, NULL, 0);
  } else if (!was_there) {
    note(CRASH_LAB_CREATE, 2, number_of(file, NULL), 0, 0, path, NULL, NULL, 0);
  } else if (flags & O_TRUNC) {
    note(CRASH_LAB_TRUNCATE, 2, number_of(file, NULL), 0, 0, path, NULL, NULL, 0);
  } else {
    note(CRASH_LAB_READ, 2, 0, 0, 0, NULL, NULL, NULL, 0);
  }
}

// Opening what is there is no change: it is counted with reads.
#define OPENED(flags, inside, arguments)                      \
  do {                                                        \
    int was_there = 1;                                        \
    COUNTED(int, !is_change(flags), (is_change(flags) || counts_reads) && (inside) \
            && ((was_there = is_there(path)), 1), arguments,  \
            note_opened(result, flags, was_there, path));     \
  } while (0)

int creat(const char *name, mode_t mode) {
  BELOW(creat);
  OPENED(O_CREAT | O_TRUNC, path_at(AT_FDCWD, name, path), (name, mode));
  return below(name, mode);
}

int creat64(const char *name, mode_t mode) {
  BELOW(creat64);
  OPENED(O_CREAT | O_TRUNC, path_at(AT_FDCWD, name, path), (name, mode));
  return below(name, mode);
}

#define TAKE_MODE                                             \
  mode_t mode = 0;                                            \
  if (has_mode(flags)) {                                      \
    va_list rest;                                             \
    va_start(rest, flags);                                    \
    mode = va_arg(rest, mode_t);                              \
    va_end(rest);                                             \
  }

#define OPENING(called)                                       \
  int called(const char *name, int flags, ...) {              \
    BELOW(called);                                            \
    TAKE_MODE                                                 \
    OPENED(flags, path_at(AT_FDCWD, name, path), (name, flags, mode)); \
    return below(name, flags, mode);                          \
  }

#define OPENING_AT(called)                                    \
  int called(int directory, const char *name, int flags, ...) { \
    BELOW(called);                                            \
    TAKE_MODE                                                 \
    OPENED(flags, path_at(directory, name, path), (directory, name, flags, mode)); \
    return below(directory, name, flags, mode);               \
  }

OPENING(open)
OPENING(open64)
OPENING_AT(openat)
OPENING_AT(openat64)

// The wall clock of the process. Waits of the system that end at a time of it see the right one: to them it is a clock that
// was set after the time was chosen.

static atomic_long clock_ahead;

void crash_lab_set_clock(long seconds) { atomic_store(&clock_ahead, seconds); }

int clock_gettime(clockid_t clock, struct timespec *now) {
  BELOW(clock_gettime);
  int result = below(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += atomic_load(&clock_ahead);
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  BELOW(gettimeofday);
  int result = below(now, zone);
  if (result == 0) now->tv_sec += atomic_load(&clock_ahead);
  return result;
}

time_t time(time_t *place) {
  BELOW(time);
  time_t now = below(NULL) + atomic_load(&clock_ahead);
  if (place) *place = now;
  return now;
}

#else

// Other systems have no such library: the cases that need it are not run there.
int crash_lab_begin(const char *folder, long last, int torn) {
  (void)folder;
  (void)last;
  (void)torn;
  return -1;
}

int crash_lab_record(const char *folder, const char *log) {
  (void)folder;
  (void)log;
  return -1;
}

int crash_lab_fail(const char *folder, long first, int error, int goes_on) {
  (void)folder;
  (void)first;
  (void)error;
  (void)goes_on;
  return -1;
}

void crash_lab_mark(const char *text) { (void)text; }

void crash_lab_end(void) {}

void crash_lab_set_clock(long seconds) { (void)seconds; }

long crash_lab_operations(void) { return 0; }

long crash_lab_failures(void) { return 0; }

#endif
