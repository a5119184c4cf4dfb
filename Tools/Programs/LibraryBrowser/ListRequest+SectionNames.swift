import SectionedFetch
import ToolSupport

extension ListRequest {
    /// Returns the displayed name of a section: `nil` if its rows have no section value, and `""` if they
    /// have an empty text.
    ///
    /// Both sections have an empty `name`.
    func shownName(of section: SectionInfo<ManagedObject>, in container: PersistentContainer) -> String {
        guard section.name.isEmpty, let sectionKey else { return ValueText.shown(section.name) }
        let expression = sectionKey.nameExpression ?? sectionKey.expression
        // A letter is never empty, and a year or a month is a number, so an empty name means no value.
        guard case .value = expression.function else { return ValueText.none }
        guard sectionKey.nameExpression != nil else {
            let isNone = section.identity == StoreSnapshot.GroupStart.identity(of: .null)
            return isNone ? ValueText.none : ValueText.shown("")
        }
        do throws(ObjectStorageError) {
            // Rows of one section may have different names; the section has the name of its first row.
            let property = try KeyPathProperty(
                expression.path, of: fetchRequest.entityName, in: container)
            guard let first = section.objects.first, try !property.value(for: first).isNull else {
                return ValueText.none
            }
            return ValueText.shown("")
        } catch {
            // The listing reports rows that cannot be read.
            return ValueText.none
        }
    }
}
