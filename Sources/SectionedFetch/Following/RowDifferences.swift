import ObjectStorage
import SectionCaching

/// Finds the differences in content of the rows of a change.
struct RowDifferences {
    private let objects: ObjectDifferences
    private let causes: ChangeCauses
    /// Whether the context has merged all changes.
    private let isMerged: Bool
    /// The changed properties of the related rows of each cause, and their old values if one row changed.
    private let related: [Related]

    private struct Related {
        let prefix: String
        /// Nil if the changed properties of some row are unknown.
        var changedProperties: Set<String>? = []
        var oldValues: [String: StoredValue] = [:]
    }

    init(_ objects: ObjectDifferences, _ causes: ChangeCauses, isMerged: Bool) {
        self.objects = objects
        self.causes = causes
        self.isMerged = isMerged
        related = causes.related.map { cause in
            var related = Related(prefix: cause.path.joined(separator: ".") + ".")
            for key in cause.changedKeys {
                let found = objects.difference(
                    of: ObjectID(entityName: cause.entityName, primaryKey: key), isRowChanged: true,
                    isMerged: isMerged)
                guard let names = found.changedProperties else {
                    related.changedProperties = nil
                    break
                }
                related.changedProperties?.formUnion(names.map { related.prefix + $0 })
                guard cause.changedKeys.count == 1, let values = found.oldValues else { continue }
                for name in names { related.oldValues[related.prefix + name] = values[name] }
            }
            return related
        }
    }

    /// Returns the difference of the row of an event.
    ///
    /// - Parameter key: The key of the row in the new results; for a deletion, in the old ones.
    func difference(of kind: ResultsChange.Kind, _ objectID: ObjectID, key: Int64) -> RowDifference? {
        guard kind != .insertion else { return nil }
        let isChanged = causes.ownKeys.contains(key)
        let found = objects.difference(
            of: objectID, isRowChanged: kind == .deletion || isChanged,
            isMerged: isMerged || !isChanged || causes.unmergedKeys?.contains(key) == false)
        var difference = RowDifference(
            oldValues: found.oldValues,
            changedProperties: found.changedProperties ?? (isChanged ? nil : []))
        guard kind != .deletion else { return difference }
        for (cause, related) in zip(causes.related, related) where cause.leadingKeys.contains(key) {
            // If the relationship leads to another object, all values of the object may differ.
            if let name = cause.path.first, difference.changedProperties?.contains(name) == true { continue }
            difference.changedProperties = related.changedProperties.flatMap {
                difference.changedProperties?.union($0)
            }
            difference.oldRelatedValues.merge(related.oldValues) { first, _ in first }
        }
        for cause in causes.collections where cause.keys.contains(key) {
            difference.changedProperties?.insert(cause.path.joined(separator: "."))
        }
        return difference
    }
}
