import ObjectStorage

/// The tables and the numbers of a model's entities in a store.
struct EntityPlacements {
    /// The table and the number of an entity.
    struct Placement {
        /// The number that rows of the entity have in `Z_ENT`.
        let number: Int64
        /// The table of the hierarchy.
        let table: StoreTables.Table
        /// The name of the entity at the top of the hierarchy.
        let rootName: String
    }

    /// The placements, by entity name. Entities that the store lacks are omitted.
    private(set) var placements: [String: Placement] = [:]
    /// The names of entities in the store that differ from the model's, keyed by the model's names.
    private(set) var renamedEntities: [String: String] = [:]
    /// The reasons why entities may have the numbers of others, by entity.
    private(set) var doubts: [String: String] = [:]
    /// The entities that the store lacks.
    private(set) var unreadableParts: [UnreadableStorePart] = []

    private let numbered: [StoreTables.NumberedEntity]

    /// Finds the tables and numbers of entities.
    ///
    /// - Complexity: O(*n*·*d*) in the number of entities and the depth of the hierarchies.
    init(of entities: [EntityDescription], in tables: StoreTables) {
        numbered = tables.entities
        let parents = entities.reduce(into: [String: String]()) { $0[$1.name] = $1.parentName }
        var numbers: [String: StoreTables.NumberedEntity] = [:]
        for entity in entities {
            numbers[entity.name] = numbered.first { $0.name == entity.name }
        }
        for entity in entities where numbers[entity.name] == nil {
            guard let found = earlierName(of: entity, among: entities, numbers, parents, tables) else {
                continue
            }
            numbers[entity.name] = found
            renamedEntities[entity.name] = found.name
            if entity.renamingIdentifier != found.name {
                doubts[entity.name] =
                    "the store has no entity “\(entity.name)”, and the model does not state that “\(found.name)” is its former name."
            }
        }
        for entity in entities {
            let lineage = Self.lineage(of: entity.name, parents)
            guard let root = lineage.last, parents[root] == nil,
                lineage.allSatisfy({ numbers[$0] != nil }), let number = numbers[entity.name]?.number
            else {
                refuse(entity, "the store has no number for it, so its rows cannot be distinguished.")
                continue
            }
            let tableNames = [root, numbers[root]?.name ?? root].map { "Z" + $0.uppercased() }
            guard let table = tableNames.lazy.compactMap({ tables.tables[$0] }).first else {
                refuse(entity, "the store has no table \(tableNames[0]).")
                continue
            }
            guard table.columns["Z_PK"] != nil, table.columns["Z_ENT"] != nil else {
                refuse(entity, "the table \(table.name) has no columns Z_PK and Z_ENT.")
                continue
            }
            placements[entity.name] = Placement(number: number, table: table, rootName: root)
        }
    }

    private mutating func refuse(_ entity: EntityDescription, _ reason: String) {
        unreadableParts.append(UnreadableStorePart(entity.name, nil, reason))
    }

    /// Returns the names of an entity and of its ancestors, the nearest first. In a cycle, each name is
    /// returned once.
    static func lineage(of name: String, _ parents: [String: String]) -> [String] {
        var lineage = [name]
        var visited: Set<String> = [name]
        while let parent = parents[lineage[lineage.count - 1]], visited.insert(parent).inserted {
            lineage.append(parent)
        }
        return lineage
    }

    /// Returns the store's entity for an entity that a migration renamed, because `Z_PRIMARYKEY` keeps the
    /// earlier name. The result has the earlier name that the model states. Otherwise it is the only
    /// unassigned entity below the parent, if the model has only one entity without a number there and the
    /// table has columns for its attributes.
    private func earlierName(
        of entity: EntityDescription, among entities: [EntityDescription],
        _ numbers: [String: StoreTables.NumberedEntity], _ parents: [String: String],
        _ tables: StoreTables
    ) -> StoreTables.NumberedEntity? {
        let taken = Set(numbers.values.map(\.number))
        let free = numbered.filter { !taken.contains($0.number) }
        if let former = entity.renamingIdentifier, let found = free.first(where: { $0.name == former }) {
            return found
        }
        let parentNumber = entity.parentName.flatMap { numbers[$0]?.number } ?? 0
        let siblings = free.filter { $0.parentNumber == parentNumber }
        let unplaced = entities.filter { numbers[$0.name] == nil && $0.parentName == entity.parentName }
        guard siblings.count == 1, unplaced.count == 1 else { return nil }
        let root = Self.lineage(of: entity.name, parents).last ?? entity.name
        let rootName = root == entity.name ? siblings[0].name : numbers[root]?.name ?? root
        let table = [root, rootName].lazy.compactMap { tables.tables["Z" + $0.uppercased()] }.first
        let isFitting = entity.attributes.allSatisfy { attribute in
            attribute.isTransient || table?.columns["Z" + attribute.name.uppercased()] != nil
        }
        return isFitting ? siblings[0] : nil
    }
}
