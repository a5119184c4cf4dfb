import ArgumentParser
import ToolSupport

/// How every subcommand prints what it found or did.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    /// Prints the one or the other.
    func print(_ value: @autoclosure () -> JSONValue, orText text: @autoclosure () -> [String])
        throws(ToolFailure)
    {
        var output = StandardOutput()
        if json {
            output.write(value().text)
        } else {
            for line in text() { output.write(line + "\n") }
        }
        try output.finish()
    }
}
