/// Memory for the texts and blobs that are bound to a statement, reused from run to run.
///
/// Without it SQLite would allocate memory for each of them.
///
/// SAFETY: SQLite does not copy values that are bound from this memory, and reads them only while the
/// statement runs, so they must not move until then: ``reset()`` and the deinitialization must come after the
/// run.
final class BindingMemory {
    /// The pieces of memory, of which only the first is retained from run to run.
    private var pieces: [UnsafeMutableRawBufferPointer]
    private var used = 0

    /// Allocates memory.
    ///
    /// - Parameter byteCount: The number of bytes that a run usually needs.
    init(byteCount: Int) {
        pieces = [.allocate(byteCount: byteCount, alignment: 16)]
    }

    deinit {
        for piece in pieces { piece.deallocate() }
    }

    /// Frees all memory for the next run.
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

    /// Returns a copy of bytes that does not move until ``reset()``.
    private func copied(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        // An empty copy also needs an address; SQLite would treat a null pointer as NULL.
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
