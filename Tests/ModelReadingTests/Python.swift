import Foundation

/// Python 3 as an oracle: its module `plistlib` is an independent reader of property lists.
enum Python {
    /// The path of the interpreter, or nil if none is on the search path.
    static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    struct Failure: Error { let status: Int32 }

    /// Runs a program with one argument, and returns the lines that it prints.
    static func lines(_ program: String, _ argument: String) throws -> [String] {
        try ModelSamples.withFile(Data(program.utf8), named: "oracle.py") { script in
            let output = script.deletingLastPathComponent().appending(path: "output")
            try Data().write(to: output)
            let process = Process()
            process.executableURL = URL(filePath: path ?? "")
            process.arguments = [script.path, argument]
            // The output goes to a file, because a pipe could fill up.
            process.standardOutput = try FileHandle(forWritingTo: output)
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
            let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
            return text.split(separator: "\n").map(String.init)
        }
    }
}
