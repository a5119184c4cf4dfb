import Foundation

/// What keeps the benchmark from going on.
package struct BenchmarkError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Lines about what is going on, apart from the results.
package enum Progress {
    package static func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
