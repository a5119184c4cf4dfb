/// The lines above the first reference of a file, which are left out.
struct ReferencePreamble {
    /// The name of the format.
    let name: String
    /// The noun of a reference in the format.
    let unit: String
    /// The number of lines that are neither empty nor comments.
    private(set) var count = 0

    /// Creates the lines of a file.
    init(name: String, unit: String) {
        self.name = name
        self.unit = unit
    }

    /// Adds a line.
    mutating func add(_ line: [UInt8]) {
        guard let first = line.first(where: { !$0.isBlank }), first != UInt8(ascii: "%") else { return }
        count += 1
    }

    /// A sentence about the lines, or nil if there are none.
    var note: String? {
        guard count > 0 else { return nil }
        let lines = count == 1 ? "the line" : "the \(count) lines"
        return
            "The file is read as \(name), without \(lines) above its first \(unit). If it is another format, such as CSV, pass --delimiter."
    }
}
