/// A failure of a tool that is not an error of one of the libraries.
package struct ToolFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// One or two sentences that name the problem, its location and the remedy.
    package let message: String

    /// Creates a failure.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}

/// A problem that a tool found in its input while it otherwise succeeded.
package struct ToolFinding: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description of the problem.
    package let message: String

    /// Creates a finding.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}

/// A defect of the software, not of the data or the request, that a tool detected while it ran.
package struct ToolDefect: Error, Hashable, Sendable, CustomStringConvertible {
    /// A complete description of the defect for a bug report.
    package let message: String

    /// Creates a defect.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}

/// A syntax error in a text on the command line, independent of the store.
package struct SyntaxFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description of the invalid part and of valid alternatives.
    package let message: String

    /// Creates a failure.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}
