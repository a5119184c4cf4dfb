import InternalUtilities
import LMDB
import Synchronization

extension SectionCacheStore {
    /// Hands over an index to be saved, and returns immediately.
    ///
    /// A computed index replaces any stored entry of the request. An index that was made from another by
    /// edits advances the entry: only a directory and the chunks that are not stored yet are written, or
    /// nothing if the entry has the request's token already. A later save of the same request replaces one
    /// that still waits.
    ///
    /// A failure is recorded in ``lastProblem``; the next look-up is then a miss.
    ///
    /// - Parameters:
    ///   - index: The index to save.
    ///   - request: The request that the index answers, with the name of its cache and the state of the data.
    public func save(_ index: SectionIndex, for request: SectionCacheRequest) {
        save(index, for: request) { true }
    }

    /// Hands over an index to be saved for a state of the store whose commit is pending.
    ///
    /// - Parameter isState: Waits for the commit, and returns whether it succeeded. Called on the thread that
    ///   saves.
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

    /// Hands over an index that was computed because rows of an entry could not be read. An entry that was
    /// deleted stays deleted; one that exists is damaged, and is replaced.
    package func saveAnew(_ index: SectionIndex, for request: SectionCacheRequest) {
        guard lookUp(request).isHit else { return }
        note(.corrupt(detail: "rows of the entry cannot be read, and were computed again"))
        save(index, for: request)
    }

    /// The problem of saves and deletions that wait for a thread.
    static let noThread = MissReason.off(.failure("no thread could be started to write the cache"))

    /// The maximum size of one entry, so that a transaction stays within the number of pages that LMDB can
    /// track.
    private static let maximumEntrySize = 64 << 20

    private func write(_ index: SectionIndex, for request: SectionCacheRequest) {
        // A directory that takes no more names is replaced once by an empty one.
        for _ in 0..<2 {
            guard carryOutDeletions(andAsked: false), case .success(let environment) = environment(),
                !write(EntryEncoder(index, for: request), for: request, in: environment)
            else { return }
        }
    }

    /// Writes an entry, after evicting others if it needs their room.
    ///
    /// - Returns: False if the directory took no more names and was replaced.
    private func write(
        _ complete: EntryEncoder, for request: SectionCacheRequest, in environment: Environment
    ) -> Bool {
        var draft = complete
        guard draft.byteCount <= min(Self.maximumEntrySize, environment.options.mapSize / 2) else {
            note(.off(.failure("the entry of \(draft.byteCount) bytes is larger than a cache allows")))
            return true
        }
        do throws(LMDBError) {
            try environment.removeDeadReaders()
            do throws(LMDBError) {
                // Removing entries also needs pages, before it frees any.
                try evict(
                    toFit: draft.newByteCount, keeping: draft.isComputed ? nil : request, in: environment)
                try put(&draft, for: request, in: environment)
            } catch  where error.code == .mapFull || error.code == .transactionFull {
                // Freed pages can be used again two commits later, so all entries are removed, and small
                // commits follow.
                let isWhole = encodeAll(&draft)
                try evictAll(in: environment)
                if isWhole { try put(&draft, for: request, in: environment) }
            }
        } catch  where error.code == .databasesFull {
            // Names are never removed from a directory.
            let reason = MissReason.off(.failure("the directory has more than \(Self.maximumNames) names"))
            note(reason)
            leave(full: environment, reason)
            return false
        } catch  where error.code == .mapFull {
            // Pages that a stopped reader still sees are never freed.
            let reason = MissReason.off(
                .failure("the file is full of pages that another process still reads"))
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

    /// Returns the stored directory of a request, if it is authentic.
    private func storedDirectory(
        for request: SectionCacheRequest, in database: NamedDatabase,
        _ transaction: borrowing WriteTransaction
    ) throws(LMDBError) -> SectionDirectory? {
        let key = CacheFormat.directoryKey(request.fingerprint, store: request.token.storeIdentity)
        let bytes = try transaction.withValue(of: key, in: database) { $0.withUnsafeBytes { Array($0) } }
        // A value that is not an authentic directory is replaced.
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
        case .lostRows: note(.off(.failure("rows that are needed to advance an entry are no longer stored")))
        }
    }

    /// Removes the least recently saved entries of a name, except for `count` of them.
    private func removeOldest(
        in database: NamedDatabase, keeping count: Int, _ transaction: inout WriteTransaction
    ) throws(LMDBError) {
        let entries = try transaction.entries(in: database).sorted { $0.sequence > $1.sequence }
        for entry in entries.dropFirst(max(1, count)) { try transaction.remove(entry, from: database) }
    }
}

extension SectionIndex {
    /// Returns whether the index is the cache's entry for a request, as far as the index knows.
    fileprivate func isEntry(of request: SectionCacheRequest) -> Bool {
        guard case .cache(let cached) = backing else { return false }
        return cached.fingerprint == request.fingerprint && cached.directory.isAsOf(request.token)
    }
}
