import Foundation

/// The machine and the versions, which `Tools/benchmark` writes as lines of a name, a tab and a value.
struct MachineDescription {
    /// The names and values in the order of the file.
    let entries: [(name: String, value: String)]
    /// The names without a value.
    let missing: [String]

    static let file = "machine.txt"
    /// The names that every report has.
    private static let required = [
        "processor", "cores", "memory", "kernel", "file system", "Swift", "SQLite", "LMDB", "GRDB", "commit",
        "date",
    ]

    /// Reads the file of a directory.
    init(directory: URL) {
        let text = (try? String(contentsOf: directory.appending(path: Self.file), encoding: .utf8)) ?? ""
        let entries = text.split(separator: "\n").compactMap { line -> (name: String, value: String)? in
            let parts = line.split(separator: "\t", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        self.entries = entries
        missing = Self.required.filter { name in !entries.contains { $0.name == name } }
    }

    subscript(name: String) -> String? { entries.first { $0.name == name }?.value }
}
