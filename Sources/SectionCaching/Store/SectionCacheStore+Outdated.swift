import LMDB

extension SectionCacheStore {
    /// Returns the stored index of a request for an earlier state of the same tables, so that it can be
    /// updated with the changes since.
    ///
    /// - Returns: The index and its token, possibly with another schema; nil if none is stored.
    package func outdatedIndex(
        for request: SectionCacheRequest
    ) -> (index: SectionIndex, token: StoreToken)? {
        guard !isForked, !isDeleting(request.name), let cached = index(for: request),
            let token = cached.directory.token,
            case .dataChanged = mismatch(of: cached.directory, with: request)
        else { return nil }
        return (SectionIndex(backing: .cache(cached)), token)
    }

    /// Returns the entry with a request's key, of any state; nil if none can be decoded. The entry is not
    /// authenticated yet.
    private func index(for request: SectionCacheRequest) -> CachedIndex? {
        guard case .success(let environment) = environment() else { return nil }
        do throws(LMDBError) {
            guard let database = try environment.existingDatabase(named: request.name.rawValue) else {
                return nil
            }
            let key = CacheFormat.directoryKey(request.fingerprint, store: request.token.storeIdentity)
            let bytes = try environment.read { (transaction) throws(LMDBError) in
                try transaction.withValue(of: key, in: database) { $0.withUnsafeBytes { Array($0) } }
            }
            guard let bytes, let directory = try? SectionDirectory(decoding: bytes) else { return nil }
            return CachedIndex(
                directory, environment: environment, database: database, fingerprint: request.fingerprint)
        } catch {
            _ = noteFailure(error, of: environment)
            return nil
        }
    }
}
