import Foundation
import GRDBSQLite

extension StoreSnapshot {
    /// Where a run of rows with the same group value begins.
    package struct GroupStart {
        /// The group value as bytes that are equal only for the same value: the storage class and the raw bytes.
        ///
        /// Text is compared by its bytes as stored, because two texts that are not valid UTF-8 can become the same String.
        package let identity: [UInt8]
        /// The group value for people.
        package let key: StoredValue
        /// The value that names the group, if one was asked for.
        package let name: StoredValue?
        /// The primary key of the first row.
        package let firstKey: Int64
    }

    /// Goes through the rows in order, and tells where the group value changes.
    ///
    /// - Complexity: O(*n*) in the number of rows, some tens of nanoseconds each beyond what SQLite needs.
    package func scanGroups(
        beginGroup: (GroupStart) throws -> Void, row: (Int64) -> Void
    ) throws {
        let statement = try scanStatement()
        try statement.use { statement in
            let hasName = statement.columnCount > 2
            var previous = RawValue()
            var isFirst = true
            while try statement.step() {
                let key = statement.integer(0)
                if isFirst || !previous.isSame(as: statement, column: 1) {
                    isFirst = false
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

/// A column's value as raw bytes, kept to compare with the next row's.
private struct RawValue {
    private var storageClass: Int32 = 0
    private var number: UInt64 = 0
    private var bytes: [UInt8] = []

    /// Whether the current row has the same value.
    func isSame(as statement: SQLiteStatement, column: Int) -> Bool {
        guard statement.storageClass(column) == storageClass else { return false }
        switch storageClass {
        case SQLITE_INTEGER, SQLITE_FLOAT: return Self.number(statement, column, storageClass) == number
        case SQLITE_TEXT: return isEqual(statement.textBytes(column))
        case SQLITE_BLOB: return isEqual(statement.blobBytes(column))
        default: return true
        }
    }

    mutating func take(from statement: SQLiteStatement, column: Int) {
        storageClass = statement.storageClass(column)
        bytes.removeAll(keepingCapacity: true)
        switch storageClass {
        case SQLITE_INTEGER, SQLITE_FLOAT: number = Self.number(statement, column, storageClass)
        case SQLITE_TEXT: bytes.append(contentsOf: statement.textBytes(column))
        case SQLITE_BLOB: bytes.append(contentsOf: statement.blobBytes(column))
        default: number = 0
        }
    }

    /// One byte for the storage class, then the value.
    var identity: [UInt8] {
        let tag = UInt8(truncatingIfNeeded: storageClass)
        switch storageClass {
        case SQLITE_INTEGER, SQLITE_FLOAT:
            return [tag] + withUnsafeBytes(of: number.littleEndian) { Array($0) }
        case SQLITE_TEXT, SQLITE_BLOB: return [tag] + bytes
        default: return [tag]
        }
    }

    private static func number(_ statement: SQLiteStatement, _ column: Int, _ storageClass: Int32) -> UInt64 {
        guard storageClass == SQLITE_FLOAT else { return UInt64(bitPattern: statement.integer(column)) }
        guard case .real(let value) = statement.value(column) else { return 0 }
        // Minus zero and zero are one value to SQLite, and so one group.
        return value == 0 ? 0 : value.bitPattern
    }

    private func isEqual(_ other: UnsafeRawBufferPointer) -> Bool {
        guard other.count == bytes.count else { return false }
        guard let start = other.baseAddress else { return true }
        return bytes.withUnsafeBytes { memcmp($0.baseAddress ?? start, start, other.count) == 0 }
    }
}
