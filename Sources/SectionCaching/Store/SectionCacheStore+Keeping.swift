import Mutants

extension SectionCacheStore {
    /// The maximum number of chunks that are read immediately, in some ten microseconds.
    private static let fewChunks = 2

    /// Reads the rows of an index into memory, so that the index keeps them when its entry is deleted,
    /// advanced, evicted or replaced.
    ///
    /// A few chunks are read immediately. More are read by the writer thread, half a second later, or before
    /// it carries out saves and deletions: no write of this store comes between a look-up and the reading.
    /// Until then another program can remove rows, and reading them returns nil. An index that is released
    /// before is not read.
    ///
    /// - Complexity: O(*n*) in the number of rows, on the writer thread, with two to four bytes of memory for
    ///   each row if IDs are dense. If no thread can be started, the caller reads the rows.
    package func keepRows(of index: SectionIndex) {
        guard !Mutant.rowsLeftInCache.isPlanted else { return }
        guard index.numberOfChunks > Self.fewChunks else { return _ = index.keepRows() }
        let reading = index.backing.weakly()
        if !writer.enqueueReading({ _ = reading()?.keepRows() }) { _ = index.keepRows() }
    }
}
