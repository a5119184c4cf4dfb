/// The result of looking up a request in a cache. A cache that cannot answer is a value with a reason, never
/// an error.
public enum CacheLookup: Sendable {
    /// The sections and rows for the requested token.
    case hit(SectionIndex)
    /// The cache had the sections and rows of an earlier state, and they were updated with the rows that
    /// changed since.
    case advanced(SectionIndex, changedRows: Int)
    /// The cache does not answer, for this reason.
    case miss(MissReason)

    /// Whether the sections need not be computed.
    public var isHit: Bool {
        if case .miss = self { false } else { true }
    }
}

extension CacheLookup: CustomStringConvertible {
    /// `hit`, `hit, advanced by 3 changed rows`, or `miss: ` and the reason in words.
    public var description: String {
        switch self {
        case .hit: "hit"
        case .advanced(_, let count): "hit, advanced by \(count) changed row\(count == 1 ? "" : "s")"
        case .miss(let reason): "miss: \(reason)"
        }
    }
}
