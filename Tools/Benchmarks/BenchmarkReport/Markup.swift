/// A part of a page that is both HTML and XML.
enum Markup {
    case text(String)
    case element(name: String, attributes: [(name: String, value: String)], contents: [Markup])
    /// A style sheet, whose text is not escaped.
    case styleSheet(String)

    /// Returns an element.
    static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ contents: [Markup] = []
    ) -> Markup {
        .element(name: name, attributes: attributes.map { ($0.key, $0.value) }, contents: contents)
    }

    /// Returns an element that contains text.
    static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ text: String
    ) -> Markup { element(name, attributes, [.text(text)]) }

    /// The elements of HTML that never have contents.
    private static let voidElements: Set<String> = ["meta"]
    /// The elements that begin a line.
    private static let lineElements: Set<String> = [
        "section", "h1", "h2", "h3", "p", "table", "tr", "tbody", "thead", "svg", "g", "body", "head", "div",
        "style", "li", "header", "footer",
    ]

    /// The part as text, with escaped characters.
    var source: String {
        var source = ""
        write(to: &source)
        return source
    }

    private func write(to source: inout String) {
        switch self {
        case .text(let text): source += Self.escaped(text)
        case .styleSheet(let text): source += "\n<style>\n\(text)\n</style>"
        case .element(let name, let attributes, let contents):
            if Self.lineElements.contains(name) { source += "\n" }
            source += "<\(name)"
            for attribute in attributes {
                source += " \(attribute.name)=\"\(Self.escaped(attribute.value))\""
            }
            if Self.voidElements.contains(name) {
                source += "/>"
                return
            }
            source += ">"
            for part in contents { part.write(to: &source) }
            source += "</\(name)>"
        }
    }

    /// Returns a text without characters that have a meaning in markup, or that XML does not allow.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
