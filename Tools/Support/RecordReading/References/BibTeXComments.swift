/// The entries of a BibTeX file that are not read: those in comments, and those that lack the sign `@`.
struct BibTeXComments {
    private(set) var count = 0
    private var firstLine = 0

    /// Adds an entry.
    mutating func add(line: Int) {
        if count == 0 { firstLine = line }
        count += 1
    }

    /// Adds entries that follow.
    mutating func add(_ other: BibTeXComments) {
        if count == 0 { firstLine = other.firstLine }
        count += other.count
    }

    /// A sentence about the entries, or nil if there are none.
    var note: String? {
        switch count {
        case 0: nil
        case 1:
            "The text in line \(firstLine) looks like an entry in a comment, or without “@”, and is left out."
        default:
            "\(count) texts look like entries in comments, or without “@”, and are left out; the first is in line \(firstLine)."
        }
    }

    /// The usual types of entries.
    static let types = Set(
        """
        article artwork audio book bookinbook booklet collection conference dataset electronic inbook \
        incollection inproceedings inreference manual mastersthesis misc mvbook online patent periodical \
        phdthesis proceedings reference report software suppbook techreport thesis unpublished video www
        """.split(separator: " ").map { Array($0.utf8) })

    /// Returns whether a line that is no entry has the type of an entry and a brace.
    static func lacksSign(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.drop(while: \.isBlank)
        let type = text.prefix(while: \.isLetter)
        guard type.count <= 16, types.contains(type.map { $0 | 0x20 }) else { return false }
        return text.dropFirst(type.count).drop(while: \.isBlank).first == UInt8(ascii: "{")
    }
}
