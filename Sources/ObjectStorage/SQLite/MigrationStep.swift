/// The conversion of one entity's rows to a new version, for changes that do not follow from the two models.
///
/// ```swift
/// let step = MigrationStep(of: "Person") { old in
///     let names = (old["fullName"].text ?? "").split(separator: " ")
///     return ["firstName": .text(String(names.first ?? "")), "lastName": .text(String(names.last ?? ""))]
/// }
/// let options = StoreOptions(migrationSteps: [step])
/// let container = try PersistentContainer(url: url, model: model, options: options)
/// ```
public struct MigrationStep: Sendable {
    /// A row in the store: values by the names of columns.
    public struct Row: Sendable {
        let names: [String]
        let values: [StoredValue]

        /// The value of an attribute, or the key of a to-one relationship's object; null for NULL, and for a
        /// name that the old entity lacks.
        ///
        /// - Parameter name: The name of a property in the model with which the store was made.
        public subscript(name: String) -> StoredValue {
            names.firstIndex(of: name).map { values[$0] } ?? .null
        }
    }

    /// The name of the entity in the new model.
    public let entityName: String
    /// The version of the entity in the stores for which the step is written; nil for any.
    public let sourceVersion: [UInt8]?
    /// Returns values by the names of new attributes and to-one relationships. A property that it omits is
    /// copied from the old row if the models determine how, and otherwise gets its default.
    public let transform: @Sendable (Row) throws -> [String: StoredValue]

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity in the new model.
    ///   - sourceVersion: The ``EntityDescription/versionDigest`` of the entity in the stores for which the
    ///     step is written; nil for any.
    ///   - transform: Returns a row's new values. It is called once for each row, within the transaction of
    ///     the migration; if it throws, the migration is rolled back.
    public init(
        of entityName: String, sourceVersion: [UInt8]? = nil,
        transform: @escaping @Sendable (Row) throws -> [String: StoredValue]
    ) {
        self.entityName = entityName
        self.sourceVersion = sourceVersion
        self.transform = transform
    }
}
