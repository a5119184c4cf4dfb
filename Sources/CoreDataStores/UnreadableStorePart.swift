/// A part of a Core Data store that its container does not show, with the reason.
///
/// Such parts do not prevent opening a store; ``CoreDataStore/unreadableParts`` lists them.
public struct UnreadableStorePart: Hashable, Sendable {
    /// The entity as the model names it; nil for a part of the store itself.
    public let entityName: String?
    /// The property; nil if the whole entity is missing.
    public let propertyName: String?
    /// The reason and its effect, as one or two sentences.
    public let reason: String

    /// Creates a part.
    package init(_ entityName: String?, _ propertyName: String? = nil, _ reason: String) {
        self.entityName = entityName
        self.propertyName = propertyName
        self.reason = reason
    }
}

extension UnreadableStorePart: CustomStringConvertible {
    /// The location and the reason.
    public var description: String {
        guard let entityName else { return reason }
        return "“\(entityName)\(propertyName.map { "." + $0 } ?? "")”: \(reason)"
    }
}
