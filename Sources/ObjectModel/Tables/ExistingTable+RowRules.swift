extension ExistingTable {
    /// The rules of the program that owns a table, as far as the statements that write rows depend on them.
    package struct RowRules: Hashable, Sendable {
        /// The column that counts the changes of a row, from 1. A save compares it with the count that was
        /// read, and so detects every change of the row.
        package let versionColumn: String
        /// The column with the number of the row's entity.
        package let entityColumn: String
        /// The number of the entity.
        package let entityNumber: Int64
        /// The derived attributes, whose values the table's triggers compute. The library never writes them.
        package let computedAttributes: Set<String>
        /// Further attributes that the table's triggers write. A new row gets the object's value, and updates
        /// do not write them.
        package let triggeredAttributes: Set<String>
        /// The lists of properties whose combined values differ between all objects of the entity and its
        /// sub-entities. Unique indexes of the table enforce them.
        package let uniquenessConstraints: [[String]]

        /// Describes the rules of one entity's rows.
        package init(
            versionColumn: String, entityColumn: String, entityNumber: Int64,
            computedAttributes: Set<String> = [], triggeredAttributes: Set<String> = [],
            uniquenessConstraints: [[String]] = []
        ) {
            self.versionColumn = versionColumn
            self.entityColumn = entityColumn
            self.entityNumber = entityNumber
            self.computedAttributes = computedAttributes
            self.triggeredAttributes = triggeredAttributes
            self.uniquenessConstraints = uniquenessConstraints
        }

        /// Appends everything that determines the slots and the meaning of the rows.
        package func encode(into encoder: inout CanonicalEncoder) {
            encoder.append("rowRules")
            encoder.append(versionColumn)
            encoder.appendList(count: computedAttributes.count)
            for name in computedAttributes.sorted() { encoder.append(name) }
        }
    }
}

extension EntityDescription {
    /// The name of the slot that holds the number of changes of a row. No property can have this name.
    package static let versionSlotName = ".version"

    /// The rules of the program that owns the table; nil for a table without such rules.
    package var rowRules: ExistingTable.RowRules? { mapping?.table.rowRules }
}
