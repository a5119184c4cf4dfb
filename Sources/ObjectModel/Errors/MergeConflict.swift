/// An object that was changed both in a context and elsewhere.
public struct MergeConflict: Hashable, Sendable {
    /// The combination of changes that conflict.
    public enum Kind: String, Hashable, Sendable {
        /// The same properties were changed in the context and elsewhere.
        case changed
        /// The context changed the object, and its row was deleted elsewhere.
        case deletedInStore
        /// The context deleted the object, and its row was changed elsewhere.
        case deletedInContext
        /// The context made a relationship of the object lead to another object that was deleted elsewhere.
        case destinationDeletedInStore
    }

    /// A property with different values on both sides. The value of a to-one relationship is the other
    /// object's key.
    public struct Property: Hashable, Sendable {
        /// The property's name.
        public let name: String
        /// The value when the context read it.
        public let valueRead: StoredValue
        /// The current value in the store; nil if the row is deleted.
        public let valueInStore: StoredValue?
        /// The value in the context; nil if the object is deleted there.
        public let valueInContext: StoredValue?

        /// Creates the values of one property in conflict.
        package init(
            name: String,
            valueRead: StoredValue,
            valueInStore: StoredValue?,
            valueInContext: StoredValue?
        ) {
            self.name = name
            self.valueRead = valueRead
            self.valueInStore = valueInStore
            self.valueInContext = valueInContext
        }
    }

    /// The combination of changes that conflict.
    public let kind: Kind
    /// The object.
    public let objectID: ObjectID
    /// The properties in conflict, in the order of the entity.
    public let properties: [Property]

    /// Creates a conflict over one object.
    package init(kind: Kind, objectID: ObjectID, properties: [Property]) {
        self.kind = kind
        self.objectID = objectID
        self.properties = properties
    }
}

extension MergeConflict: CustomStringConvertible {
    /// A description of the conflict with the values.
    public var description: String {
        let names = properties.map { "“\($0.name)”" }.joined(separator: ", ")
        return switch kind {
        case .changed:
            "\(objectID): "
                + properties.map {
                    "“\($0.name)” was \($0.valueRead), is \($0.valueInStore ?? .null) in the store and \($0.valueInContext ?? .null) here"
                }.joined(separator: "; ")
        case .deletedInStore: "\(objectID): deleted elsewhere, but \(names) changed here"
        case .deletedInContext: "\(objectID): deleted here, but \(names) changed elsewhere"
        case .destinationDeletedInStore:
            "\(objectID): "
                + properties.map {
                    "“\($0.name)” was made to lead to object \($0.valueInContext ?? .null), which was deleted elsewhere"
                }.joined(separator: "; ")
        }
    }
}

extension ObjectStorageError {
    /// Creates the error of a save that found conflicts and has no policy to resolve them.
    package init(_ conflicts: [MergeConflict]) {
        let shown = conflicts.prefix(5).map(\.description).joined(separator: ". ")
        let more = conflicts.count > 5 ? ". And \(conflicts.count - 5) more" : ""
        let first = conflicts.first
        self.init(
            .conflict,
            "\(shown)\(more). Nothing was saved; merge the external changes and save again, or set a mergePolicy.",
            entityName: first?.objectID.entityName,
            propertyName: first?.properties.count == 1 ? first?.properties.first?.name : nil,
            objectID: first?.objectID, conflicts: conflicts)
    }
}
