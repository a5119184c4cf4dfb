import InternalUtilities
import Synchronization

/// An index as it was computed: all its sections and rows in memory.
final class MemoryIndex: Sendable {
    let sections: [SectionIndex.Section]
    let rowIDs: [Int64]
    private let cut = Mutex<Chunks?>(nil)

    /// The rows as chunks, which share the array.
    struct Chunks {
        /// How many rows each but the last has.
        let rowsPerChunk: Int
        let chunks: [IndexChunk]
    }

    init(sections: [SectionIndex.Section], rowIDs: [Int64]) {
        self.sections = sections
        self.rowIDs = rowIDs
    }

    /// The rows as the chunks that are stored when it is saved, and that an edited version shares. Made when
    /// first needed.
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

    /// The rows as chunks of another size.
    func chunks(rowsPerChunk: Int) -> Chunks {
        Chunks(
            rowsPerChunk: rowsPerChunk,
            chunks: stride(from: 0, to: rowIDs.count, by: rowsPerChunk).map { first in
                IndexChunk(rowIDs[first..<min(first + rowsPerChunk, rowIDs.count)])
            })
    }
}
