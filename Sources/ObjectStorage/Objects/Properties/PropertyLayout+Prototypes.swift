extension PropertyLayout {
    /// Returns the type of an attribute of the class, if SQLite stores it without a transformer.
    func typeOfAttribute(called name: String) -> AttributeType? {
        guard let position = names.firstIndex(of: name),
            case .attribute(let type, _, _, _, transformerName: nil, _) = properties[position]
        else { return nil }
        return type
    }
}
