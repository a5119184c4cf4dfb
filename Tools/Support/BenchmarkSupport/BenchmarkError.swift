import Foundation

/// An error that ends a benchmark.
package struct BenchmarkError: Error, CustomStringConvertible {
    /// A description of the error.
    package let description: String

    /// Creates an error.
    package init(_ description: String) { self.description = description }
}

/// Progress messages, which are written to standard error, apart from the results.
package enum Progress {
    /// Writes a line to standard error.
    package static func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
