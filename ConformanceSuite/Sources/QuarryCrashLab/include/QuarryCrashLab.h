#ifndef QUARRY_CRASH_LAB_H
#define QUARRY_CRASH_LAB_H

// Ends a process at a chosen operation on files, below everything that the process is made of.
//
// The library is loaded before all others (LD_PRELOAD) and stands between the program and the C library. It counts the
// calls that change what is in a folder and below, or bring it to the disk:
//
//   write, pwrite, writev, pwritev, ftruncate, truncate, fallocate, fsync, fdatasync, msync,
//   open and openat that may make or empty a file, creat, rename, link, unlink, mkdir, rmdir and their forms with
//   descriptors.
//
// Before one of them the process ends as `_exit` ends it: nothing is flushed, nothing is closed in order. A write can be
// torn: its first half is written, and then the process ends.
//
// What it sees are calls by name through the dynamic linker: those of libraries that are linked dynamically, and of the
// program itself. It does not see
// - what is stored through a map of a file (msync is counted, of whatever file it is);
// - calls that the C library makes inside of itself, of stdio for example, and calls of the kernel without it;
// - what the disk would have lost: the kernel of a process that ends keeps everything that was written.
//
// Without a call of crash_lab_begin it only hands on. It counts the calls of all threads.

// What a process's exit code is that was ended here.
#define CRASH_LAB_EXIT 85

// Counts from now on, from 1, what is done in the folder and below, and ends the process before one operation.
//
// folder: an absolute path, without links in it. last: the number of the operation; 0 for none. torn: whether the first
// half of it is done where it is a write.
// Returns 0, or -1 for a path that is too long.
int crash_lab_begin(const char *folder, long last, int torn);

// How many operations there were.
long crash_lab_operations(void);

#endif
