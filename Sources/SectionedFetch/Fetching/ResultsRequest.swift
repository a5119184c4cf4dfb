import ObjectStorage
import SectionCaching
import Mutants

/// A request with its section key: everything that the section index depends on except the data.
struct ResultsRequest {
    let request: RequestDescription
    let sectionKey: SectionKey?
    /// The request as SQL. It is valid unless the request refers to an object that was not saved when it was
    /// compiled.
    let compiled: CompiledRequest
    let model: ManagedObjectModel
    /// Values that are derived from the request when they are first needed. A start from the cache needs
    /// none.
    let details = ResultsRequestDetails()

    /// The entity whose objects are listed; for several, the union with their shared properties.
    var list: EntityDescription? { details.value(\.list) { model.list(named: request.entityName) } }

    /// The tables whose rows are listed, each once.
    var listedTables: [String] { list?.tableNames ?? [] }

    /// The name of the list's keys. In lists with equal names, equal keys identify one row.
    var keySpace: String? { list.map { $0.union == nil ? $0.tableName : $0.name } }

    /// The names of the entities whose objects are listed.
    var listedEntityNames: Set<String> { Set(list?.listedEntities.map(\.name) ?? [request.entityName]) }

    /// Returns the identity of the row with a key of the list, without reading the row.
    func objectID(ofKey key: Int64) -> ObjectID {
        let row = list?.row(ofListKey: key) ?? (entityName: request.entityName, key: key)
        return ObjectID(entityName: row.entityName, primaryKey: row.key)
    }

    /// Validates and compiles a request.
    ///
    /// - Throws: ``ObjectStorageError`` if the request has no sort descriptor, or the model cannot answer it.
    init(
        _ request: RequestDescription, sectionKey: SectionKey?, container: PersistentContainer
    ) throws(ObjectStorageError) {
        guard !request.sort.isEmpty else {
            throw ObjectStorageError(
                .invalidRequest,
                "The request for “\(request.entityName)” has no sort descriptor. A results controller needs at least one, because its rows have positions.",
                entityName: request.entityName)
        }
        var request = request
        if let sectionKey { try Self.checkParts(of: sectionKey, entityName: request.entityName) }
        if let sectionKey, !sectionKey.declaredSections.isEmpty {
            let values = sectionKey.declaredSections.map(\.value)
            try Self.check(values, of: sectionKey, request, container.model)
            for (position, value) in values.enumerated() where values[..<position].contains(value) {
                throw ObjectStorageError(
                    .invalidRequest,
                    "The section \(value) of “\(request.entityName)” is declared twice. Name each section once.",
                    entityName: request.entityName)
            }
            request.precedence = RequestDescription.Precedence(sectionKey.expression, values)
        }
        self.request = request
        self.sectionKey = sectionKey
        model = container.model
        compiled = try container.compile(request, columns: Self.columns(sectionKey))
        guard request.displayedPaths.isEmpty || container.isTracked || displayedSteps.isEmpty else {
            throw ObjectStorageError(
                .invalidRequest,
                "The store keeps no change log, so changes of the to-many relationships in displayedKeyPaths (\(request.displayedPaths.joined(separator: ", "))) cannot be followed. Remove these key paths, or open the store with change tracking.",
                entityName: request.entityName)
        }
    }

    /// Checks that the parts of a combined key are single keys without declared sections.
    private static func checkParts(
        of key: SectionKey, entityName: String
    ) throws(ObjectStorageError) {
        // The check is part of each start, so a single key must not cost an array.
        guard key.expression.isCombined else { return }
        let hasDeclared = ([key] + key.parts).contains { !$0.declaredSections.isEmpty }
        let parts =
            key.parts.contains { $0.isNested } || key.isNested && key.parts.contains { !$0.parts.isEmpty }
        guard hasDeclared || parts || key.parts.isEmpty else { return }
        throw ObjectStorageError(
            .invalidRequest,
            "The section key “\(key)” of “\(entityName)” combines keys that have declared sections, are combined or are subdivided themselves. Combine single keys without declared sections, by SectionKey.combined(_:) or subdivided(by:).",
            entityName: entityName)
    }

