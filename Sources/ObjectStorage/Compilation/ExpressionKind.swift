/// What kind of value an expression has, as far as the model tells. Only like is compared with like.
enum ExpressionKind: Hashable {
    /// `nil`, which is compared with anything.
    case none
    /// Numbers: integers, truth values, and moments as seconds.
    case number
    /// Texts.
    case text
    /// Bytes: data and UUIDs.
    case bytes
    /// Objects of an entity, by their keys.
    case object(entityName: String)
}

extension ExpressionKind {
    /// The kind of an attribute's values.
    ///
    /// A type whose stored form does not stand in the order of its values, such as an exact decimal kept as TEXT, needs a kind
    /// of its own here, and its comparable form in the two functions called `comparable`: in ``RequestCompiler`` for SQL and
    /// in ``PredicateEvaluator`` for memory. Arithmetic refuses such a kind until `arithmetic` knows it in both as well.
    init(_ type: AttributeType) {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean, .date: self = .number
        case .string: self = .text
        case .binaryData, .uuid: self = .bytes
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

    /// Whether comparing the two means something. An object can be compared with the number that is its key.
    func compares(with other: ExpressionKind) -> Bool {
        switch (self, other) {
        case (.none, _), (_, .none), (.object, .number), (.number, .object): true
        default: self == other
        }
    }

    /// The kind in the words of an error message.
    var words: String {
        switch self {
        case .none: "nil"
        case .number: "a number"
        case .text: "a text"
        case .bytes: "bytes"
        case .object(let entityName): "an object of “\(entityName)”"
        }
    }
}
