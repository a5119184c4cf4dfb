/// The extent to which a fetch verifies a cache entry before it uses the entry.
///
/// At any level, an entry is used only if it was made for exactly this request, this store and this state of
/// its tables. The levels other than ``token`` also detect changes that left the state as it was: by a
/// connection that had switched triggers off, or by a program that wrote the file without SQLite. If a fetch
/// finds such a difference, its results are computed from the store, and
/// ``FetchedResultsController/cacheLookup`` is a miss, ``/SectionCaching/MissReason/contradicted(detail:)``.
///
/// The level applies to results that come from a cache. Results that are updated while changes are followed
/// are not compared any further.
public enum CacheVerificationLevel: Hashable, Sendable {
    /// Only the token is compared. The cost is that of reading the state of the tables.
    case token
    /// The number of rows is also compared with the store's. Detects rows that were inserted or deleted, but
    /// not rows that moved to another section or position.
    ///
    /// The cost is that of SQLite counting the request's rows: O(*n*) for *n* rows, mostly without sorting
    /// them.
    case count
    /// All sections and rows are compared with computed ones. Detects every difference, and costs more than
    /// using no cache.
    case full
}
