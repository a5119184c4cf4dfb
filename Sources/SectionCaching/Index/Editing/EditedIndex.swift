/// An index that was made from another by edits: a value that shares with it the chunks and the sections that
/// no edit touched.
final class EditedIndex: Sendable {
    let chunks: ChunkList
    let sections: EditedSections

    init(chunks: ChunkList, sections: EditedSections) {
        self.chunks = chunks
        self.sections = sections
    }

    /// Converts an index to the form that edits work on. Reads no row from a cache.
    ///
    /// - Parameter rowsPerChunk: The number of rows that a chunk of an index in memory is meant to hold; nil
    ///   for the number with which the index is saved.
    convenience init(_ index: SectionIndex, rowsPerChunk: Int? = nil) {
        switch index.backing {
        case .memory(let memory):
            let cut = rowsPerChunk.map(memory.chunks(rowsPerChunk:)) ?? memory.chunks
            self.init(
                chunks: ChunkList(cut.chunks, rowsPerChunk: cut.rowsPerChunk),
                sections: EditedSections(memory.sections))
        case .cache(let cached):
            self.init(
                chunks: ChunkList(cached.allChunks, rowsPerChunk: cached.directory.layout.rowsPerChunk),
                sections: EditedSections(cached.directory))
        case .edited(let edited): self.init(chunks: edited.chunks, sections: edited.sections)
        }
    }

    /// Returns the section at a position.
    func section(at position: Int) -> SectionIndex.Section {
        let texts = sections.texts(of: position)
        let end = position + 1 < sections.count ? sections.firstRow(of: position + 1) : chunks.numberOfRows
        return SectionIndex.Section(
            identity: Array(texts.identity), name: String(decoding: texts.name, as: UTF8.self),
            indexTitle: String(decoding: texts.indexTitle, as: UTF8.self),
            rows: sections.firstRow(of: position)..<end)
    }
}
