import Foundation

/// The descriptors of standard input, output and error.
enum StandardDescriptors {
    /// Opens what is closed of them in such a way that reading and writing fail.
    ///
    /// The next file that is opened would have the number of a closed one, and what the tool prints would be
    /// written into it: into a cache, for example.
    static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest number that is free is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
