/// The primary keys of a list's rows, in pieces. A piece whose keys all fit in four bytes uses four bytes for
/// each, otherwise eight.
struct PackedKeys {
    private enum Piece {
        case narrow([UInt32])
        case wide([Int64])
    }

    private static let pieceSize = 4_096

    private var pieces: [Piece] = []
    /// The keys after the complete pieces.
    private var last: [Int64] = []

    /// The number of keys.
    var count: Int { pieces.count * Self.pieceSize + last.count }

    /// Appends a key.
    mutating func append(_ key: Int64) {
        last.append(key)
        guard last.count == Self.pieceSize else { return }
        let isNarrow = last.allSatisfy { UInt32(exactly: $0) != nil }
        pieces.append(isNarrow ? .narrow(last.map { UInt32(truncatingIfNeeded: $0) }) : .wide(last))
        last.removeAll(keepingCapacity: isNarrow)
    }

    /// The keys at some positions.
    subscript(positions: Range<Int>) -> [Int64] {
        positions.map { position in
            let (piece, offset) = position.quotientAndRemainder(dividingBy: Self.pieceSize)
            guard piece < pieces.count else { return last[offset] }
            switch pieces[piece] {
            case .narrow(let keys): return Int64(keys[offset])
            case .wide(let keys): return keys[offset]
            }
        }
    }
}
