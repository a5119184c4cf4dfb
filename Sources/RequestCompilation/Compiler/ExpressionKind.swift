package import ObjectModel

/// The kind of an expression's values, as far as the model determines it. Only values of related kinds are
/// compared.
package enum ExpressionKind: Hashable {
    /// `nil`, which can be compared with any kind.
    case none
    /// Numbers: integers, Booleans, and dates as seconds.
    case number
    /// Exact decimals. Their texts do not sort like the numbers, so they are compared in the form of
    /// `DecimalNumber.comparable(_:)`. Arithmetic rejects them, because SQLite would round.
    case decimal
    /// Texts.
    case text
    /// Bytes: data and UUIDs.
    case bytes
    /// Objects of an entity, by their keys.
    case object(entityName: String)
}

extension ExpressionKind {
    /// Creates the kind of an attribute's values.
    package init(_ type: AttributeType) {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean, .date: self = .number
        case .decimal: self = .decimal
        case .string, .uri: self = .text
        case .binaryData, .uuid, .transformable: self = .bytes
        }
    }

    /// Creates the kind of a known value.
    package init(_ value: StoredValue) {
        switch value {
        case .null: self = .none
        case .integer, .real: self = .number
        case .text: self = .text
        case .blob: self = .bytes
        }
    }

    /// Creates the kind of the property at the end of a key path.
    package init(_ end: KeyPathEnd) {
        switch end {
        case .attribute(let attribute): self.init(attribute.type)
        case .toOne(let relationship): self = .object(entityName: relationship.destinationEntityName)
        case .objectID(let entity): self = .object(entityName: entity.name)
        }
    }

    /// Returns whether comparing the two kinds is meaningful. An object can be compared with a number, its
    /// key; a decimal with numbers and with texts. Two objects can be compared if their entities are the
    /// same, if one inherits from the other, or if one is a list of several entities that may contain objects
    /// of the other.
    package func compares(with other: ExpressionKind, in model: ManagedObjectModel) -> Bool {
        switch (self, other) {
        case (.object(let first), .object(let second)):
            first == second || model.entity(named: first)?.isKind(ofEntityNamed: second) == true
                || model.entity(named: second)?.isKind(ofEntityNamed: first) == true
                || [(first, second), (second, first)].contains { list, name in
                    guard let list = model.list(named: list), list.union != nil else { return false }
                    return model.entity(named: name).flatMap(list.keyOffset(ofObjectOf:)) != nil
                }
        case (.none, _), (_, .none), (.object, .number), (.number, .object): true
        case (.decimal, .number), (.number, .decimal), (.decimal, .text), (.text, .decimal): true
        default: self == other
        }
    }

    /// The kind as text for an error message.
    package var words: String {
        switch self {
        case .none: "nil"
        case .number: "a number, date or Boolean value"
        case .decimal: "a decimal"
        case .text: "a text"
        case .bytes: "bytes"
        case .object(let entityName): "an object of “\(entityName)”"
        }
    }
}
