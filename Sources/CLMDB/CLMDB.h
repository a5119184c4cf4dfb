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

/* The status of a file from stat(2) and statfs(2), in types that are the same on every system. */
typedef struct {
    uint64_t device, inode, size, reserved_size, links;
    uint32_t owner, mode, is_regular;
    /* The number of the file system's type; 0 in the status of a name, and on systems without numbers. */
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

/* Reads the status of an open file. Returns 0 or an errno. */
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

/* Reads the status of a name in an open directory without following a symbolic link, except for the number of
   the file system's type. Returns 0 or an errno. */
static inline int clmdb_status_at(int directory, const char *name, clmdb_file_status *status) {
    struct stat found;
    if (fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    clmdb_fill_status(&found, status);
    return 0;
}

/* Reserves blocks for the start of a file without changing its bytes. Returns 0 or an errno. The C library's
   posix_fallocate is not used: on file systems that cannot reserve blocks, it rewrites bytes that other
   processes may have mapped. */
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

/* Disables copy-on-write for an empty file, on file systems that write changed blocks to another location and
   support the attribute, such as btrfs: ioctl_iflags(2). Other file systems refuse it, which is ignored. */
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

/* Reads the number of bytes that a file system has free for unprivileged users. Returns 0 or an errno. */
static inline int clmdb_free_bytes(int descriptor, uint64_t *count) {
    struct statvfs system;
    if (fstatvfs(descriptor, &system) != 0) return errno;
    *count = (uint64_t)system.f_bavail * (uint64_t)system.f_frsize;
    return 0;
}

/* The holder of a lock that conflicts with locking some bytes of a file. */
typedef struct {
    int32_t is_held, is_exclusive;
    /* The process that holds the lock, or -1 for a lock that belongs to an open file. */
    int32_t process;
} clmdb_lock_holder;

#if defined(__linux__)
#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

/* Locks a byte for an open file description, or releases the lock. Returns 0 or an errno, EAGAIN if another
   open file description has the lock. The lock does not belong to the process: it excludes every other
   opening of the file, including those in this process, and stays if another descriptor of the file is
   closed. See fcntl(2). */
static inline int clmdb_set_lock(int descriptor, int64_t byte, int is_locked) {
    struct flock lock = {0};
    lock.l_type = is_locked ? F_WRLCK : F_UNLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

/* Finds a lock that prevents an open file from locking some bytes. Returns 0 or an errno. Also finds locks of
   this process. */
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
/* Systems without such locks have no process lock. */
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
