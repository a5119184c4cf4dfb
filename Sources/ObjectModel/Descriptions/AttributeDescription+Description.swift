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
        if let derivation { text += ", derived from \(derivation)" }
        return text
    }
}
