import Foundation
import SectionedFetch
import ToolSupport

extension ListRequest {
    /// Returns the displayed name of a section: `nil` if its rows have no section value, `""` if they have an
    /// empty text, and `true` or `false` for a Boolean attribute. The names by the parts of a combined key
    /// are separated by commas.
    ///
    /// The sections of no value and of the empty text both have an empty `name`.
    func shownName(of section: SectionInfo<ManagedObject>, in container: PersistentContainer) -> String {
        guard let sectionKey, let key = groups.first else { return ValueText.shown(section.name) }
        let values = sectionKey.values(of: section)
        guard groups.count > 1 else {
            return shownName(section.name, of: values.first, key, section, in: container)
        }
        let separator = ", "
        let names = section.name.components(separatedBy: separator)
        // A name that contains the separator cannot be divided, and an empty part of it stays empty.
        guard names.count == groups.count, values.count == groups.count else {
            return ValueText.shown(section.name)
        }
        return groups.indices.map { shownName(names[$0], of: values[$0], groups[$0], section, in: container) }
            .joined(separator: separator)
    }

    /// Returns the displayed name of a subsection.
    func shownName(ofSubsection subsection: SectionInfo<ManagedObject>, in container: PersistentContainer)
        -> String
    {
        guard let subgroup else { return ValueText.shown(subsection.name) }
        return shownName(subsection.name, of: subsection.key, subgroup, subsection, in: container)
    }

    /// Returns the name of a section, or nil if its rows have no section value. The name by a combined key is
    /// never nil.
    func name(of section: SectionInfo<ManagedObject>, in container: PersistentContainer) -> String? {
        guard let sectionKey, groups.count == 1, let key = groups.first else { return section.name }
        let value = sectionKey.values(of: section).first
        return hasName(section.name, of: value, key, section, in: container) ? section.name : nil
    }

    /// Returns the name of a subsection, or nil if its rows have no value.
    func name(
        ofSubsection subsection: SectionInfo<ManagedObject>, in container: PersistentContainer
    ) -> String? {
        guard let subgroup else { return subsection.name }
        let isNamed = hasName(subsection.name, of: subsection.key, subgroup, subsection, in: container)
        return isNamed ? subsection.name : nil
    }

    private func shownName(
        _ name: String, of value: StoredValue?, _ key: SectionKey, _ section: SectionInfo<ManagedObject>,
        in container: PersistentContainer
    ) -> String {
        guard hasName(name, of: value, key, section, in: container) else { return ValueText.title(nil) }
        return booleanName(name, key, in: container) ?? ValueText.title(name)
    }

    /// Returns whether the displayed name of a section may differ from its name, which is not combined.
    static func mayShowOtherwise(_ name: String) -> Bool { ["", "0", "1"].contains(name) }

    /// Returns the displayed name by a Boolean attribute, which is named as a number; nil for another name.
    private func booleanName(
        _ name: String, _ key: SectionKey, in container: PersistentContainer
    ) -> String? {
        let expression = key.nameExpression ?? key.expression
        guard name == "0" || name == "1", case .value = expression.function,
            let property = try? KeyPathProperty(
                expression.path, of: fetchRequest.entityName, in: container),
            property.kind == .attribute(.boolean)
        else { return nil }
        return name == "1" ? "true" : "false"
    }

    /// Returns whether a name is a text, also an empty one, rather than no value.
    private func hasName(
        _ name: String, of value: StoredValue?, _ key: SectionKey, _ section: SectionInfo<ManagedObject>,
        in container: PersistentContainer
    ) -> Bool {
        guard name.isEmpty else { return true }
        let expression = key.nameExpression ?? key.expression
        // A letter is never empty, and a year or a month is a number, so an empty name means no value.
        guard case .value = expression.function else { return false }
        guard key.nameExpression != nil else { return value != .null }
        do throws(ObjectStorageError) {
            // Rows of one section may have different names; the section has the name of its first row.
            let property = try KeyPathProperty(
                expression.path, of: fetchRequest.entityName, in: container)
            guard let first = section.objects.first else { return false }
            return try !property.value(for: first).isNull
        } catch {
            // The listing reports rows that cannot be read.
            return false
        }
    }
}
