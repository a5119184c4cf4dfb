import Foundation
import InternalUtilities
import LMDB
import Synchronization

extension SectionCacheStore {
    /// Looks up a request.
    ///
    /// - Parameter request: The request, with the name of its cache and the state of the data.
    /// - Returns: A hit if the format, the store, the bytes of the request and the token of the stored entry
    ///   match and the entry is authentic; otherwise a miss with the reason. Rows are checked when they are
    ///   read.
    /// - Complexity: O(*b*) in the bytes of the entry's directory, which has 72 bytes for each chunk of
    ///   several thousand rows. If the cache lacks the entry, its other directories are read as well.
    public func lookUp(_ request: SectionCacheRequest) -> CacheLookup {
        if isForked { return .miss(.off(.forked)) }
        switch environment() {
        case .failure(let failure): return .miss(failure.reason)
        case .success where isDeleting(request.name): return .miss(.absent)
        case .success(let environment):
            do throws(LMDBError) {
                let lookup = try lookUp(request, in: environment)
                guard case .miss(.absent) = lookup, let reason = replacement.withLock({ $0 }) else {
                    return lookup
                }
                return .miss(reason)
            } catch {
                return .miss(noteFailure(error, of: environment))
            }
        }
    }

    /// Records an error that liblmdb reported during an operation, and begins a new directory if the file is
    /// damaged.
    func noteFailure(_ error: LMDBError, of environment: Environment) -> MissReason {
        // A full disk truncates a write, which liblmdb reports as an input/output error.
        let isFull = error.code.rawValue == EIO && CacheDirectory.isFull(path)
        let reason = isFull ? .off(.diskFull) : CacheUnavailable(error).reason
        note(reason)
        if error.isDamage { leave(damaged: environment, reason) }
        if error.code == .mapResized { leave(outgrown: environment) }
        return reason
    }

    private func lookUp(
        _ request: SectionCacheRequest, in environment: Environment
    ) throws(LMDBError) -> CacheLookup {
        guard let database = try environment.existingDatabase(named: request.name.rawValue) else {
            return .miss(.absent)
        }
        return try environment.read { (transaction) throws(LMDBError) -> CacheLookup in
            let key = CacheFormat.directoryKey(request.fingerprint, store: request.token.storeIdentity)
            let found = try transaction.withValue(of: key, in: database) { $0.withUnsafeBytes { Array($0) } }
            guard let found else { return .miss(try reason(for: request, in: database, transaction)) }
            do throws(SectionDirectory.DecodingFailure) {
                let directory = try SectionDirectory(decoding: found)
                if let reason = mismatch(of: directory, with: request) { return .miss(reason) }
                let cached = CachedIndex(
                    directory, environment: environment, database: database, fingerprint: request.fingerprint)
                return .hit(SectionIndex(backing: .cache(cached)))
            } catch {
                return .miss(error.missReason)
            }
        }
    }

    func mismatch(of directory: SectionDirectory, with request: SectionCacheRequest) -> MissReason? {
        guard directory.isAuthentic(name: request.name, key: request.authenticationKey) else {
            return directory.isIntact ? .forged : .corrupt(detail: "the directory does not match its digest")
        }
        guard directory.storeIdentity == request.token.storeIdentity else { return .storeReplaced }
        guard directory.canonicalBytes.elementsEqual(request.request.bytes) else {
            return .requestChanged(parts: [.fingerprint])
        }
        guard let token = directory.token else { return .corrupt(detail: "the directory has no valid token") }
        return request.token.mismatch(with: token)
    }

    /// Returns the reason why a name has no entry for a request: it is empty, or has only entries of other
    /// stores or other requests.
    private func reason(
        for request: SectionCacheRequest, in database: NamedDatabase, _ transaction: borrowing ReadTransaction
    ) throws(LMDBError) -> MissReason {
        var isOfOtherStore = false
        var others: [CanonicalRequest] = []
        try transaction.forEachDirectory(in: database) { key, value in
            guard let directory = try? SectionDirectory(decoding: value.withUnsafeBytes { Array($0) }) else {
                return
            }
            if key.prefix(32).elementsEqual(request.fingerprint.bytes) {
                isOfOtherStore = true
            } else if let other = CanonicalRequest(bytes: Array(directory.canonicalBytes), summary: "") {
                others.append(other)
            }
        }
        if isOfOtherStore { return .storeReplaced }
        return request.request.missReason(beside: others)
    }
}

extension CanonicalRequest {
    /// Returns the reason for the miss of a request whose cache has only entries of other requests: the parts
    /// in which the most similar one differs.
    package func missReason(beside others: [CanonicalRequest]) -> MissReason {
        guard let parts = others.map(differences).min(by: { $0.count < $1.count }) else { return .absent }
        return parts == [.environment] ? .environmentChanged : .requestChanged(parts: parts)
    }

    /// Returns the names of the parts in which two requests differ.
    private func differences(from other: CanonicalRequest) -> [RequestPart] {
        let others = Dictionary(other.parts.map { ($0.name, $0.bytes) }) { first, _ in first }
        let names = Set(parts.map(\.name))
        let differing =
            parts.filter { others[$0.name] != $0.bytes }.map(\.name)
            + other.parts.map(\.name).filter { !names.contains($0) }
        return differing.map(RequestPart.init(rawValue:))
    }
}

extension ReadTransaction {
    /// Calls a closure with each directory of a cache, skipping the chunks.
    func forEachDirectory(
        in database: NamedDatabase, _ body: (_ key: [UInt8], _ value: RawSpan) -> Void
    ) throws(LMDBError) {
        var start: [UInt8]? = []
        while let from = start {
            start = nil
            try forEach(in: database, from: from.isEmpty ? nil : from) { key, value in
                if key.count == CacheFormat.directoryKeySize {
                    body(key, value)
                    return true
                }
                // Any other key can only be damage, and is skipped alone.
                guard key.count == CacheFormat.chunkKeySize, key[48] == CacheFormat.Kind.chunk.rawValue else {
                    return true
                }
                // Continue after the last chunk that this entry could have.
                start = Array(key.prefix(48)) + [CacheFormat.Kind.chunk.rawValue + 1]
                return false
            }
        }
    }
}
