import CheckSupport

extension Python {
    /// Runs a program on texts.
    ///
    /// - Parameters:
    ///   - program: The program, which reads the texts from the list of bytes `inputs`, and prints one line
    ///     for each text.
    ///   - inputs: The texts.
    /// - Returns: The lines that were printed.
    static func run(_ program: String, on inputs: [[UInt8]]) throws -> [String] {
        let file = try TemporaryFile(inputs.map { hexadecimal($0) + "\n" }.joined())
        defer { withExtendedLifetime(file) {} }
        return try lines(
            of: """
                import sys
                inputs = [bytes.fromhex(line.rstrip("\\n")) for line in open(sys.argv[1])]
                \(program)
                """, file.path)
    }

    /// Returns the bytes as two hexadecimal digits each.
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
