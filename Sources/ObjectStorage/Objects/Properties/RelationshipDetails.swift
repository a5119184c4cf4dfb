/// What few relationships have.
///
/// ```swift
/// @Relationship(inverse: \Album.tracks, details: .init(isOptional: false)) var album: Album?
/// @Relationship(details: .init(allowedCount: 1...8)) var performers: Set<Performer>
/// @Relationship(details: .init(renamingIdentifier: "author")) var writer: Person?
/// ```
public struct RelationshipDetails: Sendable {
    /// Whether the relationship may lead nowhere when its object is saved.
    public let isOptional: Bool
    /// How many objects a relationship to many must lead to when its object is saved; nil for no bound.
    public let allowedCount: ClosedRange<Int>?
    /// The name that the relationship had in an earlier version of the model.
    public let renamingIdentifier: String?

    /// Makes details.
    ///
    /// - Parameters:
    ///   - isOptional: False where it must lead somewhere: to one object, or to one at least.
    ///   - allowedCount: The bounds of a relationship to many.
    ///   - renamingIdentifier: The name of an earlier version of the model, whose links are kept.
    public init(
        isOptional: Bool = true, allowedCount: ClosedRange<Int>? = nil, renamingIdentifier: String? = nil
    ) {
        self.isOptional = isOptional
        self.allowedCount = allowedCount
        self.renamingIdentifier = renamingIdentifier
    }
}
