import CProcessStart

/// The arguments of the program.
package enum ProgramArguments {
    /// The program's name and its arguments.
    ///
    /// Swift reads them from `/proc`, which is not mounted in an empty root directory; there they come from
    /// the C library.
    package static let all: [String] = {
        guard CommandLine.arguments.isEmpty else { return CommandLine.arguments }
        return (0..<process_argument_count()).map { String(cString: process_argument($0)) }
    }()
}
