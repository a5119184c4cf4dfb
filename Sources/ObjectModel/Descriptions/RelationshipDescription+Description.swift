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
