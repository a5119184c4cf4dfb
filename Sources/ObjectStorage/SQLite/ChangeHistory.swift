/// A history of committed changes that another program keeps in its store, such as Core Data's persistent
/// history.
///
/// The history lists the rows that each of its transactions changed. It contains nothing about programs that
/// write to the store without recording their changes.
package struct ChangeHistory: Sendable {
    /// A state of the store in which a transaction of the history was the last.
    struct Position: Hashable, Sendable {
        /// SQLite's version of the schema.
        let schemaVersion: Int64
        /// The key of the transaction.
        let transaction: Int64
        /// The time of the transaction, as the bits of its seconds. A store that was restored may have given
        /// the same key to another transaction.
        let time: UInt64
    }

    /// The version of the schema to which the description applies.
    let schemaVersion: Int64
    let lastTransactionSQL: String
    let transactionSQL: String
    let changesSQL: String
    let entityNames: [Int64: String]
    let unlistedEntityNames: Set<String>

    /// Describes a history by the statements that read it.
    ///
    /// - Parameters:
    ///   - schemaVersion: SQLite's version of the schema. Under another version, nothing is read.
    ///   - lastTransactionSQL: Selects the key and the time of the last transaction.
    ///   - transactionSQL: Selects the time of the transaction with the key `?1`.
    ///   - changesSQL: Selects up to `?2` changes of the transactions after the key `?1`: the number of the
    ///     entity, the key of the row, and 0 for an insertion.
    ///   - entityNames: The entities by their numbers. Changes of other entities are ignored.
    ///   - unlistedEntityNames: The entities whose rows are changed by triggers. The history may not list
    ///     these changes.
    package init(
        schemaVersion: Int64, lastTransactionSQL: String, transactionSQL: String, changesSQL: String,
        entityNames: [Int64: String], unlistedEntityNames: Set<String>
    ) {
        self.schemaVersion = schemaVersion
        self.lastTransactionSQL = lastTransactionSQL
        self.transactionSQL = transactionSQL
        self.changesSQL = changesSQL
        self.entityNames = entityNames
        self.unlistedEntityNames = unlistedEntityNames
    }
}

extension ChangeHistory.Position {
    /// The position as the state of a dependency.
    var bytes: [UInt8] {
        [UInt64(bitPattern: schemaVersion), UInt64(bitPattern: transaction), time].flatMap { number in
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
    }

    /// Creates the position from the state of a dependency; nil for other bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 24 else { return nil }
        let numbers = [0, 8, 16].map { start in
            bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        (schemaVersion, transaction) = (Int64(bitPattern: numbers[0]), Int64(bitPattern: numbers[1]))
        time = numbers[2]
    }
}
