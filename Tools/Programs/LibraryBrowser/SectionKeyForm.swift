import SectionedFetch
import ToolSupport

/// The forms of the keys of a list's sections, in text and in JSON.
struct SectionKeyForm {
    private let sectionKey: SectionKey?
    /// The property whose values each part of the key has; nil for a computed part.
    private let properties: [KeyPathProperty?]

    /// Creates the forms of the keys of sections, or of subsections.
    init(_ list: ListRequest, ofSubsections: Bool = false, in container: PersistentContainer) {
        sectionKey = ofSubsections ? nil : list.sectionKey
        let keys = ofSubsections ? [list.subgroup].compactMap(\.self) : list.groups
        properties = keys.map { key in
            guard case .value = key.expression.function else { return nil }
            // A computed path, such as that of a count, has no property.
            return try? KeyPathProperty(
                key.expression.path, of: list.fetchRequest.entityName, in: container)
        }
    }

    private func values(of section: SectionInfo<ManagedObject>) -> [StoredValue] {
        guard let sectionKey, properties.count > 1 else { return [section.key ?? .null] }
        return sectionKey.values(of: section)
    }

    /// Returns the key as it can be written for `--section`; nil for a list in one section.
    func text(of section: SectionInfo<ManagedObject>) -> String? {
        guard !properties.isEmpty else { return nil }
        return zip(values(of: section), properties).map { value, property in
            if let property { return ValueText.text(value, of: property) }
            return switch value {
            case .null: ValueText.none
            case .integer(let number): String(number)
            case .real(let number): String(number)
            case .text(let text): ValueText.shown(text)
            case .blob(let bytes): bytes.hexadecimalText
            }
        }.joined(separator: ", ")
    }

    /// Returns the key in JSON: an array for a combined one, and null for a list in one section.
    func json(of section: SectionInfo<ManagedObject>) -> JSONValue {
        guard !properties.isEmpty else { return .null }
        let parts: [JSONValue] = zip(values(of: section), properties).map { value, property in
            if let property { return ValueText.json(value, of: property) }
            return switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .real(let number): .stored(number)
            case .text(let text): .string(text)
            case .blob(let bytes): .string(bytes.hexadecimalText)
            }
        }
        return parts.count == 1 ? parts[0] : .array(parts)
    }
}
