import ObjectStorage
import SectionCaching

extension CacheLookup {
    /// Returns the look-up with the reason of a miss after tables were stamped. New stamps look like changed
    /// data, also of tables of which only the schema changed.
    ///
    /// - Parameter names: The tables of which only the schema changed.
    func withoutDataChanges(ofTables names: [String]) -> CacheLookup {
        guard case .miss(.dataChanged(let dependencies)) = self else { return self }
        let changed = dependencies.filter { !names.contains($0) }
        return .miss(changed.isEmpty ? .schemaChanged : .dataChanged(dependencies: changed))
    }
}

extension PersistentContainer {
    /// Returns the tables without a valid state that have stamps, so that only their schema changed. Only the
    /// reason of a miss depends on it; if the store cannot be read, there are none.
    func namesOfTablesWithOtherSchema(among names: [String]) -> [String] {
        guard let dirty = try? namesOfDirtyTables(among: names) else { return [] }
        return names.filter { !dirty.contains($0) }
    }
}
