import LMDB

extension SectionCacheStore {
    /// The index that is kept for a request as of an earlier state of the same tables, to be brought up to
    /// date by what changed since.
    ///
    /// - Returns: The index and the token that it is as of, perhaps with another schema; nil if there is
    ///   none.
    package func outdatedIndex(
        for request: SectionCacheRequest
    ) -> (index: SectionIndex, token: StoreToken)? {
        guard !isForked, !isDeleting(request.name), let cached = index(for: request),
            let token = cached.directory.token,
            case .dataChanged = mismatch(of: cached.directory, with: request)
        else { return nil }
        return (SectionIndex(backing: .cache(cached)), token)
    }

    /// The entry with a request's key, whatever it is as of; nil if there is none that can be decoded.
    /// Nothing of it is authentic yet.
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
