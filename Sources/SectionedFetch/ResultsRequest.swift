import ObjectStorage
import SectionCaching

/// A request with its section key: everything that the section index depends on besides the data.
struct ResultsRequest {
    let request: RequestDescription
    let sectionKey: SectionKey?
    let compiled: CompiledRequest
    let model: ManagedObjectModel

    /// Checks and compiles a request.
    ///
    /// - Throws: ``ObjectStorageError``: no sort descriptor, or anything that the model cannot answer.
    init(
        _ request: RequestDescription, sectionKey: SectionKey?, container: PersistentContainer
    ) throws(ObjectStorageError) {
        guard !request.sort.isEmpty else {
            throw ObjectStorageError(
                .invalidRequest,
                "The request for “\(request.entityName)” has no sort descriptor. A results controller needs at least one, because its rows have positions.",
                entityName: request.entityName)
        }
        self.request = request
        self.sectionKey = sectionKey
        model = container.model
        compiled = try container.compile(request, columns: Self.columns(sectionKey))
    }

    var columns: RequestColumns { Self.columns(sectionKey) }

    private static func columns(_ sectionKey: SectionKey?) -> RequestColumns {
        sectionKey.map { .groups(key: $0.expression, name: $0.nameExpression) } ?? .keys
    }

    /// The request as its cache entry knows it.
    var canonical: CanonicalRequest {
        var section = CanonicalEncoder()
        if let sectionKey {
            section.append(true)
            sectionKey.expression.encode(into: &section)
            section.append(sectionKey.nameExpression != nil)
            sectionKey.nameExpression?.encode(into: &section)
        } else {
            section.append(false)
        }
        var environment = CanonicalEncoder()
        environment.append(Int64(SectionIndexComputation.version))
        let isLocal = request.isLocalized || sectionKey.map { $0.expression.dependsOnFoundation } ?? false
        environment.append(QueryEnvironment.description(usesFoundation: isLocal || expressionsUseFoundation))
        var parts = request.canonicalParts(model: model, tableNames: compiled.tableNames).map {
            CanonicalRequest.Part(name: $0.name, bytes: $0.bytes)
        }
        parts.append(CanonicalRequest.Part(name: "section", bytes: section.bytes))
        parts.append(CanonicalRequest.Part(name: "environment", bytes: environment.bytes))
        return CanonicalRequest(parts: parts, summary: summary)
    }

    /// The to-one relationships through which the predicate, the order, the sections and their names are read.
    var relatedPaths: [RequestDescription.RelatedPath] {
        let read = [sectionKey?.expression, sectionKey?.nameExpression].compactMap(\.self)
        return request.relatedPaths(model: model, and: read)
    }

    /// Whether the predicate reads through relationships to many, or values that are kept out of their rows. Then rows that did not
    /// change may come and go without anything that tells which.
    var readsCollections: Bool {
        request.readsCollections(model: model)
            || compiled.tableNames.contains { name in model.entities.allSatisfy { $0.tableName != name } }
    }

    /// Whether results can be brought up to date by the rows that changed alone: not those of a window, which every row before it
    /// shifts, nor where others decide.
    var canAdvance: Bool {
        let isWindow = request.limit > 0 || request.offset > 0
        return (!isWindow || SeededBug.windowEdge.isPlanted) && !readsCollections
    }

    /// Whether changes may concern the answer.
    func reads(_ changes: StoreChanges) -> Bool {
        let entities = changes.entityNames.compactMap(model.entity(named:))
        return compiled.tableNames.contains { name in
            entities.contains { $0.tableName == name } || model.entities.allSatisfy { $0.tableName != name }
        }
    }

    /// The request in words.
    var summary: String {
        request.description + (sectionKey.map { ", in sections by \($0)" } ?? ", in one section")
    }

    private var expressionsUseFoundation: Bool {
        request.expressions.contains(where: \.dependsOnFoundation)
    }

    /// The type of the attribute that tells sections apart, for showing its values.
    var sectionAttributeType: AttributeType? { attributeType(sectionKey?.expression.path) }

    /// The type of the attribute that names sections.
    var nameAttributeType: AttributeType? { attributeType(sectionKey?.nameExpression?.path) }

    private func attributeType(_ path: String?) -> AttributeType? {
        guard let path, var entity = model.entity(named: request.entityName) else { return nil }
        let names = path.split(separator: ".").map(String.init)
        for name in names.dropLast() {
            guard let relationship = entity.relationship(named: name),
                let next = model.entity(named: relationship.destinationEntityName)
            else { return nil }
            entity = next
        }
        return names.last.flatMap { entity.attribute(named: $0)?.type }
    }
}
