/// A line of RIS.
enum RISLine {
    /// A tag in its exact form, and its value.
    case field(tag: [UInt8], value: [UInt8])
    /// A line with a tag that is not written exactly.
    case malformed(tag: [UInt8])
    /// A line without a tag, which continues the value above.
    case text
    /// A line of blanks.
    case empty

    /// The tag of the line, or nil.
    var tag: [UInt8]? {
        switch self {
        case .field(let tag, _), .malformed(let tag): tag
        case .text, .empty: nil
        }
    }

    /// The tags of RIS.
    private static let tags = Set(
        """
        TY A1 A2 A3 A4 A5 AB AD AN AU AV BT C1 C2 C3 C4 C5 C6 C7 C8 CA CN CP CT CY DA DB DO DP ED EP ER ET FD \
        H1 H2 ID IS J1 J2 JA JF JO KW L1 L2 L3 L4 LA LB LK M1 M2 M3 N1 N2 NO NV OP PB PP PY RD RI RN RP RT SE \
        SF SN SP SR ST SV T1 T2 T3 TA TI TT U1 U2 U3 U4 U5 UR VL VO WP WT WV Y1 Y2 YR
        """.split(separator: " ").map { Array($0.utf8) })
    /// The tags of abstracts and notes, whose lines may begin with two letters and a hyphen: T1-weighted.
    private static let textTags = Set(["AB", "N1", "N2", "NO", "RN"].map { Array($0.utf8) })

    /// Recognizes a line.
    ///
    /// - Parameter above: The tag of the value that the line may continue, or nil.
    init(_ line: [UInt8], after above: [UInt8]? = nil) {
        if let tag = RISParser.tag(of: line) {
            self = .field(tag: tag, value: Array(line[5...].withoutBlanks))
        } else if line.allSatisfy(\.isBlank) {
            self = .empty
        } else {
            let isText = above.map(Self.textTags.contains) == true
            self = Self.malformedTag(of: line, isText: isText).map { .malformed(tag: $0) } ?? .text
        }
    }

    /// Returns the tag that a line is meant to have, in capital letters.
    ///
    /// - Parameter isText: Whether the line may continue an abstract or a note.
    private static func malformedTag(of line: [UInt8], isText: Bool) -> [UInt8]? {
        let text = line[...].withoutBlanks
        let isIndented = line.first?.isBlank == true
        guard let first = text.first, first.isLetter, let second = text.dropFirst().first,
            second.isLetter || second.isDigit
        else { return nil }
        let tag = [first, second].map { $0.isLetter ? $0 & 0xDF : $0 }
        let isCapital = tag == [first, second]
        let isKnown = tags.contains(tag)
        let blanks = text.dropFirst(2).prefix(while: \.isBlank).count
        let rest = text.dropFirst(2 + blanks)
        // Word processors replace a hyphen by a dash.
        let sign = ["-", "\u{2013}", "\u{2014}"].map { Array($0.utf8) }.first { rest.starts(with: $0) }
        guard let sign else {
            // A hyphen may be missing.
            return isCapital && isKnown && !isIndented && !isText && blanks >= 2 && !rest.isEmpty ? tag : nil
        }
        let isSeparated = rest.dropFirst(sign.count).first?.isBlank ?? true
        let isMeant =
            if isIndented {
                isCapital && blanks >= 2 && isSeparated && (isKnown || !isText)
            } else if !isCapital {
                isKnown && isSeparated && (blanks >= 2 || !isText)
            } else if blanks >= 2 {
                true
            } else if isSeparated {
                !isText || isKnown
            } else {
                isKnown && !isText
            }
        return isMeant ? tag : nil
    }
}
