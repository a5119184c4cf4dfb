import ObjectStorage
import SectionCaching

extension CacheLookup {
    /// Returns the look-up with the reason of a miss after tables were stamped. New stamps look like changed
    /// data, also of tables of which only the schema changed.
    func naming(_ stamped: StampedTables) -> CacheLookup {
        guard case .miss(.dataChanged(let names)) = self else { return self }
        let changed = names.filter { !stamped.withOtherSchema.contains($0) }
        return .miss(changed.isEmpty ? .schemaChanged : .dataChanged(dependencies: changed))
    }
}

/// Tables without a valid state that are about to be stamped.
struct StampedTables {
    /// The tables that have stamps, so that only the schema changed and no row of them did.
    var withOtherSchema: [String] = []
}

extension PersistentContainer {
    /// Examines tables without a valid state. Only the reason of a miss depends on it; if the store cannot be
    /// read, all of them count as changed.
    func tablesToStamp(_ tableNames: [String]) -> StampedTables {
        guard let dirty = try? namesOfDirtyTables(among: tableNames) else { return StampedTables() }
        return StampedTables(withOtherSchema: tableNames.filter { !dirty.contains($0) })
    }
}
