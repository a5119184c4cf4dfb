/// The name of a subsection with the name of its section, as one text. Indexes of nested sections store both.
public struct NestedName: Hashable, Sendable {
    /// The name of the section.
    public let outer: String
    /// The name of the subsection.
    public let inner: String

    private static let mark: Character = "\u{1F}"

    /// Creates the name of a subsection.
    ///
    /// - Parameters:
    ///   - outer: The name of the section.
    ///   - inner: The name of the subsection.
    public init(outer: String, inner: String) {
        self.outer = outer
        self.inner = inner
    }

    /// Reads the two names in a text; nil for a text that is not a nested name.
    ///
    /// - Parameter text: A text that may be that of a nested name.
    public init?(_ text: String) {
        // Scalars, because a name may begin with a combining mark.
        let scalars = text.unicodeScalars
        guard let first = scalars.first, Character(first) == Self.mark else { return nil }
        let rest = scalars.dropFirst()
        guard let end = rest.firstIndex(where: { Character($0) == Self.mark }),
            let count = Int(String(rest[..<end]))
        else { return nil }
        let names = text.utf8[text.utf8.index(end, offsetBy: 1)...]
        guard count >= 0, count <= names.count else { return nil }
        let middle = names.index(names.startIndex, offsetBy: count)
        outer = String(decoding: names[..<middle], as: UTF8.self)
        inner = String(decoding: names[middle...], as: UTF8.self)
    }

    /// The text: U+001F, the number of bytes of the section's name in UTF-8, U+001F, and both names.
    public var text: String { "\(Self.mark)\(outer.utf8.count)\(Self.mark)\(outer)\(inner)" }
}
