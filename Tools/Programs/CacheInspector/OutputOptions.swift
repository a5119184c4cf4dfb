import ArgumentParser
import ToolSupport

/// The output options of every subcommand.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    /// Prints the JSON value or the lines of text, as the options select.
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