    var columns: RequestColumns { Self.columns(sectionKey) }

    private static func columns(_ sectionKey: SectionKey?) -> RequestColumns {
        sectionKey.map { .groups(key: $0.expression, name: $0.nameExpression) } ?? .keys
    }

    /// The canonical form of the request, which identifies its cache entry.
    var canonical: CanonicalRequest {
        var section = CanonicalEncoder()
        if let sectionKey {
            section.append(true)
            sectionKey.expression.encode(into: &section)
            section.append(sectionKey.nameExpression != nil)
            sectionKey.nameExpression?.encode(into: &section)
            if sectionKey.isNested { section.append("nested") }
            // The keys of declared sections are part of the order.
            for declared in sectionKey.declaredSections {
                section.append(declared.name != nil)
                if let name = declared.name { section.append(name) }
            }
        } else {
            section.append(false)
        }
        var environment = CanonicalEncoder()
        environment.append(Int64(SectionIndexComputation.version))
        let isLocal = request.isLocalized || sectionKey.map(\.dependsOnFoundation) ?? false
        if !Mutant.environmentLeftOut.isPlanted {
            environment.append(
                QueryEnvironment.description(usesFoundation: isLocal || expressionsUseFoundation))
        }
        var parts = request.canonicalParts(model: model, tableNames: compiled.tableNames).map {
            CanonicalRequest.Part(name: $0.name, bytes: $0.bytes)
        }
        parts.append(CanonicalRequest.Part(name: "section", bytes: section.bytes))
        parts.append(CanonicalRequest.Part(name: "environment", bytes: environment.bytes))
        return CanonicalRequest(parts: parts, summary: summary)
    }

    /// Returns whether changes may affect the results.
    func reads(_ changes: StoreChanges) -> Bool {
        let entities = changes.entityNames.compactMap(model.entity(named:))
        return compiled.tableNames.contains { name in
            entities.contains { $0.tableName == name } || model.entities.allSatisfy { $0.tableName != name }
        }
    }

    /// A description of the request.
    var summary: String {
        request.description + (sectionKey.map { ", in sections by \($0)" } ?? ", in one section")
    }

    private var expressionsUseFoundation: Bool {
        request.expressions.contains(where: \.dependsOnFoundation)
    }

    /// The identities of the declared sections, which exist also without rows, in order.
    var declaredIdentities: [[UInt8]] { sectionKey?.declaredSections.map(\.identity) ?? [] }

    /// Checks that a section key can have the values of the declared sections. SQLite may treat any other
    /// value as equal to one that the key can have.
    private static func check(
        _ values: [StoredValue], of sectionKey: SectionKey, _ request: RequestDescription,
        _ model: ManagedObjectModel
    ) throws(ObjectStorageError) {
        // An external table may store values in other forms.
        let mayHaveOtherForms = sectionKey.expression.function == .value && model.hasExistingTables
        let keyType = mayHaveOtherForms ? nil : type(of: sectionKey.expression, request, model)
        guard let type = keyType else { return }
        for value in values where !type.accepts(value) || type.normalized(value) != value {
            throw ObjectStorageError(
                .invalidRequest,
                "The declared section \(value) of “\(request.entityName)” is not a value of “\(sectionKey.expression)”, which is of type \(type.rawValue). Declare sections by values of that type.",
                entityName: request.entityName, propertyName: sectionKey.expression.path)
        }
    }

    /// The type of the values that identify sections, for formatting them.
    var sectionType: AttributeType? { Self.type(of: sectionKey?.expression, request, model) }

    /// The type of the values that name sections.
    var nameType: AttributeType? { Self.type(of: sectionKey?.nameExpression, request, model) }

    /// Returns the type of the values of an expression.
    func type(of expression: KeyExpression) -> AttributeType? { Self.type(of: expression, request, model) }

    private static func type(
        of expression: KeyExpression?, _ request: RequestDescription, _ model: ManagedObjectModel
    ) -> AttributeType? {
        expression.flatMap { expression in
            model.list(named: request.entityName).flatMap { expression.type(of: $0, in: model) }
        }
    }
}
