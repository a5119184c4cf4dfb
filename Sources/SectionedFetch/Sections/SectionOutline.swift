import InternalUtilities
import ObjectStorage
import SectionCaching

/// The sections above the subsections of an index: runs of subsections with the same outer key.
final class SectionOutline: Sendable {
    private let index: SectionIndex
    private let state = LockedValue<[Int]?>(nil)

    init(_ index: SectionIndex) { self.index = index }

    /// The position of the first subsection of each section.
    ///
    /// - Complexity: O(1); O(*s*) in the number of subsections for the first access.
    var starts: [Int] {
        state.withLock { state in
            if let state { return state }
            var starts: [Int] = []
            var previous: [UInt8]?
            for position in 0..<index.numberOfSections {
                let identity = Self.outerIdentity(of: index.identity(ofSection: position))
                if identity != previous { starts.append(position) }
                previous = identity
            }
            state = starts
            return starts
        }
    }

    /// Returns the identity of the section that contains a subsection with an identity.
    static func outerIdentity(of identity: [UInt8]) -> [UInt8] { keys(of: identity).outer.sectionIdentity }

    /// Returns the keys of a subsection with an identity, and of its section.
    static func keys(of identity: [UInt8]) -> (outer: StoredValue, inner: StoredValue) {
        guard case .blob(let bytes)? = StoredValue(sectionIdentity: identity),
            let values = CombinedValue.values(in: bytes), values.count == 2
        else { return (.null, .null) }
        return (values[0], values[1])
    }

    /// Returns the positions of two runs of subsections with the same outer key, if the order does not keep
    /// sections together; nil if it does.
    func repeatedSection() -> (first: Int, second: Int)? {
        var known: [[UInt8]: Int] = [:]
        for start in starts {
            let identity = Self.outerIdentity(of: index.identity(ofSection: start))
            if let first = known.updateValue(start, forKey: identity) { return (first, start) }
        }
        return nil
    }
}
