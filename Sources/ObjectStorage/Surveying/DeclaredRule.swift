import ObjectModel

/// A rule or an index in the schema of a database that a model of the library does not express.
package struct DeclaredRule: Hashable, Sendable, CustomStringConvertible {
    /// The table to which the rule belongs.
    package let tableName: String
    /// The rule in words, with its name if it has one.
    package let description: String

    /// Describes a rule of a table.
    init(_ tableName: String, _ description: String) {
        self.tableName = tableName
        self.description = description
    }
}

extension DeclaredRule {
    /// Reads the triggers, checks, collations, generated columns and indexes that a schema declares. Unique
    /// indexes that a model can express as constraints are omitted, and so are the triggers of the library.
    ///
    /// - Returns: The rules in the order of the schema.
    static func all(in source: any StatementSource) throws -> [DeclaredRule] {
        let schema = try source.rows(
            "SELECT type, name, tbl_name, sql, rootpage FROM main.sqlite_schema ORDER BY rowid")
        return try schema.flatMap { row -> [DeclaredRule] in
            guard case .text(let type) = row[0], case .text(let name) = row[1],
                case .text(let tableName) = row[2], case .text(let sql) = row[3],
                !["sqlite_", "sc_"].contains(where: name.lowercased().hasPrefix)
            else { return [] }
            switch type {
            case "trigger": return [DeclaredRule(tableName, "trigger “\(name)”")]
            case "table" where row[4] != .integer(0):
                return try rules(ofTableNamed: name, sql, in: source)
            default: return []
            }
        }
    }

    private static func rules(
        ofTableNamed table: String, _ sql: String, in source: any StatementSource
    ) throws -> [DeclaredRule] {
        let words = SQLWords.words(of: sql)
        var rules: [String] = []
        let checks = words.count { $0 == .keyword("CHECK") }
        if checks > 0 { rules.append(checks == 1 ? "a CHECK constraint" : "\(checks) CHECK constraints") }
        let collations = zip(words, words.dropFirst()).compactMap { word, next in
            word == .keyword("COLLATE") && next.text.uppercased() != "BINARY" ? next.text.uppercased() : nil
        }
        rules += Set(collations).sorted().map { "the collation \($0) of a column" }
        for row in try source.rows("PRAGMA main.table_xinfo(\(table.quotedIdentifier))") {
            guard case .text(let column) = row[1], [.integer(2), .integer(3)].contains(row[6]) else {
                continue
            }
            rules.append("the expression of the generated column “\(column)”")
        }
        // SQLite lists the last index of a table first.
        let indexes = try source.rows("PRAGMA main.index_list(\(table.quotedIdentifier))").reversed()
        rules += try indexes.compactMap { try index($0, in: source) }
        return rules.map { DeclaredRule(table, $0) }
    }

    /// Returns the description of an index; nil for one that a model can express.
    private static func index(_ row: [StoredValue], in source: any StatementSource) throws -> String? {
        guard case .text(let name) = row[1] else { return nil }
        let (isUnique, isPartial) = (row[2] == .integer(1), row[4] == .integer(1))
        var parts: [String] = []
        var isPlain = !isPartial
        for column in try source.rows("PRAGMA main.index_xinfo(\(name.quotedIdentifier))")
        where column[5] == .integer(1) {
            var part = "an expression"
            if case .text(let name) = column[2] { part = name } else { isPlain = false }
            if case .text(let collation) = column[4], collation.uppercased() != "BINARY" {
                part += " COLLATE \(collation.uppercased())"
                isPlain = false
            }
            parts.append(part)
        }
        guard !isUnique || !isPlain else { return nil }
        // An index of a constraint has no name of its own.
        let subject =
            row[3] == .text("c")
            ? "\(isUnique ? "unique index" : "index") “\(name)” of" : "uniqueness constraint of"
        return "\(subject) \(parts.joined(separator: ", "))\(isPartial ? ", with a condition" : "")"
    }
}

/// The words of a statement outside of comments.
private enum SQLWords {
    enum Word: Equatable {
        /// A word without quotation marks, in upper case.
        case keyword(String)
        /// A name or text in quotation marks.
        case quoted(String)

        var text: String {
            switch self {
            case .keyword(let text), .quoted(let text): text
            }
        }
    }

    /// The marks that end a quotation, by the marks that begin it.
    private static let marks: [Unicode.Scalar: Unicode.Scalar] = ["'": "'", "\"": "\"", "`": "`", "[": "]"]

    /// Returns the words in order. A doubled quotation mark ends a word and begins the next one, which does
    /// not affect the words after it.
    static func words(of sql: String) -> [Word] {
        var words: [Word] = []
        var rest = sql.unicodeScalars[...]
        func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || scalar == "$" || scalar.value >= 0x80 || scalar.properties.isAlphabetic
                || ("0"..."9").contains(scalar)
        }
        while let first = rest.first {
            if rest.starts(with: "--".unicodeScalars) {
                rest = rest.drop { $0 != "\n" }
            } else if rest.starts(with: "/*".unicodeScalars) {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.starts(with: "*/".unicodeScalars) { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
            } else if let end = marks[first] {
                rest = rest.dropFirst()
                let word = rest.prefix { $0 != end }
                words.append(.quoted(String(word)))
                rest = rest[word.endIndex...].dropFirst()
            } else if isOfWord(first) {
                let word = rest.prefix(while: isOfWord)
                words.append(.keyword(String(word).uppercased()))
                rest = rest[word.endIndex...]
            } else {
                rest = rest.dropFirst()
            }
        }
        return words
    }
}
