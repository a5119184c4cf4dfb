import Mutants

extension SectionCacheStore {
    /// The most chunks that are read at once, in some ten microseconds.
    private static let fewChunks = 2

    /// Reads the rows of an index into memory, so that the index keeps them when its entry is deleted,
    /// advanced, evicted or replaced.
    ///
    /// A few chunks are read at once. More are read by the thread that writes, before it carries out a save
    /// or a deletion that waits: no write of this store comes between a look-up and the reading. Until then
    /// another program can take rows away, and reading them gives nil. An index that is released before is
    /// not read.
    ///
    /// - Complexity: O(*n*) in the number of rows, on the other thread; two to four bytes of memory for each
    ///   row if IDs are dense. Without a thread the caller reads them.
    package func keepRows(of index: SectionIndex) {
        guard !Mutant.rowsLeftInCache.isPlanted else { return }
        guard index.numberOfChunks > Self.fewChunks else { return _ = index.keepRows() }
        let reading = index.backing.weakly()
        if !writer.enqueueReading({ _ = reading()?.keepRows() }) { _ = index.keepRows() }
    }
}

extension SectionIndex {
    /// Reads all rows into memory, where they stay.
    ///
    /// - Returns: Whether all can be read.
    package func keepRows() -> Bool {
        switch backing {
        case .memory: true
        case .cache(let cached): cached.allChunks.allSatisfy { $0.keep() }
        case .edited(let edited): edited.chunks.chunks.allSatisfy { $0.keep() }
        }
    }
}

extension SectionIndex.Backing {
    /// A function that gives an index with this backing for as long as the backing is used elsewhere.
    fileprivate func weakly() -> @Sendable () -> SectionIndex? {
        switch self {
        case .memory(let memory):
            return { [weak memory] in memory.map { SectionIndex(backing: .memory($0)) } }
        case .cache(let cached):
            return { [weak cached] in cached.map { SectionIndex(backing: .cache($0)) } }
        case .edited(let edited):
            return { [weak edited] in edited.map { SectionIndex(backing: .edited($0)) } }
        }
    }
}
