/// What is looked up or saved: a request under a name, for a store as of a token.
public struct SectionCacheRequest: Sendable {
    /// The cache.
    public let name: CacheName
    /// The request.
    public let request: CanonicalRequest
    /// The data as of when.
    public let token: StoreToken
    /// The store's key, which authenticates entries.
    public let authenticationKey: [UInt8]
    /// The digest of the request, worked out once.
    let fingerprint: RequestFingerprint

    /// Makes a request.
    public init(name: CacheName, request: CanonicalRequest, token: StoreToken, authenticationKey: [UInt8]) {
        self.name = name
        self.request = request
        self.token = token
        self.authenticationKey = authenticationKey
        fingerprint = request.fingerprint
    }

    /// The same request under a name, as of a token.
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
