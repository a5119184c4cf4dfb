extension AttributeType {
    /// The type of the sum of values of this type; nil if they cannot be added.
    package var sumType: AttributeType? {
        switch self {
        case .integer16, .integer32, .integer64: .integer64
        // SQLite adds numbers of all sizes in 64 bits.
        case .float, .double: .double
        case .decimal: .decimal
        case .string, .boolean, .date, .binaryData, .uuid, .uri, .transformable: nil
        }
    }

    /// The type of the average of values of this type; nil if it cannot be computed. The average of decimals
    /// may not be an exact decimal.
    package var averageType: AttributeType? {
        switch self {
        case .integer16, .integer32, .integer64, .float, .double: .double
        case .decimal, .string, .boolean, .date, .binaryData, .uuid, .uri, .transformable: nil
        }
    }
}
