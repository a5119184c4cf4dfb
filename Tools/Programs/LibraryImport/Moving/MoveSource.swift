import CoreDataStores
import Foundation
import ModelReading
import SectionedFetch
import ToolSupport

/// The store whose contents are moved, opened for reading. None of its files is changed.
struct MoveSource {
    /// The kind of the store, in words.
    let kindName: String
    /// The path as it is written on the command line.
    let path: String
    /// The store.
    let container: PersistentContainer
    /// A context that is pinned to one state of the store.
    let context: ManagedObjectContext
    /// The entities with the store's rules, but not mapped to its tables.
    let entities: [EntityDescription]
    /// The parts that have no place in a new store, without the contents that are lost with them.
    var partsWithoutPlace: [String]
    /// The tables and columns without contents that are not part of the model of a store of the library.
    var partsOutsideModel: [String] = []
    /// The parts of the model that hold no data and do not restrict them.
    private(set) var notes: [String] = []
    /// The columns whose values the new store has in another form, or as another type than the declared one.
    var conversions: [String] = []
    /// The tables and columns with contents that are not part of the model.
    var losses: [MoveComparison.Difference] = []
    /// The state of the files when the store was opened.
    let state: String

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - model: The path of a model for a store of Core Data that does not contain one; nil to use its own.
    ///   - sharesStore: Whether a store of the library is opened with SQLite's usual locks, so that one state
    ///     is read while others write, although SQLite may create files beside it.
    /// - Throws: ``ToolFailure``; `ObjectStorageError` for a file that cannot be read.
    init(path: String, model: String?, busyTimeout: Double, sharingStore sharesStore: Bool = false) throws {
        guard !path.isEmpty else {
            throw ToolFailure("The path after --from is empty. Pass the path of the store to move.")
        }
        self.path = path
        let url = PathArgument.url(path)
        var options = StoreOptions(isReadOnly: true, busyTimeout: busyTimeout)
        options.preservesFiles = true
        state = Self.state(ofStoreAt: path)
        let kind = try TextFile.explaining(path) { () throws(ObjectStorageError) in
            try DatabaseSurvey.kind(of: url, options: options)
        }
        if model != nil, kind != .coreDataStore {
            throw ToolFailure(
                "--model is for stores of Core Data, and “\(path)” is not one. Leave out --model.")
        }
        var survey: DatabaseSurvey?
        switch kind {
        case .coreDataStore:
            kindName = "Core Data store"
            let store = try CoreDataStore(
                contentsOf: url, model: model.map(PathArgument.url), options: options)
            container = try PersistentContainer(store, options: options)
            partsWithoutPlace = store.unreadableParts.map { "\($0)" }
            var rules: DataModel?
            do throws(ObjectStorageError) {
                rules = try Self.rules(of: store, model: model, options: options)
            } catch {
                partsWithoutPlace.append(
                    "The rules of the model (required values, constraints, delete rules) cannot be read: \(error.message)"
                )
            }
            entities = Self.entities(of: store.model, withRulesOf: rules?.model)
            let parts = rules?.unsupportedParts ?? []
            partsWithoutPlace += parts.filter(\.concernsValues).map { "\($0)" }
            notes = parts.filter { !$0.concernsValues }.map { "\($0)" }
        case .other:
            kindName = "SQLite database"
            // The types hold for all rows, because all rows are moved.
            let found = try DatabaseSurvey(of: url, examining: Int(Int32.max), options: options)
            try Self.refuseUnreadableTables(of: found, path)
            survey = found
            options.existingTables = .untracked
            container = try PersistentContainer(url: url, model: found.model, options: options)
            partsWithoutPlace = []
            entities = try Self.entities(of: found.model, withConstraintsOf: container)
        case .store:
            kindName = "store"
            options.preservesFiles = !sharesStore
            container = try PersistentContainer(url: url, options: options)
            partsWithoutPlace = []
            entities = Self.entities(of: container.model, withRulesOf: container.model)
        case .empty: throw ToolFailure("“\(path)” has no tables. Check the path.")
        }
        context = container.newContext()
        // A copy of a store with a rollback journal would need the space of the whole store.
        context.pinBriefly()
        if let survey {
            for table in survey.tables { try take(table, survey.model) }
            try takeRules(ofTables: survey.tables.filter { !$0.columns.isEmpty }.map(\.name))
        } else if kind == .coreDataStore {
            partsWithoutPlace += try history()
            try takePartsOutsideModel(isCoreData: true)
        } else {
            try takePartsOutsideModel(isCoreData: false)
            try takeRulesOfMappedTables()
        }
        partsWithoutPlace += entities.flatMap(Self.partsWithoutPlace)
    }

