import Foundation
import GRDB

/// A value as SQLite stores it. The order is that of SQLite: null, numbers, texts and blobs, the last two by
/// their bytes.
enum PlainValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    init(_ value: DatabaseValue, isText: Bool) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(Array(text.utf8))
        case .blob(let data): self = isText ? .text(Array(data)) : .blob(Array(data))
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private var number: Double {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: 0
        }
    }

    func precedes(_ other: PlainValue) -> Bool {
        switch (self, other) {
        case (.text(let first), .text(let second)), (.blob(let first), .blob(let second)):
            first.lexicographicallyPrecedes(second)
        default: rank == other.rank ? number < other.number : rank < other.rank
        }
    }

    /// The identity of a section with this key: the number of SQLite's storage class and the bytes of the
    /// value.
    var identity: [UInt8] {
        switch self {
        case .null: [5]
        case .integer(let number): [1] + withUnsafeBytes(of: number.littleEndian) { Array($0) }
        case .real(let number):
            [2] + withUnsafeBytes(of: (number == 0 ? 0 : number).bitPattern.littleEndian) { Array($0) }
        case .text(let bytes): [3] + bytes
        case .blob(let bytes): [4] + bytes
        }
    }

    /// The name of a section with this key.
    var name: String {
        switch self {
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer(let number): String(number)
        case .blob(let bytes): bytes.map { String(format: "%02x", $0) }.joined()
        case .null, .real: ""
        }
    }
}
