import Foundation
import LibraryImport
import ToolSupport

/// Runs `library-import` in this process, with its output in a file.
struct ImportRunner {
    private let output: Int32
    private var trials = ImportTrials()

    /// Creates a runner.
    ///
    /// - Parameter scratch: The path of the file for the output, which is made.
    init(scratch: String) throws {
        output = open(scratch, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw ToolFailure("“\(scratch)” cannot be written.") }
    }

    /// Imports a file, and returns the exit status and the text on standard error and standard output.
    mutating func run(_ request: ReplaySession.Import) -> (status: Int32, errors: String) {
        fflush(nil)
        let descriptors = [STDOUT_FILENO, STDERR_FILENO]
        let previous = descriptors.map { dup($0) }
        ftruncate(output, 0)
        lseek(output, 0, SEEK_SET)
        for descriptor in descriptors { dup2(output, descriptor) }
        let status = trials.status(
            importing: request.file, into: request.store, rejects: request.rejects, request.arguments)
        fflush(nil)
        for (descriptor, original) in zip(descriptors, previous) {
            dup2(original, descriptor)
            close(original)
        }
        let size = Int(lseek(output, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: max(0, size))
        let count = bytes.withUnsafeMutableBytes { pread(output, $0.baseAddress, $0.count, 0) }
        return (status, String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
    }
}
