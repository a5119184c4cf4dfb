extension EntityDescription {
    /// Returns the key column and, if the entity has sub-entities, the column with the name of the row's
    /// entity, as SQL.
    package func identityColumns(_ alias: String = "") -> String {
        guard hasSubentities, let entityName = concreteEntityNameSQL(alias) else { return alias + keySQL }
        return "\(alias)\(keySQL), \(entityName)"
    }
}
