/// How far a fetch verifies what a cache says before it uses it.
///
/// A cache entry is used only if it was made for just this request, this store and this state of its tables,
/// at any level. What no level but the others than ``token`` notices is a change that left the state as it
/// was: by a connection that had switched triggers off, or by whoever wrote the file without SQLite. The
/// results of a fetch that finds such a difference are computed and right, and
/// ``FetchedResultsController/cacheLookup`` is a miss, ``SectionCaching/MissReason/contradicted(detail:)``.
///
/// The level is asked of what comes from a cache: results that are brought up to date while changes are
/// followed are compared no further.
public enum CacheVerificationLevel: Hashable, Sendable {
    /// By its token alone. Costs nothing beyond reading the state of the tables.
    case token
    /// Its number of rows is compared with the store's as well. Notices rows that came or went, not those
    /// that moved to another section or place.
    ///
    /// Costs what SQLite needs to count the request's rows: O(*n*) for *n* rows, mostly without sorting them.
    case count
    /// All its sections and rows are compared with what computing gives. Notices everything, and costs more
    /// than no cache at all.
    case full
}