    /// Returns the sizes and modification times of the files of a store, which another program changes when
    /// it writes. The files are not opened, because closing them would drop SQLite's locks.
    static func state(ofStoreAt path: String) -> String {
        let file = PathArgument.url(path).resolvingSymlinksInPath().path
        return ["", "-wal", "-journal"].map { suffix in
            var status = stat()
            guard stat(file + suffix, &status) == 0, status.st_size > 0 else { return "-" }
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            return "\(status.st_size)@\(time.tv_sec).\(time.tv_nsec)"
        }.joined(separator: " ")
    }

    /// Whether another program wrote to the store since it was opened.
    var hasChanged: Bool { Self.state(ofStoreAt: path) != state }
}

extension MoveSource {
    /// Returns the model of a store of Core Data with its rules.
    private static func rules(
        of store: CoreDataStore, model: String?, options: StoreOptions
    ) throws(ObjectStorageError) -> DataModel {
        guard let model else { return try CoreDataStore.dataModel(ofStoreAt: store.url, options: options) }
        return try DataModel(contentsOf: PathArgument.url(model), version: store.modelVersionName)
    }

    /// Returns the entities that can be read, with the rules of a model where it has any.
    private static func entities(
        of model: ManagedObjectModel, withRulesOf rules: ManagedObjectModel?
    ) -> [EntityDescription] {
        model.entities.map { entity in
            let rule = rules?.entity(named: entity.name)
            let names = entity.columnPropertyNames
            func fits(_ list: [String]) -> Bool { list.allSatisfy(names.contains) }
            return EntityDescription(
                name: entity.name, parentName: entity.parentName, isAbstract: entity.isAbstract,
                attributes: entity.ownAttributes.map { attribute in
                    guard let other = rule?.attribute(named: attribute.name), other.type == attribute.type,
                        other.isTransient == attribute.isTransient
                    else { return attribute }
                    return other
                },
                relationships: entity.ownRelationships.map { relationship in
                    guard let other = rule?.relationship(named: relationship.name) else {
                        return relationship
                    }
                    return relationship.withRules(of: other)
                },
                uniquenessConstraints: (rule?.uniquenessConstraints ?? []).filter(fits),
                indexes: (rule?.indexes ?? []).filter(fits),
                renamingIdentifier: (rule ?? entity).renamingIdentifier)
        }
    }

    /// Returns the entities of another program's tables with the constraints of the tables' unique indexes.
    private static func entities(
        of model: ManagedObjectModel, withConstraintsOf container: PersistentContainer
    ) throws -> [EntityDescription] {
        let context = container.newContext()
        return try model.entities.map { entity in
            let columns = try context.uniqueColumns(ofTableOf: entity)
            func property(_ column: String) -> String? {
                entity.columnPropertyNames.first {
                    (entity.existingTable?.columns[$0] ?? $0).lowercased() == column.lowercased()
                }
            }
            // A unique index over the key includes a column that is not a property, so it is skipped.
            let lists = columns.map { $0.compactMap(property) }
            let constraints = zip(columns, lists).filter { $0.count == $1.count }.map(\.1)
            let single = Set(constraints.filter { $0.count == 1 }.map { $0[0] })
            return EntityDescription(
                name: entity.name, parentName: entity.parentName, isAbstract: entity.isAbstract,
                attributes: entity.ownAttributes.map {
                    single.contains($0.name) ? $0.changed(isUnique: true) : $0
                },
                relationships: Array(entity.ownRelationships),
                uniquenessConstraints: constraints.filter { list in
                    list.count > 1 || !entity.ownAttributes.contains { $0.name == list[0] }
                })
        }
    }

    /// Returns the parts of an entity that a new store has no values for.
    private static func partsWithoutPlace(of entity: EntityDescription) -> [String] {
        entity.ownAttributes.compactMap { attribute in
            let subject = "“\(entity.name).\(attribute.name)”"
            if attribute.isTransient {
                return "\(subject): transient. The new store has the attribute, and no store has its values."
            }
            return attribute.derivation.map {
                "\(subject): the derivation “\($0)”. The new store has the values, in a plain attribute."
            }
        }
    }
}

extension RelationshipDescription {
    /// Returns the relationship with the delete rule and the bounds of another one.
    fileprivate func withRules(of other: Self) -> Self {
        isToMany
            ? .toMany(
                name, to: destinationEntityName, inverse: inverseName, isOrdered: isOrdered,
                deleteRule: other.deleteRule, allowedCount: other.isToMany ? other.allowedCount : nil,
                renamingIdentifier: other.renamingIdentifier)
            : .toOne(
                name, to: destinationEntityName, inverse: inverseName,
                isOptional: other.isToMany || other.isOptional, deleteRule: other.deleteRule,
                renamingIdentifier: other.renamingIdentifier)
    }
}

extension UnsupportedModelPart {
    /// Whether the part has values, or restricts or computes those of others.
    fileprivate var concernsValues: Bool {
        let others: [Kind] = [
            .fetchedProperty, .fetchRequest, .configuration, .expressionIndex, .partialIndex, .indexOption,
            .cloudKit, .spotlight, .preservedValue, .versionHashModifier, .userInfo,
        ]
        return !others.contains(kind)
    }
}
