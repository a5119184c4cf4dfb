public import SectionCaching

/// What comparing a cache with the data came to.
public enum CacheVerification: Hashable, Sendable {
    /// The cache would be used, and is what computing gives.
    case equal(sections: Int, rows: Int)
    /// The cache would not be used, for this reason.
    case unused(MissReason)
    /// The cache would be used and is wrong: something that must never be.
    case different(String)
}
