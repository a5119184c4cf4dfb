/// Why a tool could not do what was asked, when no module of the product says it: one or two sentences for
/// people.
package struct ToolFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What, where, and the remedy.
    package let message: String

    /// Makes a failure.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}

/// Something amiss that a tool found while it did what was asked.
package struct ToolFinding: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was found.
    package let message: String

    /// Makes a finding.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}

/// A promise of the product that was found broken while a tool ran: a defect of the software, not of the data
/// or the request.
package struct ToolDefect: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was found, in full, for whoever mends it.
    package let message: String

    /// Makes a defect.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}

/// A text on the command line that cannot be read, whatever the store holds.
package struct SyntaxFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What cannot be read and what could stand there instead.
    package let message: String

    /// Makes a failure.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}
