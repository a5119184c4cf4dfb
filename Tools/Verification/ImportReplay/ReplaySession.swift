import CheckSupport
import Foundation
import ToolSupport

/// A conversation with the oracle, a program in Python, which decides which files are imported.
///
/// The oracle writes one JSON object for each request in a line, and reads the answer in a line.
struct ReplaySession {
    /// The paths and options of an import.
    struct Import: Decodable {
        let file: String
        let store: String
        let rejects: String
        let arguments: [String]
    }

    /// A request of the oracle.
    private struct Request: Decodable {
        /// An import to run.
        var run: Import?
        /// A line for the user.
        var say: String?
        /// The summary at the end.
        var done: String?
        /// The number of files that differ, at the end.
        var failures: Int?
    }

    private struct Answer: Encodable {
        let status: Int32
        let errors: String
    }

    private let kept: String

    /// Creates a session.
    ///
    /// - Parameter directory: The directory in which files that differ are kept.
    init(keptIn directory: String) { kept = directory }

    /// Runs the oracle to its end.
    ///
    /// - Throws: ``ToolFinding`` if a store differs, and ``ToolFailure`` if the oracle fails.
    func run(_ arguments: [String]) throws {
        guard let python = Python.path else {
            throw ToolFailure("python3 is not on the search path, and the oracle needs it. Install Python 3.")
        }
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let program = directory.file("oracle.py")
        try Data(
            PackageResources.tables_py + PackageResources.types_py + PackageResources.stores_py
                + PackageResources.files_py + PackageResources.replay_py
        ).write(to: program)
        let (requests, answers) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = [program.path, directory.path, kept] + arguments
        process.standardOutput = requests
        process.standardInput = answers
        try process.run()
        defer {
            try? answers.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        var lines = LineReader(requests.fileHandleForReading.fileDescriptor)
        var imports = try ImportRunner(scratch: directory.file("output").path)
        while let line = lines.next() {
            let request = try JSONDecoder().decode(Request.self, from: Data(line))
            if let text = request.say {
                print(text)
                fflush(nil)
            } else if let request = request.run {
                let (status, errors) = imports.run(request)
                if let signal = Interruption.signal { throw ToolFailure("Ended by signal \(signal).") }
                var answer = try JSONEncoder().encode(Answer(status: status, errors: errors))
                answer.append(0x0A)
                try answers.fileHandleForWriting.write(contentsOf: answer)
            } else if let summary = request.done {
                print(summary)
                if let failures = request.failures, failures > 0 {
                    throw ToolFinding(
                        "Python reads other contents in \(Quantity.count(failures, "file")).")
                }
                return
            }
        }
        throw ToolFailure("The oracle ended too early; its error is above.")
    }
}

/// The lines that are read from a file descriptor.
private struct LineReader {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Returns the next line without its end, or nil at the end.
    mutating func next() -> ArraySlice<UInt8>? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = buffer[..<end]
                buffer = Array(buffer[(end + 1)...])
                return line
            }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }
}
