import Foundation
import SectionCaching
import SectionedFetch
import ToolSupport

/// The name of a cached section, which distinguishes no value from an empty text.
///
/// The cached name is empty in both cases, and the value in the section's identity distinguishes them. If
/// sections are named by another key than their own, the cache does not contain the values of the names.
struct CachedSectionName {
    /// The names by each part of the section's key; none for a list in one section.
    private let parts: [String?]
    private let separator: String
    private let text: String

    init(_ section: SectionIndex.Section) {
        text = section.name
        let nested = NestedName(section.name)
        separator = nested == nil ? ", " : " › "
        let key = StoredValue(sectionIdentity: section.identity)
        var values = key.map { [$0] } ?? []
        var names = key == nil ? [] : [section.name]
        if case .blob(let bytes)? = key, let combined = CombinedValue.values(in: bytes) {
            let divided =
                nested.map { [$0.outer, $0.inner] } ?? section.name.components(separatedBy: separator)
            // A name that contains the separator cannot be divided.
            if combined.count > 1, divided.count == combined.count { (values, names) = (combined, divided) }
        }
        parts = zip(names, values).map { name, value in name.isEmpty && value.isNull ? nil : name }
    }

    /// The name as library-browser shows it.
    var shown: String { parts.map(ValueText.title).joined(separator: separator) }

    /// The names as members of a JSON object: null for no value. The name by a combined key is never null.
    var members: [JSONValue.Member] {
        if let nested = NestedName(text) {
            guard parts.count == 2 else {
                return [
                    .init("name", .string(nested.inner)), .init("outerName", .string(nested.outer)),
                ]
            }
            return [
                .init("name", .string(ifPresent: parts[1])), .init("outerName", .string(ifPresent: parts[0])),
            ]
        }
        let name = parts.count == 1 ? parts[0] : text
        return [.init("name", .string(ifPresent: name))]
    }
}
