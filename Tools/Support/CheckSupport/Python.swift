package import Foundation

/// Python 3 as an oracle: its modules are independent implementations in another language.
package enum Python {
    /// The path of the interpreter, or nil if none is on the search path.
    package static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":").map { "\($0)/python3" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A failure of a program, or of starting it.
    package struct Failure: Error, CustomStringConvertible {
        /// The reason.
        package let description: String
    }

    /// Runs a program, and returns the bytes that it prints.
    ///
    /// - Parameters:
    ///   - program: The source of the program.
    ///   - arguments: The arguments, from `sys.argv[1]`.
    /// - Throws: ``Failure`` without an interpreter, or if the program does not succeed.
    package static func output(of program: String, _ arguments: [String]) throws -> Data {
        guard let path else { throw Failure(description: "python3 is not on the search path") }
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (script, output) = (directory.file("oracle.py"), directory.file("output"))
        try Data(program.utf8).write(to: script)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = [script.path] + arguments
        // The output goes to a file, because a pipe could fill up.
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "python3 ended with \(process.terminationStatus)")
        }
        return try Data(contentsOf: output)
    }

    /// Runs a program, and returns the lines that it prints.
    ///
    /// - Parameters:
    ///   - program: The source of the program.
    ///   - arguments: The arguments, from `sys.argv[1]`.
    /// - Throws: ``Failure`` without an interpreter, or if the program does not succeed.
    package static func lines(of program: String, _ arguments: String...) throws -> [String] {
        let text = String(decoding: try output(of: program, arguments), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
