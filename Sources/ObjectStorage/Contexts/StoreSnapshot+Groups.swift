extension StoreSnapshot {
    /// Where a run of rows with the same group value begins.
    package struct GroupStart {
        /// The group value as bytes that are equal only for the same value: the storage class and the raw
        /// bytes.
        ///
        /// Text is compared by its bytes as stored, because two texts that are not valid UTF-8 can become the
        /// same String.
        package let identity: [UInt8]
        /// The group value for people.
        package let key: StoredValue
        /// The value that names the group, if one was asked for.
        package let name: StoredValue?
        /// The primary key of the first row.
        package let firstKey: Int64

        /// The identity of a group with a value.
        package static func identity(of value: StoredValue) -> [UInt8] { RawColumnValue.identity(of: value) }
    }

    /// Goes through the rows in order, and tells where the group value changes.
    ///
    /// - Complexity: O(*n*) in the number of rows, some tens of nanoseconds each beyond what SQLite needs.
    package func scanGroups(
        beginGroup: (GroupStart) throws -> Void, row: (Int64) -> Void
    ) throws {
        let statement = try scanStatement()
        let limits = StatementBudget.limits(of: database.connection)
        try statement.use { statement in
            let hasName = statement.columnCount > 2
            var previous = RawColumnValue()
            var isFirst = true
            while try statement.step() {
                let key = statement.integer(0)
                if isFirst || !previous.isSame(as: statement, column: 1) {
                    isFirst = false
                    try limits?.checkSection(statement, columns: 1..<statement.columnCount)
                    previous.take(from: statement, column: 1)
                    try beginGroup(
                        GroupStart(
                            identity: previous.identity, key: statement.value(1),
                            name: hasName ? statement.value(2) : nil, firstKey: key))
                }
                row(key)
            }
        }
    }

    /// Goes through the rows in order.
    package func scanKeys(row: (Int64) -> Void) throws {
        try scanStatement().use { statement in
            while try statement.step() { row(statement.integer(0)) }
        }
    }
}
