extension AttributeDescription {
    /// Returns whether every value of another attribute is also a value of this one, stored in the same way,
    /// such as a value of a smaller integer type.
    func holdsValues(of other: AttributeDescription) -> Bool {
        switch (other.type, type) {
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.float, .double):
            true
        default: other.type == type && other.transformerName == transformerName
        }
    }
}
