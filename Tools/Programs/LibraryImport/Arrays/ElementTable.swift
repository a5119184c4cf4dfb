import SectionedFetch
import ToolSupport

/// The table of the elements of an array in one transaction.
final class ElementTable {
    private let table: BatchTable
    private let attributeColumns: [Int]
    private let positionColumn: Int
    private let parentColumn: Int
    private let nested: [ElementTable]
    private let defaults: [StoredValue]
    private let writer: BatchWriter
    /// The relationships of elements of elements to their elements.
    private let owned: [(entity: String, relationship: String)]
    private var knownReferences: RowReferences?

    /// Compiles the statements of a transaction.
    init(_ array: Mapping.ArrayColumn, writer: BatchWriter) throws {
        let table = try writer.table(array.entity)
        func column(_ name: String) throws -> Int {
            guard let column = table.columns.firstIndex(of: name) else {
                throw ToolFailure("“\(array.entity)” has no property “\(name)”.")
            }
            return column
        }
        self.table = table
        self.writer = writer
        owned = array.nested.map { ($0.entity, $0.inverse) }
        attributeColumns = try array.attributes.map { try column($0.name) }
        positionColumn = try column(array.position)
        parentColumn = try column(array.inverse)
        nested = try array.nested.map { try ElementTable($0, writer: writer) }
        let attributes = table.entity.storedAttributes.map(\.defaultValue)
        defaults =
            attributes + [StoredValue](repeating: .null, count: table.columns.count - attributes.count)
    }

    /// This table and those of the elements' arrays.
    var tables: [BatchTable] { [table] + nested.flatMap(\.tables) }

    /// Checks the values of elements before anything is written.
    ///
    /// - Throws: `ObjectStorageError` for a value that the entity does not allow.
    func check(_ rows: [ElementRow]) throws(ObjectStorageError) {
        for (position, row) in rows.enumerated() {
            // Zero represents the row that the elements will belong to.
            try table.checkValues(values(of: row, position: position, parent: 0, from: nil))
            for (inner, rows) in zip(nested, row.nested) { try inner.check(rows) }
        }
    }

    /// Reads the elements of an array.
    ///
    /// - Parameter parent: The primary key of the row with the array.
    func stored(of parent: Int64) throws(ObjectStorageError) -> StoredElements {
        let rows = try table.rows(
            whereColumn: parentColumn, is: .integer(parent), orderedByColumn: positionColumn)
        var elements = StoredElements(rows: rows)
        guard !nested.isEmpty else { return elements }
        for row in rows {
            var inner: [StoredElements] = []
            for table in nested { inner.append(try table.stored(of: row.primaryKey)) }
            elements.nested.append(inner)
        }
        return elements
    }

    /// Checks that nothing uses the elements that a shorter array deletes.
    ///
    /// - Parameter column: The column of the array, for the message.
    /// - Throws: `ObjectStorageError` that names the element and its user.
    func checkRemovals(
        of stored: StoredElements, with rows: [ElementRow], at column: String
    ) throws(ObjectStorageError) {
        for (position, old) in stored.rows.enumerated() {
            let row = position < rows.count ? rows[position] : nil
            if row == nil, let user = try references().firstUser(of: old.primaryKey) {
                throw ObjectStorageError(
                    .invalidValue,
                    "“\(column)” does not have element \(position) of the store anymore, but “\(user)” uses it. Change that object first.",
                    entityName: table.entity.name)
            }
            for (number, inner) in nested.enumerated() {
                try inner.checkRemovals(
                    of: stored.nested[position][number], with: row?.nested[number] ?? [],
                    at: "\(column)[\(position)]")
            }
        }
    }

    private func references() throws(ObjectStorageError) -> RowReferences {
        if let knownReferences { return knownReferences }
        let references = try writer.references(toEntityNamed: table.entity.name, besides: owned)
        knownReferences = references
        return references
    }

    /// Replaces the elements of an array by others. Elements that are equal at the same position are not
    /// written.
    ///
    /// - Parameters:
    ///   - parent: The primary key of the row with the array.
    ///   - stored: The present elements.
    ///   - noteInserted: Called for each inserted element.
    /// - Returns: The numbers of elements that were written.
    func replace(
        of parent: Int64, _ stored: StoredElements, with rows: [ElementRow], noteInserted: (String) -> Void
    ) throws(ObjectStorageError) -> ElementChanges {
        var changes = ElementChanges()
        for (position, row) in rows.enumerated() {
            let old = position < stored.rows.count ? stored.rows[position] : nil
            let values = values(of: row, position: position, parent: parent, from: old?.values)
            let key: Int64
            if let old {
                key = old.primaryKey
                if try table.update(key, from: old.values, to: values) { changes.updated += 1 }
            } else {
                key = try table.insert(values)
                noteInserted(table.entity.name)
                changes.inserted += 1
            }
            for (number, inner) in nested.enumerated() {
                changes.add(
                    try inner.replace(
                        of: key, old == nil ? StoredElements() : stored.nested[position][number],
                        with: row.nested[number], noteInserted: noteInserted))
            }
        }
        for position in stored.rows.indices.dropFirst(rows.count).reversed() {
            let old = stored.rows[position]
            for (number, inner) in nested.enumerated() {
                changes.add(
                    try inner.replace(
                        of: old.primaryKey, stored.nested[position][number], with: [],
                        noteInserted: noteInserted))
            }
            try table.delete(old.primaryKey, old.values)
            changes.deleted += 1
        }
        return changes
    }

    private func values(
        of row: ElementRow, position: Int, parent: Int64, from old: [StoredValue]?
    ) -> [StoredValue] {
        // Attributes that the mapping does not have keep their values.
        var values = old ?? defaults
        for (column, value) in zip(attributeColumns, row.values) { values[column] = value }
        values[positionColumn] = .integer(Int64(position))
        values[parentColumn] = .integer(parent)
        return values
    }
}
