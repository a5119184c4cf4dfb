/// Properties of a relationship that few relationships need: bounds on its count and an earlier name.
///
/// ```swift
/// @Relationship(inverse: \Album.tracks, details: .init(isOptional: false)) var album: Album?
/// @Relationship(details: .init(allowedCount: 1...8)) var performers: Set<Performer>
/// @Relationship(details: .init(renamingIdentifier: "author")) var writer: Person?
/// ```
public struct RelationshipDetails: Sendable {
    /// Whether the relationship may be empty when its object is saved.
    public let isOptional: Bool
    /// The number of objects that a to-many relationship must lead to when its object is saved; nil for no
    /// bounds.
    public let allowedCount: ClosedRange<Int>?
    /// The name that the relationship had in an earlier version of the model.
    public let renamingIdentifier: String?

    /// Creates details.
    ///
    /// - Parameters:
    ///   - isOptional: False if the relationship must lead to one object, or for a to-many relationship to at
    ///     least one.
    ///   - allowedCount: The bounds of a to-many relationship's count.
    ///   - renamingIdentifier: The relationship's name in an earlier version of the model, whose links are
    ///     kept.
    public init(
        isOptional: Bool = true, allowedCount: ClosedRange<Int>? = nil, renamingIdentifier: String? = nil
    ) {
        self.isOptional = isOptional
        self.allowedCount = allowedCount
        self.renamingIdentifier = renamingIdentifier
    }
}
