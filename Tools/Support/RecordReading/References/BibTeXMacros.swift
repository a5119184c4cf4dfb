/// The macros of `@string` in a BibTeX file, which all its entries share.
final class BibTeXMacros {
    /// The texts of the macros above the current position, by their names in lowercase.
    private(set) var texts: [[UInt8]: [UInt8]] = [:]
    private var size = 0
    private var search: (() -> [[UInt8]: Definition])?
    private var found: [[UInt8]: Definition] = [:]

    /// A text with the line of its definition.
    struct Definition {
        let text: [UInt8]
        let line: Int
    }

    /// The names of the months, which need no definition.
    static let months = Set(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].map {
            Array($0.utf8)
        })

    /// The largest size of all macros, in bytes.
    static let maximumSize = 4 << 20

    /// Creates the macros of a file.
    ///
    /// - Parameter search: Returns the definitions in the whole file. It is called once, for the first name
    ///   that is not defined.
    init(search: (() -> [[UInt8]: Definition])? = nil) { self.search = search }

    /// Adds a macro, and returns false if all of them have become too large.
    func define(_ name: [UInt8], _ text: [UInt8]) -> Bool {
        size += name.count + text.count
        guard size <= Self.maximumSize else { return false }
        texts[name] = text
        return true
    }

    /// Returns the definition, below the current position, of a macro that is not defined above it.
    func laterDefinition(_ name: [UInt8]) -> Definition? {
        guard !Self.months.contains(name) else { return nil }
        if let search {
            self.search = nil
            found = search()
        }
        return found[name]
    }

    /// Returns the definitions of the macros whose names are values in an entry, so that the entry can be
    /// read alone.
    func definitions(for entry: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var names: Set<[UInt8]> = []
        var place = entry.startIndex
        while place < entry.endIndex {
            let sign = entry[place]
            place += 1
            guard sign == UInt8(ascii: "=") || sign == UInt8(ascii: "#") else { continue }
            let name = BibTeXEntryParser.name(in: entry[place...].drop(while: \.isBlank))
            guard let first = name.first, !first.isDigit, names.insert(name).inserted,
                let text = texts[name] ?? laterDefinition(name)?.text
            else { continue }
            result += Array("@string{".utf8) + name + Array(" = {".utf8) + text + Array("}}\n".utf8)
        }
        return result
    }
}
