import Foundation
import GRDBSQLite
import Mutants

/// A column's value as raw bytes, for comparison with the next row's value.
struct RawColumnValue {
    private var storageClass: Int32 = 0
    private var number: UInt64 = 0
    private var bytes: [UInt8] = []

    /// Returns whether the current row has the same value.
    func isSame(as statement: SQLiteStatement, column: Int) -> Bool {
        guard statement.storageClass(column) == storageClass else { return false }
        switch storageClass {
        case SQLITE_INTEGER, SQLITE_FLOAT: return Self.number(statement, column, storageClass) == number
        case SQLITE_TEXT where Mutant.repairedSectionKey.isPlanted:
            return bytes.elementsEqual(String(decoding: statement.textBytes(column), as: UTF8.self).utf8)
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
        case SQLITE_TEXT where Mutant.repairedSectionKey.isPlanted:
            bytes += String(decoding: statement.textBytes(column), as: UTF8.self).utf8
        case SQLITE_TEXT: bytes.append(contentsOf: statement.textBytes(column))
        case SQLITE_BLOB: bytes.append(contentsOf: statement.blobBytes(column))
        default: number = 0
        }
    }

    /// The bytes that identify the value: one byte for the storage class, then the value.
    var identity: [UInt8] {
        let tag = UInt8(truncatingIfNeeded: storageClass)
        switch storageClass {
        case SQLITE_INTEGER, SQLITE_FLOAT:
            return [tag] + withUnsafeBytes(of: number.littleEndian) { Array($0) }
        case SQLITE_TEXT, SQLITE_BLOB: return [tag] + bytes
        default: return [tag]
        }
    }

    /// Returns the identity of a group with a value.
    static func identity(of value: StoredValue) -> [UInt8] {
        var raw = RawColumnValue()
        switch value {
        case .null: raw.storageClass = SQLITE_NULL
        case .integer(let number):
            raw.storageClass = SQLITE_INTEGER
            raw.number = UInt64(bitPattern: number)
        case .real(let number):
            raw.storageClass = SQLITE_FLOAT
            raw.number = number == 0 ? 0 : number.bitPattern
        case .text(let text):
            raw.storageClass = SQLITE_TEXT
            raw.bytes = Array(text.utf8)
        case .blob(let bytes):
            raw.storageClass = SQLITE_BLOB
            raw.bytes = bytes
        }
        return raw.identity
    }

    private static func number(_ statement: SQLiteStatement, _ column: Int, _ storageClass: Int32) -> UInt64 {
        guard storageClass == SQLITE_FLOAT else { return UInt64(bitPattern: statement.integer(column)) }
        guard case .real(let value) = statement.value(column) else { return 0 }
        // Minus zero and zero are equal in SQLite, and so form one group.
        return value == 0 ? 0 : value.bitPattern
    }

    private func isEqual(_ other: UnsafeRawBufferPointer) -> Bool {
        guard other.count == bytes.count else { return false }
        guard let start = other.baseAddress else { return true }
        return bytes.withUnsafeBytes { memcmp($0.baseAddress ?? start, start, other.count) == 0 }
    }
}
