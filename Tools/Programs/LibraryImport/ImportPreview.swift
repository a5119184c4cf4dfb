import RecordReading
import ToolSupport

/// Examples of the changes that an import would make.
struct ImportPreview: Equatable {
    /// The number of examples of each kind.
    static let capacity = 10

    /// A value of a row.
    struct Field: Equatable {
        /// The name of the attribute or relationship.
        let name: String
        /// The value in the store, or nil for a new row.
        let old: JSONValue?
        /// The value after the import.
        let new: JSONValue

        init(_ name: String, old: JSONValue? = nil, new: JSONValue) {
            self.name = name
            self.old = old
            self.new = new
        }
    }

    /// A row that would be written.
    struct Row: Equatable {
        /// The line of the file on which the record begins.
        let line: Int
        /// The key of an existing row.
        let key: Field?
        /// The values of a new row, or the changes of an existing one.
        let fields: [Field]
    }

    /// A related object that would be created.
    struct Related: Equatable {
        let entity: String
        let name: String
    }

    private(set) var inserted: [Row] = []
    private(set) var updated: [Row] = []
    private(set) var related: [Related] = []
    private(set) var skipped: [RecordError] = []

    /// Whether there is room for another inserted row.
    var needsInserts: Bool { inserted.count < Self.capacity }
    /// Whether there is room for another updated row.
    var needsUpdates: Bool { updated.count < Self.capacity }

    /// Adds a new row.
    mutating func addInserted(line: Int, _ fields: [Field]) {
        if needsInserts { inserted.append(Row(line: line, key: nil, fields: fields)) }
    }

    /// Adds an existing row.
    mutating func addUpdated(line: Int, key: Field, _ changes: [Field]) {
        if needsUpdates { updated.append(Row(line: line, key: key, fields: changes)) }
    }

    /// Adds a related object.
    mutating func addRelated(_ entity: String, _ name: String) {
        if related.count < Self.capacity { related.append(Related(entity: entity, name: name)) }
    }

    /// Adds a bad record.
    mutating func add(_ error: RecordError) {
        if skipped.count < Self.capacity { skipped.append(error) }
    }

    /// Returns to earlier examples, but keeps the bad records, which stay counted.
    mutating func takeBack(to earlier: ImportPreview?) {
        guard var earlier else { return }
        earlier.skipped = skipped
        self = earlier
    }
}

extension ImportPreview {
    /// The examples, a line each.
    var lines: [String] {
        inserted.map { "insert, line \($0.line): \(Self.text($0.fields))" }
            + updated.map { row in
                "update, line \(row.line)\(row.key.map { ", \(Self.text([$0]))" } ?? ""): \(Self.text(row.fields))"
            }
            + related.map { "create \($0.entity) \(Self.text(.string($0.name)))" }
            + skipped.map { "skip, line \($0.line): \($0.cause)" }
    }

    /// The examples as JSON.
    var json: JSONValue {
        func row(_ row: Row) -> JSONValue {
            var members = [JSONValue.Member("line", .count(row.line))]
            if let key = row.key { members.append(.init("key", .object([.init(key.name, key.new)]))) }
            let fields = row.fields.map { field in
                JSONValue.Member(
                    field.name, field.old.map { ["old": $0, "new": field.new] } ?? field.new)
            }
            members.append(.init(row.key == nil ? "values" : "changes", .object(fields)))
            return .object(members)
        }
        return [
            "inserted": .array(inserted.map(row)), "updated": .array(updated.map(row)),
            "related": .array(related.map { ["entity": .string($0.entity), "name": .string($0.name)] }),
            "skipped": .array(
                skipped.map { error in
                    [
                        "line": .count(error.line), "column": error.column.map { .count($0) } ?? .null,
                        "name": .string(ifPresent: error.columnName),
                        "reason": .string(error.reason.description),
                    ]
                }),
        ]
    }

    private static func text(_ fields: [Field]) -> String {
        fields.map { field in
            "\(field.name) " + (field.old.map { text($0) + " → " } ?? "") + text(field.new)
        }.joined(separator: ", ")
    }

    /// Returns a value as text.
    static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "nil"
        case .string(let text): "“\(text.count > 60 ? text.prefix(60) + "…" : text)”"
        case .boolean(let value): value ? "true" : "false"
        case .integer(let number): String(number)
        case .number(let number): Int64(exactly: number).map(String.init) ?? number.description
        case .array: value.text
        case .object(let members):
            "(\(members.map { "\($0.name) \(text($0.value))" }.joined(separator: ", ")))"
        }
    }
}

extension RecordError {
    /// The cause of the error with its column, without the file and the line.
    var cause: String {
        let place = [column.map { "column \($0)" }, columnName.map { "(\($0))" }].compactMap(\.self)
        return place.isEmpty ? "\(reason)" : "\(place.joined(separator: " ")): \(reason)"
    }
}
