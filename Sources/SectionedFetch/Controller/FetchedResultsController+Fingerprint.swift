package import SectionCaching

extension FetchedResultsController {
    /// The fingerprint that identifies the request and its section key among all requests of a cache.
    package var fingerprint: RequestFingerprint { request.canonical.fingerprint }
}
