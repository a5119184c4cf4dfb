/// Bytes to which numbers and values are appended. Counts have one byte for seven bits.
struct UndoDataWriter {
    private(set) var bytes: [UInt8] = []

    mutating func appendCount(_ count: Int) { append(UInt64(count)) }

    mutating func appendSigned(_ number: Int64) {
        append(UInt64(bitPattern: number) << 1 ^ UInt64(bitPattern: number >> 63))
    }

    private mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func append(_ words: [UInt32]) {
        bytes.reserveCapacity(bytes.count + words.count * 4)
        for word in words { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
    }

    mutating func append(_ update: UndoRows.Update) {
        appendSigned(update.key)
        append([update.fingerprint])
        appendCount(update.earlier.count)
        for (column, value) in update.earlier {
            appendCount(column)
            switch value {
            case .null: bytes.append(0)
            case .integer(let integer):
                bytes.append(1)
                appendSigned(integer)
            case .real(let number):
                bytes.append(2)
                withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
            case .text(let text):
                bytes.append(3)
                appendCount(text.utf8.count)
                bytes.append(contentsOf: text.utf8)
            case .blob(let blob):
                bytes.append(4)
                appendCount(blob.count)
                bytes.append(contentsOf: blob)
            }
        }
    }
}
