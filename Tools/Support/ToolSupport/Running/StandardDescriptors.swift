import Foundation

/// The descriptors of standard input, output and error.
enum StandardDescriptors {
    /// Opens each closed standard descriptor in a mode in which reading and writing fail.
    ///
    /// Otherwise the next opened file would get the number of a closed descriptor, and the tool's output
    /// would be written to that file, for example to a cache.
    static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // `open` returns the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
