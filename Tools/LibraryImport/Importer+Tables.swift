import SectionedFetch
import ToolSupport

extension Importer {
    /// A related object that a row names and that is not there yet.
    struct Newcomer {
        /// The column of the row that will have its key.
        let column: Int
        /// The position of the relationship in the mapping.
        let relationship: Int
        let name: String
        /// Its key, once it is there.
        var key: Int64 = 0
        /// Whether the row has made it.
        var isMade = false
    }

    /// The tables of one transaction, and where each of their values comes from.
    final class Tables {
        let main: BatchTable
        let related: [BatchTable]
        /// For each of these the column by which its objects are found.
        let relatedAttributes: [Int]
        /// For each column of the table, the position of its value in a row of a chunk; nil for those that
        /// have none.
        let places: [Int?]
        let keyColumn: Int?
        /// The number of values in a row of a chunk.
        let width: Int
        /// The row in hand: what no column of the file gives has its default.
        var row: [StoredValue]

        init(_ mapping: Mapping, writer: BatchWriter, expectedRows: Int) throws {
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
            places = main.columns.map { names.firstIndex(of: $0) }
            keyColumn = mapping.key.flatMap { main.columns.firstIndex(of: $0) }
            width = names.count
            row = main.entity.storedAttributes.map(\.defaultValue)
            row += [StoredValue](repeating: .null, count: main.columns.count - row.count)
        }
    }
}
