extension StandardOutput {
    /// Prints a report as JSON or as lines of text.
    ///
    /// - Throws: ``ToolFailure`` if the output cannot be written, and the errors of the closures.
    package static func print(
        asJSON: Bool, _ json: @autoclosure () throws -> JSONValue, lines: @autoclosure () throws -> [String]
    ) throws {
        var output = StandardOutput()
        if asJSON {
            output.write(try json().text)
        } else {
            for line in try lines() { output.write(TerminalText.escaped(line) + "\n") }
        }
        try output.finish()
    }
}
