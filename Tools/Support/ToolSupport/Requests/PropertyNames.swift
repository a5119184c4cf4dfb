package import SectionedFetch

/// The properties of an entity, by which a command line with an unquoted name is read, and the rule by which
/// names are quoted.
///
/// In every option, a name with characters that the option's syntax uses is written as in the predicate
/// language: `#"dc:title"`, with a backslash before a quote or a backslash. As there, the quotes of a name
/// that needs none may be omitted: `#order`.
package struct PropertyNames: Sendable {
    /// The rule for names, for `--help`.
    package static let help =
        "In every option, a property whose name has characters of the option's syntax is written #\"dc:title\"; without quotes, dc:title is the property of that name, if it exists."

    /// Returns whether a property exists.
    private let exists: @Sendable (String) -> Bool

    private init(exists: @escaping @Sendable (String) -> Bool) { self.exists = exists }

    /// Without properties, as if no unquoted name had characters of the syntax.
    package static let none = PropertyNames { _ in false }

    /// Creates the properties of an entity, or of a list of several, with those of related objects.
    package init(of entityName: String, in model: ManagedObjectModel) {
        self.init { path in
            var entity = model.list(named: entityName)
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            for (position, name) in names.enumerated() {
                guard let owner = entity else { return false }
                entity = nil
                if let relationship = owner.relationship(named: name) {
                    entity = model.entity(named: relationship.destinationEntityName)
                } else if owner.attribute(named: name) == nil, name != "objectID" {
                    return false
                } else if position < names.count - 1 {
                    return false
                }
            }
            return true
        }
    }

    /// Returns whether a dotted key path without quotes leads to a property.
    package func contains(_ path: String) -> Bool { exists(path) }

    /// Returns the key paths of a list that is separated by commas, without quotes.
    package func paths(_ text: String) -> [String] {
        if contains(text) { return [text] }
        return Self.split(text, at: ",").map { part in
            let path = String(part.drop { $0 == " " })
            return contains(path) ? path : Self.unquoted(path)
        }
    }

    /// Removes the words of the longest existing property from the front of words that were separated by
    /// colons, and returns its key path; nil if no property is named so.
    func takePath(from words: inout ArraySlice<String>, atLeast minimum: Int = 1) -> String? {
        guard words.count >= minimum else { return nil }
        for count in stride(from: words.count, through: max(minimum, 1), by: -1) {
            let path = words.prefix(count).joined(separator: ":")
            guard contains(path) else { continue }
            words.removeFirst(count)
            return path
        }
        return nil
    }
}

extension PropertyNames {
    private static let mark = "#\""

    /// Returns whether a text begins with a quoted name.
    static func isQuoted(_ text: some StringProtocol) -> Bool { text.hasPrefix(mark) }

    /// Splits a text at a separator outside quoted names. Empty parts are kept.
    package static func split(_ text: String, at separator: Unicode.Scalar) -> [String] {
        var parts: [String] = []
        var part = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if let name = quotedName(at: rest) {
                part.append(contentsOf: name.source)
                rest = rest[name.source.endIndex...]
            } else {
                rest = rest.dropFirst()
                if scalar == separator {
                    parts.append(String(part))
                    part.removeAll()
                } else {
                    part.append(scalar)
                }
            }
        }
        return parts + [String(part)]
    }

    /// Returns a dotted key path without the number signs and quotes of its names.
    static func unquoted(_ path: String) -> String {
        guard path.contains("#") else { return path }
        return split(path, at: ".").map { name in
            // A number sign also precedes a name without quotes, which may be a keyword: #order.
            let rest = name.dropFirst()
            if name.hasPrefix("#"), !rest.isEmpty, rest.utf8.allSatisfy(PredicateName.isIdentifierByte) {
                return String(rest)
            }
            let scalars = name.unicodeScalars[...]
            guard let quoted = quotedName(at: scalars), quoted.source.endIndex == scalars.endIndex else {
                return name
            }
            return quoted.name
        }.joined(separator: ".")
    }

    /// Returns the name of a column or property that is a whole option, without its quotes if it has any.
    package static func name(_ text: String) -> String {
        var rest = Substring(text)
        guard let name = takeQuotedName(from: &rest), rest.isEmpty else { return text }
        return name
    }

    /// Removes a quoted name from the front of a text, and returns it without its quotes; nil if the text
    /// does not begin with one.
    package static func takeQuotedName(from text: inout Substring) -> String? {
        guard let quoted = quotedName(at: text.unicodeScalars) else { return nil }
        text = text[quoted.source.endIndex...]
        return quoted.name
    }

    /// Returns the parts of a list of names that is separated by commas, without their quotes.
    package static func list(_ text: String) -> [String] { split(text, at: ",").map(name) }

    /// Returns the key path of a property as the options take it: with quotes if it needs them.
    package static func written(_ path: String) -> String {
        path.split(separator: ".", omittingEmptySubsequences: false).map { name in
            let isPlain = name.utf8.allSatisfy { byte in
                byte >= 0x80 || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
                    || (0x41...0x5A).contains(byte & 0xDF)
            }
            return isPlain ? String(name) : "#" + ValueText.quoted(String(name))
        }.joined(separator: ".")
    }

    /// Returns the quoted name at the beginning of a text, with its source; nil for another text, and for one
    /// without a closing quote.
    static func quotedName(
        at text: Substring.UnicodeScalarView
    ) -> (name: String, source: Substring.UnicodeScalarView)? {
        guard text.starts(with: mark.unicodeScalars) else { return nil }
        var name = String.UnicodeScalarView()
        var isEscaped = false
        var index = text.index(text.startIndex, offsetBy: 2)
        while index < text.endIndex {
            let scalar = text[index]
            index = text.index(after: index)
            if isEscaped {
                name.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                return (String(name), text[text.startIndex..<index])
            } else {
                name.append(scalar)
            }
        }
        return nil
    }
}
