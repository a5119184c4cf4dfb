import Foundation

/// A library that is preloaded into a child process. It replaces system calls to fail writes, and to report
/// another time, kind of file system and version of SQLite. It is compiled before its first use, on systems
/// with a compiler.
enum FaultLibrary {
    static let reason = "no C compiler is installed"

    /// Compiles the library.
    ///
    /// - Throws: ``FaultSkipped`` if no C compiler is installed, or if it fails.
    static func make(in folder: URL) throws -> URL {
        let source = folder.appending(path: "faults.c")
        let library = folder.appending(path: "faults.so")
        try Data(self.source.utf8).write(to: source)
        let compiler = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .flatMap { path in ["cc", "gcc", "clang"].map { URL(filePath: String(path)).appending(path: $0) }
            }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        guard let compiler else { throw FaultSkipped(reason) }
        let process = Process()
        process.executableURL = compiler
        process.arguments = ["-shared", "-fPIC", "-O1", "-o", library.path, source.path, "-ldl", "-lpthread"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw FaultSkipped("the C compiler fails") }
        return library
    }

    /// Returns the environment variables that a child process needs for some faults.
    static func environment(_ library: URL, _ variables: [String: String]) -> [String: String?] {
        // Before the libraries that are preloaded already, such as that of a sanitizer.
        let others = ProcessInfo.processInfo.environment["LD_PRELOAD"].map { ":" + $0 } ?? ""
        var environment: [String: String?] = ["LD_PRELOAD": library.path + others]
        for (name, value) in variables { environment["FAULT_\(name)"] = value }
        return environment
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <sys/uio.h>
        #include <sys/vfs.h>
        #include <time.h>
        #include <unistd.h>

        #define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

        /* Writes: the call, the kind of failure, the number of the first call that fails, whether later calls fail, the
           folder of the files, and a file to create as a sign that a call failed. */
        static int counted;

        static int isMeant(int file) {
            const char *folder = getenv("FAULT_FOLDER");
            if (!folder) return 0;
            char link[64], path[4096];
            snprintf(link, sizeof link, "/proc/self/fd/%d", file);
            ssize_t length = readlink(link, path, sizeof path - 1);
            if (length < 0) return 0;
            path[length] = 0;
            return strstr(path, folder) != 0;
        }

        static int fails(int file, const char *call) {
            const char *wanted = getenv("FAULT_CALL"), *hits = getenv("FAULT_HITS");
            if (!wanted || strcmp(wanted, call) || !isMeant(file)) return 0;
            int number = __sync_add_and_fetch(&counted, 1), at = atoi(getenv("FAULT_AT"));
            if (number != at && (number < at || !getenv("FAULT_STICKY"))) return 0;
            if (hits) close(open(hits, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
            return 1;
        }

        static int isShort(void) { return !strcmp(getenv("FAULT_KIND"), "short"); }

        static int failure(void) {
            const char *kind = getenv("FAULT_KIND");
            errno = !strcmp(kind, "ENOSPC") ? ENOSPC : !strcmp(kind, "EDQUOT") ? EDQUOT : !strcmp(kind, "EINTR") ? EINTR : EIO;
            return -1;
        }

        ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
            REAL(pwrite);
            if (fails(file, "pwrite")) return isShort() ? real(file, bytes, count / 2, offset) : failure();
            return real(file, bytes, count, offset);
        }
        ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
            REAL(pwrite64);
            if (fails(file, "pwrite")) return isShort() ? real(file, bytes, count / 2, offset) : failure();
            return real(file, bytes, count, offset);
        }
        ssize_t writev(int file, const struct iovec *parts, int count) {
            REAL(writev);
            if (fails(file, "writev")) {
                if (!isShort()) return failure();
                return write(file, parts[0].iov_base, parts[0].iov_len / 2);
            }
            return real(file, parts, count);
        }
        int ftruncate(int file, off_t size) {
            REAL(ftruncate); return fails(file, "ftruncate") ? failure() : real(file, size);
        }
        int ftruncate64(int file, off64_t size) {
            REAL(ftruncate64); return fails(file, "ftruncate") ? failure() : real(file, size);
        }
        off_t lseek(int file, off_t offset, int from) {
            REAL(lseek); return fails(file, "lseek") ? failure() : real(file, offset, from);
        }
        /* The library allocates with the system call; on a file system without it, LMDB truncates. */
        long syscall(long number, ...) {
            static long (*real)(long, ...);
            long words[6];
            va_list list;
            va_start(list, number);
            for (int i = 0; i < 6; i++) words[i] = va_arg(list, long);
            va_end(list);
            if (number == SYS_fallocate) {
                if (fails((int)words[0], "fallocate")) return failure();
                if (getenv("FAULT_NO_ALLOCATION") && isMeant((int)words[0])) { errno = EOPNOTSUPP; return -1; }
            }
            if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
            return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
        }

        /* The kind of file system that is reported for all files. */
        static void setKind(long *kind) {
            const char *other = getenv("FAULT_FILE_SYSTEM");
            if (other) *kind = strtol(other, 0, 16);
        }
        int fstatfs(int file, struct statfs *system) {
            REAL(fstatfs);
            int result = real(file, system);
            if (!result) setKind(&system->f_type);
            return result;
        }
        int fstatfs64(int file, struct statfs64 *system) {
            REAL(fstatfs64);
            int result = real(file, system);
            if (!result) setKind(&system->f_type);
            return result;
        }

        /* The time: off by a number of seconds, frozen, or set back by 20 years after a number of calls. */
        static int asked;

        static int actual(clockid_t clock, struct timespec *time) {
            REAL(clock_gettime); return real(clock, time);
        }
        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = actual(clock, time);
            if (result || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
            const char *frozen = getenv("FAULT_FROZEN"), *offset = getenv("FAULT_OFFSET"), *back = getenv("FAULT_BACK");
            if (frozen) { time->tv_sec = atol(frozen); time->tv_nsec = 0; }
            if (offset) time->tv_sec += atol(offset);
            if (back && __sync_add_and_fetch(&asked, 1) > atoi(back)) time->tv_sec -= 20L * 365 * 86400;
            return 0;
        }
        time_t time(time_t *result) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (result) *result = now.tv_sec;
            return now.tv_sec;
        }
        int gettimeofday(struct timeval *result, void *zone) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            result->tv_sec = now.tv_sec;
            result->tv_usec = now.tv_nsec / 1000;
            return 0;
        }
        const char *sqlite3_libversion(void) {
            const char *version = getenv("FAULT_SQLITE_VERSION");
            if (version) return version;
            const char *(*real)(void) = (const char *(*)(void))dlsym(RTLD_NEXT, "sqlite3_libversion");
            return real();
        }
        /* The version of the collation, on systems where it is in a shared library. */
        void swift_u_getVersion(unsigned char version[4]) {
            void (*real)(unsigned char *) = (void (*)(unsigned char *))dlsym(RTLD_NEXT, "swift_u_getVersion");
            real(version);
            const char *other = getenv("FAULT_COLLATION_VERSION");
            if (other) version[1] ^= atoi(other);
        }
        """
}
