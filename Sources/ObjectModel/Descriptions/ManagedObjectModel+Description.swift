extension ManagedObjectModel: CustomStringConvertible {
    /// The model as readable text: a paragraph for each entity, a line for each property.
    ///
    /// ```
    /// Artwork
    ///   title: string = “”, indexed
    ///   year: integer32?
    ///   artist → Artist.artworks?
    ///   tags → many Tag.artworks
    /// Print: Artwork
    ///   edition: integer16
    /// ```
    public var description: String { entities.map(\.description).joined(separator: "\n") }
}

extension EntityDescription: CustomStringConvertible {
    /// The entity as readable text: its name with that of its parent, and a line for each property that it
    /// declares itself.
    public var description: String {
        let lists =
            uniquenessConstraints.map { "unique together: \($0.joined(separator: ", "))" }
            + indexes.map { "indexed together: \($0.joined(separator: ", "))" }
        let lines = ownAttributes.map(\.description) + ownRelationships.map(\.description) + lists
        let title = name + (parentName.map { ": \($0)" } ?? "") + (isAbstract ? ", abstract" : "")
        guard let existingTable else { return ([title] + lines.map { "  " + $0 }).joined(separator: "\n") }
        let columns = existingTable.columns.sorted { $0.key < $1.key }.map {
            "\($0.key) in column \($0.value)"
        }
        let forms = existingTable.forms.sorted { $0.key < $1.key }.map { "\($0.key) as \($0.value.rawValue)" }
        let links = existingTable.links.sorted { $0.key < $1.key }.map { "\($0.key) in table \($0.value)" }
        return (["\(title), \(existingTable)"] + (lines + columns + forms + links).map { "  " + $0 })
            .joined(separator: "\n")
    }
}

extension AttributeDescription: CustomStringConvertible {
    /// The attribute as readable text: `year: integer32? = 1900, indexed`.
    public var description: String {
        var text = "\(name): \(type.rawValue)\(isOptional ? "?" : "")"
        if !defaultValue.isNull { text += " = \(defaultValue)" }
        if isUnique { text += ", unique" } else if isIndexed { text += ", indexed" }
        if isTransient { text += ", transient" }
        if allowsExternalStorage { text += ", out of the row if large" }
        if let transformerName { text += ", by \(transformerName)" }
        for rule in rules { text += ", must \(rule)" }
        if let renamingIdentifier { text += ", formerly \(renamingIdentifier)" }
        return text
    }
}

extension RelationshipDescription: CustomStringConvertible {
    /// The relationship as readable text: `artist → Artist.artworks?`, `tags → many Tag, cascade`.
    public var description: String {
        var text =
            "\(name) → \(isToMany ? isOrdered ? "ordered many " : "many " : "")\(destinationEntityName)"
        if let inverseName { text += ".\(inverseName)" }
        if !isToMany, isOptional { text += "?" }
        if deleteRule != .nullify { text += ", \(deleteRule.rawValue)" }
        if let allowedCount { text += ", \(allowedCount.lowerBound) to \(allowedCount.upperBound)" }
        if let renamingIdentifier { text += ", formerly \(renamingIdentifier)" }
        return text
    }
}
