import Foundation

/// Python 3 as an oracle: its csv and json modules are independent implementations in another language.
enum Python {
    /// The path of the interpreter, or nil if none is on the search path.
    static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isMissing: Bool { path == nil }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program on texts.
    ///
    /// - Parameters:
    ///   - program: The program, which reads the texts from the list of bytes `inputs`, and prints one line
    ///     for each text.
    ///   - inputs: The texts.
    /// - Returns: The lines that were printed.
    static func run(_ program: String, on inputs: [[UInt8]]) throws -> [String] {
        let file = try TemporaryFile(inputs.map { hexadecimal($0) + "\n" }.joined())
        let output = try TemporaryFile([] as [UInt8], name: "output")
        let script = try TemporaryFile(
            """
            import sys
            inputs = [bytes.fromhex(line.rstrip("\\n")) for line in open(sys.argv[1])]
            \(program)
            """, name: "oracle.py")
        let process = Process()
        process.executableURL = URL(filePath: path!)
        process.arguments = [script.path, file.path]
        // The output goes to a file, because a pipe could fill up.
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output.path))
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "python3 ended with \(process.terminationStatus)")
        }
        let text = String(decoding: try Data(contentsOf: URL(filePath: output.path)), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Returns the bytes as two hexadecimal digits each.
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
