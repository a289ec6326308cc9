#ifndef QUARRY_CFILEIDENTITY_H
#define QUARRY_CFILEIDENTITY_H

#include <stdint.h>

/// Finds which file a path names, through links, and asks the system for nothing else.
///
/// It asks for no times: where a file's times were asked for, Linux from version 6.13 on notes the next write with a
/// finer time, and a sync of the file's data then writes its inode, too (Documentation/filesystems/multigrain-ts.rst).
///
/// Returns 0, or the error's number.
int quarry_file_identity(const char *path, uint64_t *device, uint64_t *number);

#endif
