extension EntityDescription {
    /// The key and, where there are sub-entities, the name of the row's entity, as SQL.
    func identityColumns(_ alias: String = "") -> String {
        guard hasSubentities, let kind = kindSQL else { return alias + keySQL }
        return "\(alias)\(keySQL), \(alias)\(kind)"
    }
}
