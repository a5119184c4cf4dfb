/// Memory for the texts and blobs that are bound to a statement, used again from run to run.
///
/// SQLite would otherwise allocate some for each of them.
///
/// SAFETY: SQLite does not copy what is bound from here and reads it only while the statement runs, so it must
/// stay where it is until then: ``reset()`` and the end of this object come after the run.
final class BindingMemory {
    /// Only the first piece is kept from run to run.
    private var pieces: [UnsafeMutableRawBufferPointer]
    private var used = 0

    /// - Parameter byteCount: What a run mostly needs.
    init(byteCount: Int) {
        pieces = [.allocate(byteCount: byteCount, alignment: 16)]
    }

    deinit {
        for piece in pieces { piece.deallocate() }
    }

    /// Makes all memory free for the next run.
    func reset() {
        used = 0
        while pieces.count > 1 { pieces.removeLast().deallocate() }
    }

    /// Binds a value to the parameter of a statement at a position counted from 1.
    func bind(_ value: StoredValue, at position: Int, of statement: SQLiteStatement) throws {
        switch value {
        case .null: try statement.bind(.null, at: position)
        case .integer(let number): try statement.bind(number, at: position)
        case .real(let number): try statement.bind(number, at: position)
        case .text(var text):
            let copy = text.withUTF8 { copied(UnsafeRawBufferPointer($0)) }
            try statement.bindText(copy, at: position)
        case .blob(let blob): try statement.bindBlob(blob.withUnsafeBytes(copied), at: position)
        }
    }

    /// A copy of bytes that stays where it is until ``reset()``.
    private func copied(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        // Also no bytes have an address; SQLite would take none for NULL.
        if used + source.count >= pieces[pieces.count - 1].count {
            pieces.append(.allocate(byteCount: max(65_536, source.count + 1), alignment: 16))
            used = 0
        }
        let start = used
        let piece = pieces[pieces.count - 1]
        used += source.count
        if let address = source.baseAddress, !source.isEmpty {
            piece.baseAddress?.advanced(by: start).copyMemory(from: address, byteCount: source.count)
        }
        return UnsafeRawBufferPointer(rebasing: piece[start..<used])
    }
}
