package import SectionedFetch

/// The description of a store's entities: the numbers of their objects, their attributes and relationships.
package struct EntityReport {
    /// The line below a description that names the option for a list.
    package static let remedy = "Pass --entity NAME to list the objects of an entity."

    /// An entity with the numbers of its objects.
    private struct Entry {
        let entity: EntityDescription
        /// The number of objects with those of the sub-entities.
        let count: Int
        /// The number of objects without those of the sub-entities; nil for an entity that has none.
        let ownCount: Int?
    }

    private let title: String
    private let showsColumns: Bool
    private let entries: [Entry]

    /// Counts the objects of a store's entities in one state of the store.
    ///
    /// - Parameters:
    ///   - name: The store with its kind, for the first line.
    ///   - facts: Further facts for the first line.
    ///   - showsColumns: Whether the columns of external tables are named.
    /// - Throws: ``ObjectStorageError`` if the objects cannot be counted.
    /// - Complexity: O(*n*) in the number of objects.
    package init(
        _ container: PersistentContainer, name: String, facts: [String] = [], showsColumns: Bool = true
    ) throws(ObjectStorageError) {
        let context = container.newContext()
        context.pinBriefly()
        var entries: [Entry] = []
        for entity in container.model.entities {
            func count(withSubentities: Bool) throws(ObjectStorageError) -> Int {
                try context.count(
                    for: FetchRequest<ManagedObject>(
                        entityName: entity.name, includesSubentities: withSubentities))
            }
            let ownCount = entity.hasSubentities ? try count(withSubentities: false) : nil
            entries.append(
                Entry(entity: entity, count: try count(withSubentities: true), ownCount: ownCount))
        }
        try context.setQueryGeneration(from: nil)
        self.entries = entries
        self.showsColumns = showsColumns
        let parts = [Quantity.count(entries.count, "entity", "entities")] + facts
        title = "\(name): \(parts.joined(separator: ", "))"
    }

    /// The text: the entities with their properties.
    package var lines: [String] {
        [title]
            + entries.flatMap { entry in
                var table = TextTable(alignments: [.left, .left])
                return ["", heading(entry)]
                    + table.lines(Self.properties(of: entry.entity, showsColumns: showsColumns)).map {
                        "    " + $0
                    }
            }
    }

    private func heading(_ entry: Entry) -> String {
        let entity = entry.entity
        let parts = [
            entity.name, Quantity.count(entry.count),
            entry.ownCount.map { "\(Quantity.count($0)) without sub-entities" },
            entity.isAbstract ? "abstract" : nil, entity.parentName.map { "a kind of \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    /// Returns the properties that an entity itself declares, with their types or destinations.
    private static func properties(of entity: EntityDescription, showsColumns: Bool) -> [[String]] {
        let table = showsColumns ? entity.existingTable : nil
        let key = table.map { [["objectID", "from “\($0.primaryKey)”"]] } ?? []
        /// Returns the name of the column, if it differs from that of the property.
        func column(_ name: String) -> String {
            table?.columns[name].map { $0 == name ? "" : ", from “\($0)”" } ?? ""
        }
        let attributes = entity.ownAttributes.map {
            [$0.name, $0.type.rawValue + ($0.isTransient ? ", transient" : "") + column($0.name)]
        }
        let relationships = entity.ownRelationships.map { relationship in
            let inverse = relationship.inverseName.map { ", inverse of \($0)" } ?? ""
            let order = relationship.isOrdered ? ", ordered" : ""
            return [
                relationship.name,
                "to \(relationship.isToMany ? "many" : "one") \(relationship.destinationEntityName)\(order)"
                    + column(relationship.name) + inverse,
            ]
        }
        return key + attributes + relationships
    }

    /// Returns the properties of an entity on one line.
    package static func summary(of entity: EntityDescription) -> String {
        let properties = properties(of: entity, showsColumns: true).map { "\($0[0]) (\($0[1]))" }
        return "Properties: \(properties.joined(separator: ", "))"
    }

    /// The entities as JSON.
    package var json: JSONValue {
        .array(
            entries.map { entry in
                let entity = entry.entity
                return [
                    "name": .string(entity.name), "parent": .string(ifPresent: entity.parentName),
                    "isAbstract": .boolean(entity.isAbstract), "count": .count(entry.count),
                    "countWithoutSubentities": .count(entry.ownCount ?? entry.count),
                    "attributes": .array(
                        entity.ownAttributes.map {
                            [
                                "name": .string($0.name), "type": .string($0.type.rawValue),
                                "isOptional": .boolean($0.isOptional),
                            ]
                        }),
                    "relationships": .array(
                        entity.ownRelationships.map {
                            [
                                "name": .string($0.name), "destination": .string($0.destinationEntityName),
                                "inverse": .string(ifPresent: $0.inverseName),
                                "isToMany": .boolean($0.isToMany), "isOrdered": .boolean($0.isOrdered),
                            ]
                        }),
                ]
            })
    }
}
