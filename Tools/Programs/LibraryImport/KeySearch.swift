import InternalUtilities
import RecordReading
import SectionedFetch

/// A search for a column whose values tell all rows apart, for an import without a key.
struct KeySearch {
    /// The number of columns that are compared at the same time, each with up to 16 MB.
    private static let capacity = 3
    /// The number of rows for which a column with any name is a key.
    static let leastRows = 20

    /// The types of keys.
    static let types: Set<AttributeType> = [.integer16, .integer32, .integer64, .string, .uuid]

    /// A column that may be a key.
    private struct Candidate {
        let position: Int
        var check = KeyCheck()
    }

    private var candidates: [Candidate]

    /// Whether a column is left.
    var isOpen: Bool { !candidates.isEmpty }
    /// The position of the attribute whose column tells all rows apart, or nil. Valid after the last row.
    var position: Int? { candidates.first?.position }

    /// Begins a search.
    ///
    /// - Parameter positions: The positions of attributes, the preferred ones first.
    init(_ positions: [Int]) { candidates = positions.prefix(Self.capacity).map { Candidate(position: $0) } }

    /// Compares the values of the current record with those before.
    ///
    /// - Parameter lend: Lends the bytes of the field of an attribute.
    mutating func add(_ lend: (Int, (UnsafeRawBufferPointer?) -> Void) -> Void) {
        guard isOpen else { return }
        candidates = candidates.compactMap { candidate in
            var candidate = candidate
            var isDistinct = false
            lend(candidate.position) { bytes in
                if let bytes { isDistinct = candidate.check.doubt(.blob(Array(bytes))) == nil }
            }
            return isDistinct ? candidate : nil
        }
    }

    /// Returns the rank of a column by its name as a key: lower ones are preferred.
    static func rank(ofColumn name: String) -> Int {
        let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        let preferred = [
            "id", "uuid", "guid", "isbn", "isbn13", "isbn10", "issn", "key", "code", "sku", "ean",
        ]
        return preferred.indices.first { words.contains(preferred[$0]) } ?? preferred.count
    }
}
