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
        /// For each column of the table that an attribute of the mapping gives, the position of its value in
        /// a row of a chunk.
        private let attributePlaces: [(column: Int, place: Int)]
        /// The same for columns that relationships give.
        let relationshipPlaces: [(column: Int, place: Int)]
        let keyColumn: Int?
        /// The number of values in a row of a chunk.
        let width: Int
        /// Whether rows are inserted in groups: where each is a new one and nothing has to be looked up for it.
        var isGrouping: Bool
        /// The rows of the chunk in hand that are in the group and not inserted yet.
        var grouped: [Int] = []
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
            let places = main.columns.enumerated().compactMap { column, name in
                names.firstIndex(of: name).map { (column: column, place: $0) }
            }
            attributePlaces = places.filter { $0.place < mapping.attributes.count }
            relationshipPlaces = places.filter { $0.place >= mapping.attributes.count }
            keyColumn = mapping.key.flatMap { main.columns.firstIndex(of: $0) }
            width = names.count
            isGrouping =
                if keyColumn == nil, mapping.relationships.isEmpty { try main.beginGroups() } else { false }
            row = main.entity.storedAttributes.map(\.defaultValue)
            row += [StoredValue](repeating: .null, count: main.columns.count - row.count)
        }

        /// Takes the values of the attributes into the row in hand.
        ///
        /// - Parameter start: The position of the first value of a row of the chunk.
        func takeAttributes(of chunk: RowChunk, at start: Int) {
            row.withUnsafeMutableBufferPointer { row in
                for (column, place) in attributePlaces { row[column] = chunk.values[start + place] }
            }
        }
    }
}
