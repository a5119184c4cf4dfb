import InternalUtilities
import Synchronization

/// A computed index, with all its sections and rows in memory.
final class MemoryIndex: Sendable {
    let sections: [SectionIndex.Section]
    let rowIDs: [Int64]
    private let cut = Mutex<Chunks?>(nil)

    /// The rows as chunks, which share the array.
    struct Chunks {
        /// The number of rows of each chunk but the last.
        let rowsPerChunk: Int
        let chunks: [IndexChunk]
    }

    init(sections: [SectionIndex.Section], rowIDs: [Int64]) {
        self.sections = sections
        self.rowIDs = rowIDs
    }

    /// The rows as the chunks that are stored when the index is saved, and that edited versions share. They
    /// are created when first needed.
    ///
    /// - Complexity: O(*n*) in the number of rows the first time.
    var chunks: Chunks {
        cut.withLock { cut in
            if let cut { return cut }
            let made = chunks(rowsPerChunk: PackedRows.rowsPerChunk(of: rowIDs))
            cut = made
            return made
        }
    }

    /// Returns the rows as chunks of another size.
    func chunks(rowsPerChunk: Int) -> Chunks {
        Chunks(
            rowsPerChunk: rowsPerChunk,
            chunks: stride(from: 0, to: rowIDs.count, by: rowsPerChunk).map { first in
                IndexChunk(rowIDs[first..<min(first + rowsPerChunk, rowIDs.count)])
            })
    }
}
