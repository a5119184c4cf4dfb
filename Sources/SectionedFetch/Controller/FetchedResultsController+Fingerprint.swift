package import SectionCaching

extension FetchedResultsController {
    /// The request and its section key in the form whose fingerprint identifies them among all requests of a
    /// cache.
    package var canonicalRequest: CanonicalRequest { request.canonical }

    /// The fingerprint that identifies the request and its section key among all requests of a cache.
    package var fingerprint: RequestFingerprint { canonicalRequest.fingerprint }
}
