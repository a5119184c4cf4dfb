import Mutants

extension ManagedObjectContext {
    /// The state of the store that the context is pinned to; nil if each read finds what the store has then.
    ///
    /// It is ``QueryGenerationToken/current`` until the first read. A child context has that of its parent.
    public var queryGenerationToken: QueryGenerationToken? {
        parent?.queryGenerationToken ?? pinnedGeneration
    }

    /// Pins the context to one state of the store, or unpins it.
    ///
    /// ```swift
    /// try context.setQueryGeneration(from: .current)
    /// ```
    ///
    /// Fetches, faults, relationships and results controllers of a pinned context read that state, whatever
    /// other contexts and programs commit. The objects that the context has already keep their values until
    /// they are refreshed. A ``save()``, a merge and ``reset()`` move the pin: after them the context is pinned
    /// to the state that its next read finds. That goes for merges that the context does by itself, too
    /// (``automaticallyMergesChanges``).
    ///
    /// A pinned context costs what the held state costs. With a write-ahead log that is a transaction on a
    /// connection: other programs write as ever, but no checkpoint empties the log meanwhile, so it grows by
    /// each page that is written. A store with a rollback journal, in memory, or on an application's queue is
    /// copied to a temporary file. So is any store, once for each state, when unsaved changes take part in a
    /// fetch.
    ///
    /// - Parameter token: A state that another context of the container is pinned to,
    ///   ``QueryGenerationToken/current``, or nil to unpin the context.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/wrongContext`` if the token is of
    ///   another container, or the context is a child, which follows its parent.
    /// - Complexity: O(1). The first read afterwards takes the state.
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
                "The query generation is one of another container. Use one of \(container.nameInMessages), or .current."
            )
        }
        pinnedGeneration = token
        mayBlockWriters = false
        forgetRowsReadAhead()
    }

    /// Pins the context for a short time, without a copy of a store with a rollback journal: programs that write
    /// to such a store wait until the context is unpinned.
    package func pinBriefly() {
        pinnedGeneration = .current
        mayBlockWriters = true
    }

    /// Whether the context keeps other programs from writing until it is unpinned.
    package func isBlockingWriters() throws(ObjectStorageError) -> Bool {
        guard let held = try heldState() else { return false }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try held.isBlockingWriters()
        }
    }

    /// Whether the next read takes the state that the context is pinned to.
    package var isAboutToBePinned: Bool { pinnedGeneration === QueryGenerationToken.current }

    /// Pins the context to the state that its next read finds, in place of one of which no row was shown.
    package func takeGenerationAgain() {
        pinnedGeneration = .current
        forgetRowsReadAhead()
    }

    /// Whether reads find one state of the store, whatever is committed.
    package var isPinned: Bool { queryGenerationToken != nil }

    /// The state that reads go to; nil if the context is not pinned.
    func heldState() throws(ObjectStorageError) -> HeldState? {
        if let parent { return try parent.heldState() }
        guard let pinnedGeneration, !Mutant.pinIgnored.isPlanted else { return nil }
        if let state = pinnedGeneration.state { return state }
        let state = try ObjectStorageError.translating("Pinning a context to the state of the store") {
            try container.connections.hold(mayBlock: mayBlockWriters)
        }
        self.pinnedGeneration = QueryGenerationToken(state, of: container)
        return state
    }

    /// Runs an operation that concerns the newest state, and moves the pin to the state that the next read
    /// finds. If the operation fails, the pin stays.
    ///
    /// - Parameter isPinned: Whether what the operation reads is one state. Otherwise it calls ``pinAgain()``
    ///   when it needs the newest state no more.
    func movingGeneration<Result>(
        isPinned: Bool, _ body: () throws(ObjectStorageError) -> Result
    ) throws(ObjectStorageError) -> Result {
        guard let former = pinnedGeneration else { return try body() }
        pinnedGeneration = isPinned ? .current : nil
        isPinOwed = !isPinned
        forgetRowsReadAhead()
        do throws(ObjectStorageError) {
            let result = try body()
            pinAgain()
            return result
        } catch {
            pinnedGeneration = former
            isPinOwed = false
            throw error
        }
    }

    /// Ends the part of an operation that reads the newest state: the next read takes the state to pin to.
    func pinAgain() {
        guard isPinOwed else { return }
        isPinOwed = false
        pinnedGeneration = .current
    }

    /// Forgets the rows that were read ahead of the objects that will show them, here and in child contexts.
    private func forgetRowsReadAhead() {
        storeGeneration &+= 1
        for child in children { child.context?.forgetRowsReadAhead() }
    }

    /// The state of some tables as the context reads them.
    ///
    /// - Parameter tableNames: In order, each once.
    package func state(of tableNames: [String]) throws(ObjectStorageError) -> StoreStateResult {
        guard let held = try heldState(), container.isTracked else {
            return try container.state(of: tableNames)
        }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try held.read { try StoreState.read(tableNames, in: $0, known: container.knownSchema) }
        }
    }
}
