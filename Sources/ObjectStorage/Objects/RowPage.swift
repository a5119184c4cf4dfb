import Foundation
import GRDBSQLite

/// Rows as SQLite gave them, copied byte by byte. Values are made only of what is looked at.
///
/// A row is a number of eight bytes for each value, then a byte for each value's storage class, then the
/// bytes of texts and blobs, to whose place and length their numbers lead. Rows of one fetch share a page,
/// which lives as long as an object that was read with it and has not been changed.
final class RowPage {
    /// How many rows a page takes.
    static let maximumRows = 64
    /// How many bytes a page has before no further row is added.
    private static let fullSize = 65_536

    private let numberOfValues: Int
    private var bytes: UnsafeMutableRawPointer
    private var capacity: Int
    /// How many bytes there are.
    private(set) var size = 0
    private(set) var numberOfRows = 0

    /// - Parameters:
    ///   - numberOfValues: How many values a row has.
    ///   - capacity: How many bytes are expected.
    init(numberOfValues: Int, capacity: Int) {
        self.numberOfValues = numberOfValues
        self.capacity = capacity
        bytes = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { bytes.deallocate() }

    /// Whether the next row goes to another page.
    var isFull: Bool { numberOfRows == Self.maximumRows || size >= Self.fullSize }

    /// Adds the current row of a statement, without its first column, and gives its place.
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

    /// Adds bytes, and gives their distance from their row and their number.
    private func append(_ start: UnsafeRawPointer?, _ count: Int32, _ row: Int) -> UInt64 {
        let place = size
        size += Int(count)
        reserve(size)
        if let start { (bytes + place).copyMemory(from: start, byteCount: Int(count)) }
        return UInt64(truncatingIfNeeded: place &- row) | UInt64(truncatingIfNeeded: count) << 32
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

    /// A value of the row at a place.
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

    /// Whether the rows at two places hold the same.
    func row(at row: Int, isEqualTo other: Int, of page: RowPage) -> Bool {
        let header = numberOfValues * 9
        guard numberOfValues == page.numberOfValues, memcmp(bytes + row, page.bytes + other, header) == 0
        else {
            return false
        }
        // The header has the lengths of texts and blobs, which lie one after the other behind it.
        var count = 0
        for slot in 0..<numberOfValues {
            let storageClass = Int32(
                bytes.load(fromByteOffset: row + numberOfValues * 8 + slot, as: UInt8.self))
            guard storageClass == SQLITE_TEXT || storageClass == SQLITE_BLOB else { continue }
            count += Int(bytes.load(fromByteOffset: row + slot * 8, as: UInt64.self) >> 32)
        }
        return memcmp(bytes + row + header, page.bytes + other + header, count) == 0
    }

    /// All values of the row at a place.
    func values(ofRowAt row: Int) -> [StoredValue] {
        (0..<numberOfValues).map { value($0, ofRowAt: row) }
    }
}

/// Where to put the rows of one reading: page after page.
struct RowPages {
    private let numberOfValues: Int
    private var page: RowPage?
    /// How many bytes the next page will have, as far as can be told.
    private var expectedSize: Int

    /// - Parameter rows: How many rows are expected at the least.
    init(of runtime: EntityRuntime, rows: Int) {
        numberOfValues = runtime.slotNames.count
        expectedSize = min(rows, RowPage.maximumRows) * (numberOfValues * 16 + 16)
    }

    /// Adds the current row of a statement, whose first column is the key.
    mutating func append(_ statement: SQLiteStatement) -> (page: RowPage, row: Int) {
        if let page, !page.isFull { return (page, page.append(statement)) }
        if let page { expectedSize = page.size + page.size / 8 }
        let next = RowPage(numberOfValues: numberOfValues, capacity: expectedSize)
        page = next
        return (next, next.append(statement))
    }
}
