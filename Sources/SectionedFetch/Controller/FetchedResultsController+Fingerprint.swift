package import SectionCaching

extension FetchedResultsController {
    /// The request and its section key in the form whose fingerprint identifies them among all requests of a
    /// cache.
    package var canonicalRequest: CanonicalRequest { request.canonical }
}
