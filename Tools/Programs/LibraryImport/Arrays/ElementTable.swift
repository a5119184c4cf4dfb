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
            // Zero stands for the row that the elements will belong to.
            try table.checkValues(values(of: row, position: position, parent: 0, from: nil))
            for (inner, rows) in zip(nested, row.nested) { try inner.check(rows) }
        }
    }

    /// Replaces the elements of an array by others. Elements that are equal at the same position are not
    /// written.
    ///
    /// - Parameters:
    ///   - parent: The primary key of the row with the array.
    ///   - isNew: Whether the row was just inserted, and has no elements.
    ///   - noteInserted: Called for each inserted element.
    /// - Returns: Whether anything was written.
    func replace(
        of parent: Int64, isNew: Bool, with rows: [ElementRow], noteInserted: (String) -> Void
    ) throws(ObjectStorageError) -> Bool {
        let known =
            isNew
            ? []
            : try table.rows(
                whereColumn: parentColumn, is: .integer(parent), orderedByColumn: positionColumn)
        var isChanged = false
        for (position, row) in rows.enumerated() {
            let old = position < known.count ? known[position] : nil
            let values = values(of: row, position: position, parent: parent, from: old?.values)
            let key: Int64
            if let old {
                key = old.primaryKey
                if try table.update(key, from: old.values, to: values) { isChanged = true }
            } else {
                key = try table.insert(values)
                noteInserted(table.entity.name)
                isChanged = true
            }
            for (inner, rows) in zip(nested, row.nested)
            where try inner.replace(of: key, isNew: old == nil, with: rows, noteInserted: noteInserted) {
                isChanged = true
            }
        }
        for old in known.dropFirst(rows.count).reversed() {
            for inner in nested {
                _ = try inner.replace(of: old.primaryKey, isNew: false, with: [], noteInserted: noteInserted)
            }
            try table.delete(old.primaryKey, old.values)
            isChanged = true
        }
        return isChanged
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
