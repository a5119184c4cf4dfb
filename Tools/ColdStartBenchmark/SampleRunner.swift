import Foundation

/// What one process answered and took.
struct Sample: Decodable {
    /// Nanoseconds inside the process, from before the store is opened until the first rows are readable.
    let nanoseconds: Double
    let sections: Int
    let rows: Int
    let digest: String
    let peakKiB: Int
    /// Milliseconds from starting the process to its end.
    var wholeMilliseconds: Double = 0

    enum CodingKeys: String, CodingKey { case nanoseconds, sections, rows, digest, peakKiB }

    /// Milliseconds inside the process.
    var milliseconds: Double { nanoseconds / 1e6 }
}

/// Runs a program once and reads the line that it prints.
enum SampleRunner {
    static func run(_ program: String, _ arguments: [String]) throws -> Sample {
        let (output, milliseconds) = try output(of: program, arguments)
        guard var sample = try? JSONDecoder().decode(Sample.self, from: Data(output)) else {
            throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) printed no sample.")
        }
        sample.wholeMilliseconds = milliseconds
        return sample
    }

    /// Runs a program to its end and gives what it printed, and the milliseconds.
    static func output(of program: String, _ arguments: [String]) throws -> (
        bytes: [UInt8], milliseconds: Double
    ) {
        var pipe: [Int32] = [0, 0]
        guard Foundation.pipe(&pipe) == 0 else {
            throw BenchmarkError("no pipe: \(String(cString: strerror(errno)))")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
        posix_spawn_file_actions_addclose(&actions, pipe[0])
        defer { posix_spawn_file_actions_destroy(&actions) }
        var vector = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in vector { free(pointer) } }
        let start = ContinuousClock.now
        var child: pid_t = 0
        let status = posix_spawn(&child, program, &actions, nil, &vector, environ)
        close(pipe[1])
        defer { close(pipe[0]) }
        guard status == 0 else { throw BenchmarkError("\(program): \(String(cString: strerror(status)))") }
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(pipe[0], &piece, piece.count)
            if count > 0 { output += piece[..<count] } else if count == 0 || errno != EINTR { break }
        }
        var exitStatus: Int32 = 0
        while waitpid(child, &exitStatus, 0) < 0, errno == EINTR {}
        let parts = (ContinuousClock.now - start).components
        guard exitStatus == 0 else {
            throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) failed.")
        }
        return (output, Double(parts.seconds) * 1e3 + Double(parts.attoseconds) / 1e15)
    }
}
