import LMDB

/// One entry of a cache, for inspection.
public struct CacheEntry: Sendable {
    /// The name of the cache.
    public let name: CacheName
    /// The digest of the request.
    public let fingerprint: RequestFingerprint
    /// The request with its description and parts; nil if the entry is damaged.
    public let request: CanonicalRequest?
    /// The state of the data; nil if the entry is damaged.
    public let token: StoreToken?
    /// The sections; nil if the entry is damaged.
    public let index: SectionIndex?
    /// The number of bytes of the directory.
    public let directoryByteCount: Int
    /// The number of chunks.
    public let numberOfChunks: Int
    /// The number of bytes of the directory and all chunks.
    public let byteCount: Int
    /// The number of the commit that saved the entry. A larger number is newer.
    public let sequence: UInt64
    /// The reason why the entry cannot be used even for its own request: another format, or damage. Nil if
    /// directory and chunks are as they were written. It does not cover whether the entry is authentic; see
    /// ``SectionCacheStore/lookUp(_:)``.
    public let problem: MissReason?
    /// Whether directory and chunks are as they were written, in the format that this library reads.
    public var isIntact: Bool { problem == nil }
}

/// The sizes and counts of a directory of caches.
public struct CacheStatistics: Hashable, Sendable {
    /// The maximum size of the data file, in bytes.
    public let mapByteCount: Int
    /// The number of bytes up to the last page in use.
    public let usedByteCount: Int
    /// The number of bytes of a page.
    public let pageByteCount: Int
    /// The number of caches.
    public let numberOfCaches: Int
    /// The number of entries.
    public let numberOfEntries: Int
    /// The maximum number of reader slots that were used at the same time.
    public let numberOfReaders: Int
}

extension SectionCacheStore {
    /// Returns the names of the caches that contain entries, in order.
    ///
    /// - Throws: ``CacheInspectionError`` if the directory cannot be read.
    /// - Complexity: O(*n* log *n*) in the number of caches.
    public func cacheNames() throws(CacheInspectionError) -> [CacheName] {
        try inspect { (environment) throws(LMDBError) in
            var names: [CacheName] = []
            for name in try environment.databaseNames() {
                guard let name = try? CacheName(name) else { continue }
                guard let database = try environment.existingDatabase(named: name.rawValue) else { continue }
                let isEmpty = try environment.read { (transaction) throws(LMDBError) in
                    try transaction.statistics(of: database).entries == 0
                }
                if !isEmpty { names.append(name) }
            }
            return names.sorted()
        } ?? []
    }

    /// Returns the entries of a cache, newest first.
    ///
    /// - Parameter name: The name of the cache. A cache that does not exist has no entries.
    /// - Throws: ``CacheInspectionError`` if the directory cannot be read.
    /// - Complexity: O(*b*) in the bytes of the entries.
    public func entries(ofCache name: CacheName) throws(CacheInspectionError) -> [CacheEntry] {
        try inspect { (environment) throws(LMDBError) in
            guard let database = try environment.existingDatabase(named: name.rawValue) else { return [] }
            return try environment.read { (transaction) throws(LMDBError) -> [CacheEntry] in
                var entries: [CacheEntry] = []
                try transaction.forEachDirectory(in: database) { key, value in
                    let bytes = value.withUnsafeBytes { Array($0) }
                    entries.append(Self.entry(name, key: key, bytes: bytes, environment, database))
                }
                return entries.sorted { $0.sequence > $1.sequence }
            }
        } ?? []
    }

    /// Returns the sizes and counts of the directory; nil if it does not exist.
    ///
    /// - Throws: ``CacheInspectionError`` if the directory cannot be read.
    /// - Complexity: O(*b*) in the bytes of the entries of all caches.
    public func statistics() throws(CacheInspectionError) -> CacheStatistics? {
        let names = try cacheNames()
        var numberOfEntries = 0
        for name in names { numberOfEntries += try entries(ofCache: name).count }
        return try inspect { (environment) throws(LMDBError) in
            let information = try environment.information()
            return CacheStatistics(
                mapByteCount: information.mapSize,
                usedByteCount: (information.lastPage + 1) * environment.pageSize,
                pageByteCount: environment.pageSize, numberOfCaches: names.count,
                numberOfEntries: numberOfEntries,
                numberOfReaders: information.readers)
        }
    }

    private static func entry(
        _ name: CacheName, key: [UInt8], bytes: [UInt8], _ environment: Environment, _ database: NamedDatabase
    ) -> CacheEntry {
        let fingerprint = RequestFingerprint(bytes: Array(key.prefix(32)))
        let directory: SectionDirectory
        do throws(SectionDirectory.DecodingFailure) {
            directory = try SectionDirectory(decoding: bytes)
        } catch {
            return CacheEntry(
                name: name, fingerprint: fingerprint, request: nil, token: nil, index: nil,
                directoryByteCount: bytes.count, numberOfChunks: 0, byteCount: bytes.count, sequence: 0,
                problem: error.missReason)
        }
        let cached = CachedIndex(
            directory, environment: environment, database: database, fingerprint: fingerprint)
        return CacheEntry(
            name: name, fingerprint: fingerprint,
            request: CanonicalRequest(bytes: Array(directory.canonicalBytes), summary: directory.summary),
            token: directory.token, index: SectionIndex(backing: .cache(cached)),
            directoryByteCount: bytes.count,
            numberOfChunks: directory.numberOfChunks, byteCount: bytes.count + directory.chunkByteCount,
            sequence: directory.layout.sequence, problem: problem(of: directory, cached))
    }

    private static func problem(of directory: SectionDirectory, _ cached: CachedIndex) -> MissReason? {
        guard directory.isIntact else { return .corrupt(detail: "the directory does not match its digest") }
        guard directory.token != nil else { return .corrupt(detail: "the directory has no valid token") }
        return cached.isWhole() ? nil : .corrupt(detail: "some of its rows do not match their digest")
    }

    /// Runs a closure with the environment, or returns nil if the directory does not exist.
    private func inspect<Result>(
        _ body: (Environment) throws(LMDBError) -> Result
    ) throws(CacheInspectionError) -> Result? {
        switch environment() {
        case .failure(let failure):
            if failure.reason == .absent { return nil }
            throw CacheInspectionError(reason: failure.reason)
        case .success(let environment):
            do throws(LMDBError) {
                return try body(environment)
            } catch {
                throw CacheInspectionError(reason: noteFailure(error, of: environment))
            }
        }
    }
}

/// The error of a directory of caches that cannot be read.
public struct CacheInspectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason.
    public let reason: MissReason

    /// A description of the error.
    public var description: String { "The cache cannot be read: \(reason)." }
}
