import Mutants

extension SectionIndex {
    /// Reads all rows into memory and keeps them there.
    ///
    /// - Returns: Whether all rows can be read.
    package func keepRows() -> Bool {
        switch backing {
        case .memory: true
        case .cache(let cached): cached.allChunks.allSatisfy { $0.keep() }
        case .edited(let edited): edited.chunks.chunks.allSatisfy { $0.keep() }
        }
    }
}

extension SectionIndex.Backing {
    /// Returns a function that returns an index with this backing while the backing is in use elsewhere.
    func weakly() -> @Sendable () -> SectionIndex? {
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
