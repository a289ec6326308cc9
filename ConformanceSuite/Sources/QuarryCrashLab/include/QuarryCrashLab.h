#ifndef QUARRY_CRASH_LAB_H
#define QUARRY_CRASH_LAB_H

// Stands below everything that a process is made of and sees its operations on files: ends the process at a chosen one,
// lets one fail, or writes all of them down.
//
// The library is loaded before all others (LD_PRELOAD) and stands between the program and the C library. It counts the
// calls that change what is in a folder and below, or bring it to the disk:
//
//   write, pwrite, writev, pwritev, ftruncate, truncate, fallocate, copy_file_range, fsync, fdatasync, msync,
//   open and openat that may make or empty a file, creat, rename, link, unlink, mkdir, rmdir and their forms with
//   descriptors.
//
// Where operations fail or are written down, read, pread and the opening of what is there are counted, too.
//
// What it sees are calls by name through the dynamic linker: those of libraries that are linked dynamically, and of the
// program itself. It does not see
// - what is stored through a map of a file (msync is counted, of whatever file it is);
// - calls that the C library makes inside of itself, of stdio for example, and calls of the kernel without it;
// - what the disk would have lost: the kernel of a process that ends keeps everything that was written. What a disk may
//   have lost is made from the record.
//
// Without a call of one of the functions below it only hands on. It counts the calls of all threads, which wait for each
// other while they are counted.

// What a process's exit code is that was ended here.
#define CRASH_LAB_EXIT 85

// Counts from now on, from 1, what is done in the folder and below, and ends the process before one operation, as `_exit`
// ends it: nothing is flushed, nothing is closed in order. A write can be torn: its first half is written, and then the
// process ends.
//
// folder: an absolute path, without links in it. last: the number of the operation; 0 for none. torn: whether the first
// half of it is done where it is a write.
// Returns 0, or -1 for a path that is too long.
int crash_lab_begin(const char *folder, long last, int torn);

// What is done to an operation that fails with this "error": of its bytes the first half is written or read.
#define CRASH_LAB_SHORT -1

// Counts from now on, and lets an operation fail.
//
// first: its number. error: what errno is then, or CRASH_LAB_SHORT. goes_on: whether all that follow fail, too.
// Returns 0, or -1 for a path that is too long.
int crash_lab_fail(const char *folder, long first, int error, int goes_on);

// How many operations have failed so.
long crash_lab_failures(void);

// Writes down from now on what is done in the folder and below, in the order in which it was done.
//
// log: a path outside the folder. It has one entry after the other, in this machine's order of bytes: the kind (4 bytes),
// flags (4), the operation's number, the file's number, an offset and a length (8 each), the lengths of two texts (4 each),
// the texts, and the bytes of a write, as many as its length says.
// Returns 0, or -1 where the log cannot be made.
int crash_lab_record(const char *folder, const char *log);

// Kinds of entries. The texts are paths.
#define CRASH_LAB_READ 0           // nothing that a disk would know of
#define CRASH_LAB_CREATE 1         // a new file by a path
#define CRASH_LAB_WRITE 2          // flags 1: on the disk when it returns (O_DSYNC)
#define CRASH_LAB_TRUNCATE 3       // to a length
#define CRASH_LAB_SYNC 4
#define CRASH_LAB_RENAME 5         // from the first path to the second
#define CRASH_LAB_LINK 6           // a file that is there gets a path
#define CRASH_LAB_UNLINK 7
#define CRASH_LAB_MAKE_FOLDER 8
#define CRASH_LAB_REMOVE_FOLDER 9
#define CRASH_LAB_MARK 10          // a text of crash_lab_mark
#define CRASH_LAB_NAMELESS 11      // a new file without a path
#define CRASH_LAB_ALLOCATE 12      // room from an offset on; flags 1: the file's length stays
#define CRASH_LAB_SYNC_FOLDER 13
#define CRASH_LAB_UNKNOWN 14       // something that cannot be followed: the record is not to be used

// Writes a text into the record, which tells how far the program is.
void crash_lab_mark(const char *text);

// Makes each sync that is written down take longer from now on, as a slow disk does; 0 for no longer. Other threads go on
// meanwhile, and what they do is written down behind the sync.
void crash_lab_slow_syncs(int microseconds);

// Counts, fails and writes down no longer.
void crash_lab_end(void);

// Puts the wall clock of the process so many seconds ahead of the right time, or behind it where the number is negative.
void crash_lab_set_clock(long seconds);

// How many operations there were.
long crash_lab_operations(void);

#endif
