public import SectionCaching

/// The result of comparing a cache with the data.
public enum CacheVerification: Hashable, Sendable {
    /// The cache would be used, and equals the computed sections and rows.
    case equal(sections: Int, rows: Int)
    /// The cache would not be used, for this reason.
    case unused(MissReason)
    /// The cache would be used and differs from the data as described, which must never happen.
    case different(String)
}
