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
        #if canImport(Glibc)
        let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
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

    private static let farFromLimit: UInt64 = 256
}
