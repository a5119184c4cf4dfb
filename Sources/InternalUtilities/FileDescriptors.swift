import Foundation

/// Functions on the file descriptors that this process may still open.
///
/// Dispatch ends the process if it needs a descriptor for its event loop and gets none, and SQLite and LMDB
/// open files in the middle of their work. A check beforehand lets a program continue with fewer resources.
package enum FileDescriptors {
    /// The largest number of descriptors that Dispatch opens: an event queue, its wake-up and timers.
    package static let neededByDispatch = 8

    /// Returns whether this process can currently open a number of files.
    ///
    /// - Parameter count: The number of files.
    /// - Complexity: O(1) system calls far from the limit, and O(*count*) close to it.
    package static func areFree(_ count: Int) -> Bool {
        var limit = rlimit()
        let status = getrlimit(resource, &limit)
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<count {
            let descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            opened.append(descriptor)
            // `open` returns the lowest free number. Far below the limit, enough numbers above it are free.
            if status == 0, UInt64(descriptor) + UInt64(count) + farFromLimit < UInt64(limit.rlim_cur) {
                return true
            }
        }
        return true
    }

    /// Raises the number of files that this process may open to the largest number that the system allows.
    package static func allowAll() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // If the system refuses, the limit stays.
        setrlimit(resource, &limit)
    }

    #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
    private static var resource: Int32 { RLIMIT_NOFILE }
    #endif

    private static let farFromLimit: UInt64 = 256
}
