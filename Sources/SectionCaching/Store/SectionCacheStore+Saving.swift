import InternalUtilities
import LMDB
import Synchronization

extension SectionCacheStore {
    /// Hands an index over to be saved, and returns at once.
    ///
    /// An index that was computed replaces whatever is kept for the request. One that was made from another
    /// by edits advances the entry: only chunks that are not stored yet are written, and a directory. Nothing
    /// is done if the entry is as of the request's token already. A save that still waits gives way to a
    /// later one of the same request.
    ///
    /// What keeps it from being saved is recorded in ``lastProblem``; the next look-up is then a miss.
    public func save(_ index: SectionIndex, for request: SectionCacheRequest) {
        save(index, for: request) { true }
    }

    /// The same, for a state of the store that is about to be.
    ///
    /// - Parameter isState: Waits until it is, and says whether. Asked on the thread that saves.
    package func save(
        _ index: SectionIndex, for request: SectionCacheRequest,
        once isState: @escaping @Sendable () -> Bool
    ) {
        guard !options.isReadOnly, !isForked, !index.isEntry(of: request) else { return }
        let key = CacheFormat.directoryKey(request.fingerprint, store: request.token.storeIdentity)
        let isInHand = writer.enqueueSave(under: request.name, key: key) { [self] in
            if isState() { write(index, for: request) }
        }
        if !isInHand { note(Self.noThread) }
    }

    /// Hands over what was computed because the rows of an entry could not be read. One that somebody deleted
    /// stays deleted; one that is there is damaged.
    package func saveAnew(_ index: SectionIndex, for request: SectionCacheRequest) {
        guard lookUp(request).isHit else { return }
        note(.corrupt(detail: "rows of the entry cannot be read, and were computed again"))
        save(index, for: request)
    }

    /// Saves and deletions wait for a thread.
    static let noThread = MissReason.off(.failure("the system gives this program no thread to write with"))

    /// The greatest size of one entry, so that a transaction stays within what LMDB can keep track of.
    private static let maximumEntrySize = 64 << 20

    private func write(_ index: SectionIndex, for request: SectionCacheRequest) {
        // A directory that is full of names is left once, for one that has none.
        for _ in 0..<2 {
            guard carryOutDeletions(andAsked: false), case .success(let environment) = environment(),
                !write(EntryEncoder(index, for: request), for: request, in: environment)
            else { return }
        }
    }

    /// - Returns: False if the directory takes no more names, and another took its place.
    private func write(
        _ complete: EntryEncoder, for request: SectionCacheRequest, in environment: Environment
    ) -> Bool {
        var draft = complete
        guard draft.byteCount <= min(Self.maximumEntrySize, environment.options.mapSize / 2) else {
            note(.off(.failure("the entry of \(draft.byteCount) bytes is larger than a cache takes")))
            return true
        }
        do throws(LMDBError) {
            try environment.removeDeadReaders()
            do throws(LMDBError) {
                // Removing entries needs pages, too, before it frees any.
                try evict(
                    toFit: draft.newByteCount, keeping: draft.isComputed ? nil : request, in: environment)
                try put(&draft, for: request, in: environment)
            } catch  where error.code == .mapFull || error.code == .transactionFull {
                // Freed pages can be used again two commits later, so everything goes, and small commits
                // follow.
                let isWhole = encodeAll(&draft)
                try evictAll(in: environment)
                if isWhole { try put(&draft, for: request, in: environment) }
            }
        } catch  where error.code == .databasesFull {
            // Names never go from a directory.
            let reason = MissReason.off(.failure("the directory has more than \(Self.maximumNames) names"))
            note(reason)
            leave(full: environment, reason)
            return false
        } catch  where error.code == .mapFull {
            // Nor do pages that a reader sees who was stopped.
            let reason = MissReason.off(
                .failure("the file is full of what another program does not cease to read"))
            note(reason)
            leave(damaged: environment, reason)
        } catch {
            _ = noteFailure(error, of: environment)
        }
        return true
    }

    private func put(
        _ draft: inout EntryEncoder, for request: SectionCacheRequest, in environment: Environment
    ) throws(LMDBError) {
        let plan = try environment.write(expecting: draft.byteCount) {
            (transaction) throws(LMDBError) -> EntryEncoder.Plan? in
            let database = try transaction.database(creating: request.name.rawValue)
            let stored = try storedDirectory(for: request, in: database, transaction)
            let sequence = UInt64(truncatingIfNeeded: transaction.identifier)
            let plan: EntryEncoder.Plan
            do throws(EntryEncoder.Failure) {
                plan = try draft.plan(over: stored, sequence: sequence)
            } catch {
                note(error)
                return nil
            }
            try transaction.carryOut(plan, for: request, in: database)
            try removeOldest(in: database, keeping: options.maximumEntriesPerName, &transaction)
            return plan
        }
        guard let plan else { return }
        plan.wasCommitted()
        replacement.withLock { $0 = nil }
        written.withLock { $0 += plan.byteCount }
    }

    /// The directory that is stored for a request, if it can be believed.
    private func storedDirectory(
        for request: SectionCacheRequest, in database: NamedDatabase,
        _ transaction: borrowing WriteTransaction
    ) throws(LMDBError) -> SectionDirectory? {
        let key = CacheFormat.directoryKey(request.fingerprint, store: request.token.storeIdentity)
        let bytes = try transaction.withValue(of: key, in: database) { $0.withUnsafeBytes { Array($0) } }
        // What is no directory is replaced, whatever is wrong with it.
        guard let bytes, let directory = try? SectionDirectory(decoding: bytes),
            directory.isAuthentic(name: request.name, key: request.authenticationKey),
            directory.storeIdentity == request.token.storeIdentity,
            directory.canonicalBytes.elementsEqual(request.request.bytes)
        else { return nil }
        return directory
    }

    private func encodeAll(_ draft: inout EntryEncoder) -> Bool {
        do throws(EntryEncoder.Failure) {
            try draft.encodeAll()
            return true
        } catch {
            note(error)
            return false
        }
    }

    private func note(_ failure: EntryEncoder.Failure) {
        switch failure {
        case .alreadyStored: break
        case .lostRows: note(.off(.failure("rows that an entry was to be advanced with are gone from it")))
        }
    }

    /// Removes the entries of a name that were saved longest ago, but for so many.
    private func removeOldest(
        in database: NamedDatabase, keeping count: Int, _ transaction: inout WriteTransaction
    ) throws(LMDBError) {
        let entries = try transaction.entries(in: database).sorted { $0.sequence > $1.sequence }
        for entry in entries.dropFirst(max(1, count)) { try transaction.remove(entry, from: database) }
    }
}

extension SectionIndex {
    /// Whether it is what a cache keeps for a request, as far as it knows.
    fileprivate func isEntry(of request: SectionCacheRequest) -> Bool {
        guard case .cache(let cached) = backing else { return false }
        return cached.fingerprint == request.fingerprint && cached.directory.isAsOf(request.token)
    }
}
