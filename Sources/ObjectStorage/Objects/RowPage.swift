import Foundation
import GRDBSQLite

/// Rows copied from SQLite as bytes. A value is created only when it is accessed.
///
/// A row has eight bytes for each value, then one byte for each value's storage class, then the bytes of its
/// texts and blobs. The eight bytes of a text or blob are its offset in the row and its length. The rows of a
/// fetch share pages; a page lives as long as an object that was read with it and has not been changed.
final class RowPage {
    /// The maximum number of rows in a page.
    static let maximumRows = 64
    /// The size in bytes from which no further row is added.
    private static let fullSize = 65_536

    private let numberOfValues: Int
    private var bytes: UnsafeMutableRawPointer
    private var capacity: Int
    /// The number of bytes in use.
    private(set) var size = 0
    private(set) var numberOfRows = 0

    /// Creates an empty page.
    ///
    /// - Parameters:
    ///   - numberOfValues: The number of values in a row.
    ///   - capacity: The expected number of bytes.
    init(numberOfValues: Int, capacity: Int) {
        self.numberOfValues = numberOfValues
        self.capacity = capacity
        bytes = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { bytes.deallocate() }

    /// Whether the next row belongs in another page.
    var isFull: Bool { numberOfRows == Self.maximumRows || size >= Self.fullSize }

    /// Appends the current row of a statement, without its first column, and returns the row's offset in
    /// bytes.
    func append(_ statement: SQLiteStatement) -> Int {
        let row = (size + 7) & ~7
        let classes = row + numberOfValues * 8
        size = classes + numberOfValues
        reserve(size)
        for slot in 0..<numberOfValues {
            let value = statement.columnValue(slot + 1)
            let storageClass = sqlite3_value_type(value)
            let number: UInt64
            switch storageClass {
            case SQLITE_INTEGER: number = UInt64(bitPattern: sqlite3_value_int64(value))
            case SQLITE_FLOAT: number = sqlite3_value_double(value).bitPattern
            case SQLITE_TEXT: number = append(sqlite3_value_text(value), sqlite3_value_bytes(value), row)
            case SQLITE_BLOB: number = append(sqlite3_value_blob(value), sqlite3_value_bytes(value), row)
            default: number = 0
            }
            (bytes + (row &+ slot &* 8)).storeBytes(of: number, as: UInt64.self)
            (bytes + (classes &+ slot)).storeBytes(
                of: UInt8(truncatingIfNeeded: storageClass), as: UInt8.self)
        }
        numberOfRows += 1
        return row
    }

    /// Appends bytes, and returns their offset from the row in the low 32 bits and their count in the high 32
    /// bits.
    private func append(_ start: UnsafeRawPointer?, _ count: Int32, _ row: Int) -> UInt64 {
        let offset = size
        size += Int(count)
        reserve(size)
        if let start { (bytes + offset).copyMemory(from: start, byteCount: Int(count)) }
        return UInt64(truncatingIfNeeded: offset &- row) | UInt64(truncatingIfNeeded: count) << 32
    }

    private func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        let larger = max(needed, capacity * 2)
        let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        new.copyMemory(from: bytes, byteCount: capacity)
        bytes.deallocate()
        bytes = new
        capacity = larger
    }

    /// Returns a value of the row at an offset.
    func value(_ slot: Int, ofRowAt row: Int) -> StoredValue {
        let number = bytes.load(fromByteOffset: row + slot * 8, as: UInt64.self)
        switch Int32(bytes.load(fromByteOffset: row + numberOfValues * 8 + slot, as: UInt8.self)) {
        case SQLITE_INTEGER: return .integer(Int64(bitPattern: number))
        case SQLITE_FLOAT: return .real(Double(bitPattern: number))
        case SQLITE_TEXT: return .text(String(decoding: source(number, row), as: UTF8.self))
        case SQLITE_BLOB: return .blob(Array(source(number, row)))
        default: return .null
        }
    }

    private func source(_ number: UInt64, _ row: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: bytes + row + Int(number & 0xFFFF_FFFF), count: Int(number >> 32))
    }

    /// Returns whether the rows at two offsets have equal values.
    func row(at row: Int, isEqualTo other: Int, of page: RowPage) -> Bool {
        let header = numberOfValues * 9
        guard numberOfValues == page.numberOfValues, memcmp(bytes + row, page.bytes + other, header) == 0
        else {
            return false
        }
        // The headers contain the lengths of the texts and blobs, which follow one another after the header.
        var count = 0
        for slot in 0..<numberOfValues {
            let storageClass = Int32(
                bytes.load(fromByteOffset: row + numberOfValues * 8 + slot, as: UInt8.self))
            guard storageClass == SQLITE_TEXT || storageClass == SQLITE_BLOB else { continue }
            count += Int(bytes.load(fromByteOffset: row + slot * 8, as: UInt64.self) >> 32)
        }
        return memcmp(bytes + row + header, page.bytes + other + header, count) == 0
    }

    /// Returns all values of the row at an offset.
    func values(ofRowAt row: Int) -> [StoredValue] {
        (0..<numberOfValues).map { value($0, ofRowAt: row) }
    }
}

/// A writer that copies the rows of one read to pages, and begins another page when one is full.
struct RowPages {
    private let numberOfValues: Int
    private var page: RowPage?
    /// The estimated size of the next page in bytes.
    private var expectedSize: Int

    /// Creates a writer without a page.
    ///
    /// - Parameter rows: The minimum number of rows expected.
    init(of runtime: EntityRuntime, rows: Int) {
        numberOfValues = runtime.slotNames.count
        expectedSize = min(rows, RowPage.maximumRows) * (numberOfValues * 16 + 16)
    }

    /// Appends the current row of a statement, whose first column is the key.
    mutating func append(_ statement: SQLiteStatement) -> (page: RowPage, row: Int) {
        if let page, !page.isFull { return (page, page.append(statement)) }
        if let page { expectedSize = page.size + page.size / 8 }
        let next = RowPage(numberOfValues: numberOfValues, capacity: expectedSize)
        page = next
        return (next, next.append(statement))
    }
}
