package import SectionCaching

extension FetchedResultsController {
    /// What tells the request, with its section key, apart from all others in a cache.
    package var fingerprint: RequestFingerprint { request.canonical.fingerprint }
}
