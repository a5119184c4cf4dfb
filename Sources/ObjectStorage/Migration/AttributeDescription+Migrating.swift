extension AttributeDescription {
    /// Whether every value of another attribute is one of this as well, kept in the same way: of a smaller
    /// number, say.
    func holdsValues(of other: AttributeDescription) -> Bool {
        switch (other.type, type) {
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.float, .double):
            true
        default: other.type == type && other.transformerName == transformerName
        }
    }
}
