import Mutants

extension ManagedObjectContext {
    /// The state of the store that the context is pinned to; nil if each read uses the store's current state.
    ///
    /// The value is ``QueryGenerationToken/current`` until the first read. A child context has the token of
    /// its parent.
    public var queryGenerationToken: QueryGenerationToken? {
        parent?.queryGenerationToken ?? pinnedGeneration
    }

    /// Pins the context to one state of the store, or unpins it.
    ///
    /// ```swift
    /// try context.setQueryGeneration(from: .current)
    /// ```
    ///
    /// Fetches, faults, relationships and results controllers of a pinned context read that state, regardless
    /// of later commits. Objects that are already in the context keep their values until they are refreshed.
    /// A ``save()``, a merge and ``reset()`` move the pin: after them the context is pinned to the state that
    /// its next read finds. This includes automatic merges (``automaticallyMergesChanges``).
    ///
    /// The cost of a pinned context is that of the held state. With a write-ahead log, it is a read
    /// transaction on a connection: other programs can write, but no checkpoint can reset the log, so the log
    /// grows by each page that is written. A store with a rollback journal, in memory, or on an application's
    /// queue is copied to a temporary file. Any store is copied, once for each state, when a fetch includes
    /// unsaved changes.
    ///
    /// - Parameter token: The token of another context of the container, ``QueryGenerationToken/current``, or
    ///   nil to unpin the context.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/wrongContext`` if the token belongs to
    ///   another container, or the context is a child, which uses its parent's state.
    /// - Complexity: O(1). The next read acquires the state.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws(ObjectStorageError) {
        guard parent == nil else {
            throw ObjectStorageError(
                .wrongContext,
                "A child context reads the state that its parent is pinned to. Set the query generation of the context that saves to the store."
            )
        }
        guard token?.isValid(in: container) ?? true else {
            throw ObjectStorageError(
                .wrongContext,
                "The query generation belongs to another container. Use a token of \(container.nameInMessages), or .current."
            )
        }
        pinnedGeneration = token
        mayBlockWriters = false
        forgetMergedStates()
        invalidatePrefetchedRows()
    }

    /// Pins the context for a short time, without copying a store that has a rollback journal: other programs
    /// cannot write to such a store until the context is unpinned.
    package func pinBriefly() {
        pinnedGeneration = .current
        mayBlockWriters = true
    }

    /// Returns whether the context blocks writes of other programs until it is unpinned.
    package func isBlockingWriters() throws(ObjectStorageError) -> Bool {
        guard let held = try heldState() else { return false }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try held.isBlockingWriters()
        }
    }

    /// Acquires the state that the context is pinned to, and lets another thread cancel its reads.
    package func pin(cancelledBy cancellation: ReadCancellation) throws(ObjectStorageError) {
        cancellation.begin(try heldState())
    }

    /// Whether the next read determines the state that the context is pinned to.
    package var isAboutToBePinned: Bool { pinnedGeneration === QueryGenerationToken.current }

    /// Pins the context to the state that its next read finds, instead of a state of which no rows were
    /// shown.
    package func takeGenerationAgain() {
        pinnedGeneration = .current
        invalidatePrefetchedRows()
    }

    /// Whether all reads use one state of the store, regardless of later commits.
    package var isPinned: Bool { queryGenerationToken != nil }

    /// Returns the state that the context is pinned to, after acquiring it if needed; nil if the context is
    /// not pinned.
    func heldState() throws(ObjectStorageError) -> HeldState? {
        if let parent { return try parent.heldState() }
        guard let pinnedGeneration, !Mutant.pinIgnored.isPlanted else { return nil }
        if let state = pinnedGeneration.state { return state }
        let (state, files) = try ObjectStorageError.translating(
            "Pinning a context to the state of the store"
        ) { () -> (HeldState, StoreStateResult?) in
            let position = try container.logPositionOfFiles()
            let state = try container.connections.hold(mayBlock: mayBlockWriters)
            guard let position, state.isOfFiles else { return (state, nil) }
            return (state, try state.read { try container.stateOfFiles(since: position, in: $0) })
        }
        self.pinnedGeneration = QueryGenerationToken(state, of: container, stateOfFiles: files)
        return state
    }

    /// Runs an operation that uses the newest state, and moves the pin to the state that the next read finds.
    /// If the operation fails, the pin does not move.
    ///
    /// - Parameter isPinned: Whether the operation itself reads one state. Otherwise it calls ``pinAgain()``
    ///   when it no longer needs the newest state.
    func movingGeneration<Result>(
        isPinned: Bool, _ body: () throws(ObjectStorageError) -> Result
    ) throws(ObjectStorageError) -> Result {
        guard let previous = pinnedGeneration else { return try body() }
        pinnedGeneration = isPinned ? .current : nil
        isPinOwed = !isPinned
        invalidatePrefetchedRows()
        for child in children { child.context?.forgetMergedStates() }
        do throws(ObjectStorageError) {
            let result = try body()
            pinAgain()
            return result
        } catch {
            pinnedGeneration = previous
            isPinOwed = false
            throw error
        }
    }

    /// Ends the part of an operation that reads the newest state: the next read determines the state to pin
    /// to.
    func pinAgain() {
        guard isPinOwed else { return }
        isPinOwed = false
        pinnedGeneration = .current
    }

    /// Invalidates prefetched rows, here and in child contexts.
    private func invalidatePrefetchedRows() {
        storeGeneration &+= 1
        for child in children { child.context?.invalidatePrefetchedRows() }
    }

    /// The state of the files to which the context is pinned; nil if caches do not rely on it.
    var stateOfHeldFiles: StoreStateResult? {
        if let parent { return parent.stateOfHeldFiles }
        return pinnedGeneration?.stateOfFiles
    }

    /// Returns the version stamps of some tables in the state that the context reads.
    ///
    /// - Parameter tableNames: The names of the tables, sorted and without duplicates.
    package func state(of tableNames: [String]) throws(ObjectStorageError) -> StoreStateResult {
        guard let held = try heldState() else { return try container.state(of: tableNames) }
        guard container.isTracked else { return stateOfHeldFiles ?? .untracked }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try held.read { try StoreState.read(tableNames, in: $0, known: container.knownSchema) }
        }
    }
}
