extension StoreSnapshot {
    /// The beginning of a run of rows with equal group values.
    package struct GroupStart {
        /// The group value as bytes: its storage class and its raw bytes. They are equal only for equal
        /// values.
        ///
        /// Text is compared by its stored bytes, because two texts that are not valid UTF-8 can be converted
        /// to the same `String`.
        package let identity: [UInt8]
        /// The group value for display.
        package let key: StoredValue
        /// The value that names the group, if requested.
        package let name: StoredValue?
        /// The primary key of the first row.
        package let firstKey: Int64

        /// Returns the identity of a group with a value.
        package static func identity(of value: StoredValue) -> [UInt8] { RawColumnValue.identity(of: value) }
    }

    /// Steps through the rows in order, and reports each change of the group value.
    ///
    /// - Complexity: O(*n*) in the number of rows; tens of nanoseconds for each row in addition to SQLite's
    ///   own time.
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

    /// Steps through the rows in order, and reports their keys.
    package func scanKeys(row: (Int64) -> Void) throws {
        try scanStatement().use { statement in
            while try statement.step() { row(statement.integer(0)) }
        }
    }
}
