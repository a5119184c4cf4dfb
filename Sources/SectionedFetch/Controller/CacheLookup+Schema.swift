import ObjectStorage
import SectionCaching

extension CacheLookup {
    /// The look-up with the reason of a miss after tables were stamped because of a change of the schema
    /// alone. New stamps look like changed data.
    var afterChangeOfSchema: CacheLookup {
        if case .miss(.dataChanged) = self { .miss(.schemaChanged) } else { self }
    }
}

extension PersistentContainer {
    /// Returns whether tables without a valid state have stamps, so that the schema changed and no row did.
    /// Only the reason of a miss depends on it; if the store cannot be read, the result is false.
    func hasOnlyOtherSchema(_ tableNames: [String]) -> Bool { (try? isStamped(tableNames)) ?? false }
}
