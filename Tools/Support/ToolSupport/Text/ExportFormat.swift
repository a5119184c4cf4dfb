import ArgumentParser

/// The formats in which rows are written as data.
package enum ExportFormat: String, CaseIterable, Codable, Sendable, ExpressibleByArgument {
    /// Fields with commas between them.
    case csv
    /// Fields with tabs between them.
    case tsv
    /// An array of objects.
    case json
    /// An object in each line.
    case jsonl

    /// The delimiter of a format of lines of fields; nil for JSON.
    package var delimiter: Character? {
        switch self {
        case .csv: ","
        case .tsv: "\t"
        case .json, .jsonl: nil
        }
    }
}
