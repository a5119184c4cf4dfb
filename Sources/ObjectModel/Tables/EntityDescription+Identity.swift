extension EntityDescription {
    /// Returns the key column and, if the entity has sub-entities, the column with the name of the row's
    /// entity, as SQL.
    package func identityColumns(_ alias: String = "") -> String {
        guard hasSubentities, let entityColumn = concreteEntitySQL else { return alias + keySQL }
        return "\(alias)\(keySQL), \(alias)\(entityColumn)"
    }
}
