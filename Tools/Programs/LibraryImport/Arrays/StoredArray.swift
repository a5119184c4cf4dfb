import SectionedFetch

/// A to-many relationship of a store's entity to the elements of arrays, which have positions.
struct StoredArray {
    /// The relationship of the row to its elements.
    let relationship: RelationshipDescription
    /// The entity of the elements.
    let entity: EntityDescription
    /// The relationship of an element to its row.
    let inverse: String
    /// The attribute with the position of an element.
    let position: String

    /// Creates the description of a relationship; nil for one that does not lead to elements of arrays.
    private init?(_ relationship: RelationshipDescription, in model: ManagedObjectModel) {
        guard relationship.isToMany, let inverse = relationship.inverseName,
            let entity = model.entity(named: relationship.destinationEntityName),
            entity.toOneRelationships.contains(where: { $0.name == inverse }),
            let position = ["position", "position_2"].first(where: {
                entity.attribute(named: $0)?.type == .integer64
            })
        else { return nil }
        self.relationship = relationship
        self.entity = entity
        self.inverse = inverse
        self.position = position
    }

    /// Returns the relationships of an entity that lead to elements of arrays.
    static func all(of entity: EntityDescription, in model: ManagedObjectModel) -> [StoredArray] {
        entity.relationships.compactMap { StoredArray($0, in: model) }
    }

    /// Returns the relationship for each column whose arrays have one, by the columns' names.
    ///
    /// - Parameter columns: The names of columns, or of the members of elements.
    static func byColumn(
        _ columns: [String], of entity: EntityDescription, in model: ManagedObjectModel
    ) -> [String: StoredArray] {
        let arrays = Dictionary(
            uniqueKeysWithValues: all(of: entity, in: model).map { ($0.relationship.name, $0) })
        guard !arrays.isEmpty else { return [:] }
        var found: [String: StoredArray] = [:]
        for (column, name) in zip(columns, Mapping.arrayNames(forColumns: columns)) {
            if let array = arrays[name] { found[column] = array }
        }
        return found
    }

    /// Whether elements are objects with members, or can only be values; nil if they may be either.
    func elements(in model: ManagedObjectModel) -> Mapping.ArrayColumn.Elements? {
        let attributes = entity.attributes.map(\.name).filter { $0 != position }
        guard attributes == ["name"], StoredArray.all(of: entity, in: model).isEmpty else { return .objects }
        return nil
    }
}

extension ManagedObjectModel {
    /// Whether an entity has a relationship to elements of arrays.
    var hasArrays: Bool { entities.contains { !StoredArray.all(of: $0, in: self).isEmpty } }
}
