import SectionedFetch
import ToolSupport

extension ListRequest {
    /// What a section is called for people: `nil` where its rows have no value there, and `""` where they
    /// have an empty text.
    ///
    /// Both have the empty name.
    func shownName(of section: SectionInfo<ManagedObject>, in container: PersistentContainer) -> String {
        guard section.name.isEmpty, let sectionKey else { return ValueText.shown(section.name) }
        let expression = sectionKey.nameExpression ?? sectionKey.expression
        // A letter is never empty, a year or a month is a number.
        guard case .value = expression.function else { return ValueText.none }
        guard sectionKey.nameExpression != nil else {
            let isNone = section.identity == StoreSnapshot.GroupStart.identity(of: .null)
            return isNone ? ValueText.none : ValueText.shown("")
        }
        do throws(ObjectStorageError) {
            // Rows of one section may be called otherwise; the first gives it its name.
            let property = try KeyPathProperty(
                expression.path, of: fetchRequest.entityName, in: container)
            guard let first = section.objects.first, try !property.value(for: first).isNull else {
                return ValueText.none
            }
            return ValueText.shown("")
        } catch {
            // Of rows that cannot be read the listing says so.
            return ValueText.none
        }
    }
}
