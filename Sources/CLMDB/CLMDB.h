#ifndef CLMDB_H
#define CLMDB_H

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#if defined(__linux__)
#include <sys/ioctl.h>
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
    long result;
    do { result = syscall(SYS_fallocate, descriptor, 0, (long)0, (long)count); } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
#else
    (void)descriptor;
    (void)count;
    return EOPNOTSUPP;
#endif
}

/* Has an empty file's blocks written where they are, on file systems that write changed blocks to another place and know
   the attribute, as btrfs does: ioctl_iflags(2). Others refuse it, which is no harm. */
static inline void clmdb_keep_in_place(int descriptor) {
#if defined(__linux__)
    const unsigned long get = _IOR('f', 1, long), set = _IOW('f', 2, long);
    const int no_copy = 0x00800000;
    int flags = 0;
    if (ioctl(descriptor, get, &flags) != 0) return;
    flags |= no_copy;
    (void)ioctl(descriptor, set, &flags);
#else
    (void)descriptor;
#endif
}

/* The bytes that a file system has left for everybody: 0, or an errno. */
static inline int clmdb_free_bytes(int descriptor, uint64_t *count) {
    struct statvfs system;
    if (fstatvfs(descriptor, &system) != 0) return errno;
    *count = (uint64_t)system.f_bavail * (uint64_t)system.f_frsize;
    return 0;
}

/* Who keeps a byte of a file from being locked. */
typedef struct {
    int32_t is_held, is_exclusive;
    /* The process, for a lock that belongs to one; -1 for one that belongs to an open file. */
    int32_t process;
} clmdb_lock_holder;

#if defined(__linux__)
#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

/* Locks a byte for an open file, or gives the lock up: 0, or an errno; EAGAIN if somebody else has it. The lock
   belongs to the open file and not to the process: it holds against everybody who opened the file otherwise, in this
   process as well, and stays when another descriptor of the file is closed. fcntl(2). */
static inline int clmdb_set_lock(int descriptor, int64_t byte, int is_locked) {
    struct flock lock = {0};
    lock.l_type = is_locked ? F_WRLCK : F_UNLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

/* Who would keep an open file from locking some bytes: 0, or an errno. Sees also locks of this process. */
static inline int clmdb_find_lock(int descriptor, int64_t first, int64_t count, clmdb_lock_holder *holder) {
    struct flock lock = {0};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = first;
    lock.l_len = count;
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return errno;
    holder->is_held = lock.l_type != F_UNLCK;
    holder->is_exclusive = lock.l_type == F_WRLCK;
    holder->process = lock.l_pid;
    return 0;
}
#else
/* Systems without such locks get no guard. */
static inline int clmdb_set_lock(int descriptor, int64_t byte, int is_locked) {
    (void)descriptor;
    (void)byte;
    (void)is_locked;
    return 0;
}

static inline int clmdb_find_lock(int descriptor, int64_t first, int64_t count, clmdb_lock_holder *holder) {
    (void)descriptor;
    (void)first;
    (void)count;
    holder->is_held = holder->is_exclusive = holder->process = 0;
    return 0;
}
#endif

#endif
