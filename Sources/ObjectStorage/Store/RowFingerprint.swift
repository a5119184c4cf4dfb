/// A 32-bit hash of a row's values, by which a later change of the row is detected.
///
/// It is part of stores, so it is the same on every machine and in every version. Numbers are hashed by their
/// value, because SQLite stores 3.0 as 3 in some columns.
struct RowFingerprint {
    private var state: UInt64 = 0x2545_F491_4F6C_DD1D

    /// The hash of the values so far.
    var value: UInt32 { UInt32(truncatingIfNeeded: state ^ (state >> 32)) }

    /// Hashes the values of some columns.
    ///
    /// - Parameter columns: The positions of the columns.
    static func value(of row: [StoredValue], _ columns: [Int]) -> UInt32 {
        var fingerprint = RowFingerprint()
        for column in columns { fingerprint.add(row[column]) }
        return fingerprint.value
    }

    /// Adds a value.
    mutating func add(_ value: StoredValue) {
        switch value {
        case .null: mix(1)
        case .integer(let integer): add(integer)
        case .real(let number):
            guard !number.isNaN else { return mix(1) }
            if let integer = Int64(exactly: number) { return add(integer) }
            mix(3)
            mix(number.bitPattern)
        case .text(var text):
            text.withUTF8 { add(UnsafeRawBufferPointer($0), tag: 4) }
        case .blob(let bytes):
            bytes.withUnsafeBytes { add($0, tag: 5) }
        }
    }

    private mutating func add(_ integer: Int64) {
        mix(2)
        mix(UInt64(bitPattern: integer))
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer, tag: UInt64) {
        mix(tag | UInt64(bytes.count) << 3)
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        guard offset < bytes.count else { return }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        mix(rest)
    }

    private mutating func mix(_ word: UInt64) {
        let product = (state ^ word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        state = product.high ^ product.low &+ 0xA076_1D64_78BD_642F
    }
}
