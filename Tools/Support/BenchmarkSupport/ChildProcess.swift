import Foundation

/// The result of a program that ran to its end.
package struct ChildProcess {
    /// The standard output of the program.
    package let output: [UInt8]
    /// The time from the start of the program to its end, in milliseconds.
    package let milliseconds: Double
    /// The processor time of the program, in milliseconds, without the time that it waited for a processor.
    package let processorMilliseconds: Double
    /// The peak memory that the system reports, in KiB. On Linux, not less than the peak of this process (see
    /// `Sample`).
    package let peakKiB: Int

    /// Runs a program and waits for its end.
    ///
    /// - Throws: ``BenchmarkError`` if the program cannot be started or ends with a status other than 0. Its
    ///   own messages are on standard error.
    package static func run(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        var pipe: [Int32] = [0, 0]
        guard Foundation.pipe(&pipe) == 0 else { throw failure("no pipe", errno) }
        defer { close(pipe[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
        posix_spawn_file_actions_addclose(&actions, pipe[0])
        posix_spawn_file_actions_addclose(&actions, pipe[1])
        defer { posix_spawn_file_actions_destroy(&actions) }
        var vector = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in vector { free(pointer) } }
        let start = ContinuousClock.now
        var child: pid_t = 0
        let status = posix_spawn(&child, program, &actions, nil, &vector, environ)
        close(pipe[1])
        guard status == 0 else { throw failure(program, status) }
        let output = readAll(pipe[0])
        var exitStatus: Int32 = 0
        var usage = rusage()
        while wait4(child, &exitStatus, 0, &usage) < 0 {
            guard errno == EINTR else { throw failure(program, errno) }
        }
        let parts = (ContinuousClock.now - start).components
        guard exitStatus == 0 else {
            throw BenchmarkError("failed: \(([program] + arguments).joined(separator: " "))")
        }
        return ChildProcess(
            output: output, milliseconds: Double(parts.seconds) * 1e3 + Double(parts.attoseconds) / 1e15,
            processorMilliseconds: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
            peakKiB: Int(usage.ru_maxrss))
    }

    private static func milliseconds(_ time: timeval) -> Double {
        Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count > 0 {
                output += piece[..<count]
            } else if count == 0 || errno != EINTR {
                return output
            }
        }
    }

    private static func failure(_ what: String, _ code: Int32) -> BenchmarkError {
        BenchmarkError("\(what): \(String(cString: strerror(code)))")
    }
}
