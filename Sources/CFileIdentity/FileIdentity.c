#define _GNU_SOURCE
#include "CFileIdentity.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

int quarry_file_identity(const char *path, uint64_t *device, uint64_t *number) {
#ifdef STATX_INO
  struct statx found;
  if (statx(AT_FDCWD, path, 0, STATX_INO, &found) == 0) {
    *device = makedev(found.stx_dev_major, found.stx_dev_minor);
    *number = found.stx_ino;
    return 0;
  }
  // A kernel before 4.11 does not have the call, and a sandbox may refuse it.
  if (errno != ENOSYS && errno != EPERM) return errno;
#endif
  struct stat status;
  if (stat(path, &status) != 0) return errno;
  *device = (uint64_t)status.st_dev;
  *number = (uint64_t)status.st_ino;
  return 0;
}
