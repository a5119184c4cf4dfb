#ifndef CLMDB_H
#define CLMDB_H

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <stdint.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#endif

/* What stat(2) and statfs(2) say of a file, in types that are the same on every system. */
typedef struct {
    uint64_t device, inode, size, reserved_size, links;
    uint32_t owner, mode, is_regular;
    /* The number of the file system's type, or 0 where the system has none. */
    uint32_t file_system;
} clmdb_file_status;

static inline void clmdb_fill_status(const struct stat *from, clmdb_file_status *to) {
    to->device = (uint64_t)from->st_dev;
    to->inode = (uint64_t)from->st_ino;
    to->size = (uint64_t)from->st_size;
    to->reserved_size = (uint64_t)from->st_blocks * 512;
    to->links = (uint64_t)from->st_nlink;
    to->owner = (uint32_t)from->st_uid;
    to->mode = (uint32_t)(from->st_mode & 07777);
    to->is_regular = S_ISREG(from->st_mode) ? 1 : 0;
    to->file_system = 0;
}

/* The status of an open file: 0, or an errno. */
static inline int clmdb_status_of(int descriptor, clmdb_file_status *status) {
    struct stat found;
    if (fstat(descriptor, &found) != 0) return errno;
    clmdb_fill_status(&found, status);
#if defined(__linux__)
    struct statfs system;
    if (fstatfs(descriptor, &system) != 0) return errno;
    status->file_system = (uint32_t)system.f_type;
#endif
    return 0;
}

/* The status of a name in an open directory, not following a link: 0, or an errno. */
static inline int clmdb_status_at(int directory, const char *name, clmdb_file_status *status) {
    struct stat found;
    if (fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    clmdb_fill_status(&found, status);
    return 0;
}

/* Sets blocks aside for the start of a file without changing its bytes: 0, or an errno. Not the C library's
   posix_fallocate, which where the file system cannot do it rewrites bytes that others may have mapped. */
static inline int clmdb_reserve(int descriptor, uint64_t count) {
#if defined(__linux__) && defined(__LP64__)
    return syscall(SYS_fallocate, descriptor, 0, (long)0, (long)count) == 0 ? 0 : errno;
#else
    (void)descriptor;
    (void)count;
    return EOPNOTSUPP;
#endif
}

#endif
