/// How the rows of one entity are brought into a new shape, where that cannot be worked out from the two
/// models.
///
/// ```swift
/// let step = MigrationStep(of: "Person") { old in
///     let names = (old["fullName"].text ?? "").split(separator: " ")
///     return ["firstName": .text(String(names.first ?? "")), "lastName": .text(String(names.last ?? ""))]
/// }
/// let container = try PersistentContainer(url: url, model: model, options: StoreOptions(migrationSteps: [step]))
/// ```
public struct MigrationStep: Sendable {
    /// A row as the store has it: values by the names of columns.
    public struct Row: Sendable {
        let names: [String]
        let values: [StoredValue]

        /// The value of an attribute, or the key of a to-one relationship's object; nil, like NULL, for a
        /// name that the old entity lacks.
        public subscript(name: String) -> StoredValue {
            names.firstIndex(of: name).map { values[$0] } ?? .null
        }
    }

    /// The entity, by its name in the new model.
    public let entityName: String
    /// The version of the entity in the store that the step is written for; nil for any.
    public let sourceVersion: [UInt8]?
    /// Gives values by the names of new attributes and to-one relationships. What it does not name is taken
    /// over from the old row where the models say how, and else has its default.
    public let transform: @Sendable (Row) throws -> [String: StoredValue]

    /// Makes a step.
    ///
    /// - Parameters:
    ///   - entityName: The entity, by its name in the new model.
    ///   - sourceVersion: The ``EntityDescription/versionDigest`` of the entity in the stores that the step
    ///     is for; nil for any.
    ///   - transform: Gives a row's new values. It is called once for each row, within the transaction of the
    ///     migration; what it throws undoes the migration.
    public init(
        of entityName: String, sourceVersion: [UInt8]? = nil,
        transform: @escaping @Sendable (Row) throws -> [String: StoredValue]
    ) {
        self.entityName = entityName
        self.sourceVersion = sourceVersion
        self.transform = transform
    }
}

extension StoredValue {
    /// The text; nil for other values.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The integer; nil for other values.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, also of an integer that a `Double` holds exactly; nil for other values.
    public var real: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(exactly: value)
        default: nil
        }
    }
}
