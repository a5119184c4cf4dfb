/// A request to look up or save: a canonical request under a cache name, for one state of a store.
public struct SectionCacheRequest: Sendable {
    /// The name of the cache.
    public let name: CacheName
    /// The request.
    public let request: CanonicalRequest
    /// The state of the data.
    public let token: StoreToken
    /// The store's key, which authenticates entries.
    public let authenticationKey: [UInt8]
    /// The digest of the request, computed once.
    let fingerprint: RequestFingerprint

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - name: The name of the cache.
    ///   - request: The request.
    ///   - token: The state of the data.
    ///   - authenticationKey: The store's key, which authenticates entries.
    /// - Complexity: O(*n*) in the bytes of the request, whose digest is computed.
    public init(name: CacheName, request: CanonicalRequest, token: StoreToken, authenticationKey: [UInt8]) {
        self.name = name
        self.request = request
        self.token = token
        self.authenticationKey = authenticationKey
        fingerprint = request.fingerprint
    }

    /// Creates a copy of a request with another name, token and key.
    package init(
        _ other: SectionCacheRequest, name: CacheName, token: StoreToken, authenticationKey: [UInt8]
    ) {
        self.name = name
        request = other.request
        self.token = token
        self.authenticationKey = authenticationKey
        fingerprint = other.fingerprint
    }
}
