import SectionedFetch
import ToolSupport

extension Importer {
    /// A related object that a row names and that the store does not have yet.
    struct NewMember {
        /// The column of the row that refers to the object.
        let column: Int
        /// The position of the relationship in the mapping.
        let relationship: Int
        let name: String
        /// The object's key, once it exists.
        var key: Int64 = 0
        /// Whether this row inserted the object.
        var isMade = false
    }

    /// The tables of one transaction, and the source of each of their values.
    final class Tables {
        let writer: BatchWriter
        let main: BatchTable
        let related: [BatchTable]
        /// For each related table, the column by which its objects are looked up.
        let relatedAttributes: [Int]
        /// For each column of the main table that comes from an attribute of the mapping, the position of
        /// its value in a row of a chunk.
        let attributePositions: [(column: Int, position: Int)]
        /// For each column of the main table that comes from a relationship of the mapping, the position of
        /// the related object's name in a row of a chunk.
        let relationshipPositions: [(column: Int, position: Int)]
        let keyColumn: Int?
        /// The tables of the elements of arrays.
        let elements: [ElementTable]
        /// The columns of the main table that come from no column of the file.
        let otherColumns: [Int]
        /// The values of a new row without values of the file.
        let defaults: [StoredValue]
        /// The number of values in a row of a chunk.
        let width: Int
        /// Whether rows are inserted in groups, without looking up their keys: a row whose key the table has
        /// is refused with its group.
        var isGrouping: Bool
        /// The rows of the current chunk that are in the group and not inserted yet.
        var grouped: [Int] = []
        /// The current row. Columns that do not come from the file have their default values.
        var row: [StoredValue]

        /// Compiles the statements of a transaction.
        ///
        /// - Parameter expectsNewRows: Whether nearly all rows are expected to have keys that the table does
        ///   not have. Nil expects them for an empty table.
        init(
            _ mapping: Mapping, writer: BatchWriter, expectedRows: Int, expectsNewRows: Bool?
        ) throws {
            self.writer = writer
            let main = try writer.table(mapping.entity, expectedRows: expectedRows)
            self.main = main
            related = try mapping.relationships.map { try writer.table($0.entity) }
            relatedAttributes = try zip(mapping.relationships, related).map { relationship, table in
                guard let column = table.columns.firstIndex(of: relationship.attribute) else {
                    throw ToolFailure(
                        "“\(relationship.entity)” has no attribute “\(relationship.attribute)”.")
                }
                return column
            }
            let names = mapping.attributes.map(\.name) + mapping.relationships.map(\.name)
            let positions = main.columns.enumerated().compactMap { column, name in
                names.firstIndex(of: name).map { (column: column, position: $0) }
            }
            attributePositions = positions.filter { $0.position < mapping.attributes.count }
            relationshipPositions = positions.filter { $0.position >= mapping.attributes.count }
            keyColumn = mapping.key.flatMap { main.columns.firstIndex(of: $0) }
            width = mapping.width
            elements = try mapping.arrayColumns.map { try ElementTable($0, writer: writer) }
            otherColumns = main.columns.indices.filter { !names.contains(main.columns[$0]) }
            isGrouping =
                if mapping.arrayColumns.isEmpty, try keyColumn == nil || expectsNewRows ?? main.isEmpty() {
                    try main.beginGroups(refusingRepeatedValuesOf: keyColumn)
                } else { false }
            let attributes = main.entity.storedAttributes.map(\.defaultValue)
            defaults =
                attributes + [StoredValue](repeating: .null, count: main.columns.count - attributes.count)
            row = defaults
        }

        /// Copies the values of the attributes into the current row.
        ///
        /// - Parameter start: The position of the first value of a row of the chunk.
        func takeAttributes(of chunk: RowChunk, at start: Int) {
            row.withUnsafeMutableBufferPointer { row in
                for (column, position) in attributePositions {
                    row[column] = chunk.values[start + position]
                }
            }
        }
    }
}
