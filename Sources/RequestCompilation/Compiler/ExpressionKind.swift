/// What kind of value an expression has, as far as the model tells. Only like is compared with like.
enum ExpressionKind: Hashable {
    /// `nil`, which is compared with anything.
    case none
    /// Numbers: integers, truth values, and moments as seconds.
    case number
    /// Exact decimals, whose texts do not stand in the order of the numbers: compared in the form that
    /// ``DecimalNumber/comparable(_:)`` gives them. Arithmetic refuses them, because SQLite would round.
    case decimal
    /// Texts.
    case text
    /// Bytes: data and UUIDs.
    case bytes
    /// Objects of an entity, by their keys.
    case object(entityName: String)
}

extension ExpressionKind {
    /// The kind of an attribute's values.
    init(_ type: AttributeType) {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean, .date: self = .number
        case .decimal: self = .decimal
        case .string, .uri: self = .text
        case .binaryData, .uuid, .transformable: self = .bytes
        }
    }

    /// The kind of a known value.
    init(_ value: StoredValue) {
        switch value {
        case .null: self = .none
        case .integer, .real: self = .number
        case .text: self = .text
        case .blob: self = .bytes
        }
    }

    /// The kind of what a key path ends in.
    init(_ end: KeyPathEnd) {
        switch end {
        case .attribute(let attribute): self.init(attribute.type)
        case .toOne(let relationship): self = .object(entityName: relationship.destinationEntityName)
        case .objectID(let entity): self = .object(entityName: entity.name)
        }
    }

    /// Whether comparing the two means something. An object can be compared with the number that is its key,
    /// and a decimal with numbers and with the texts that decimals are written as. Objects are compared if
    /// one's entity is the other's or inherits from it.
    func compares(with other: ExpressionKind, in model: ManagedObjectModel) -> Bool {
        switch (self, other) {
        case (.object(let first), .object(let second)):
            first == second || model.entity(named: first)?.isKind(ofEntityNamed: second) == true
                || model.entity(named: second)?.isKind(ofEntityNamed: first) == true
        case (.none, _), (_, .none), (.object, .number), (.number, .object): true
        case (.decimal, .number), (.number, .decimal), (.decimal, .text), (.text, .decimal): true
        default: self == other
        }
    }

    /// The kind in the words of an error message.
    var words: String {
        switch self {
        case .none: "nil"
        case .number: "a number, date or truth value"
        case .decimal: "a decimal"
        case .text: "a text"
        case .bytes: "bytes"
        case .object(let entityName): "an object of “\(entityName)”"
        }
    }
}
