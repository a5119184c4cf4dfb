/// The columns that hold the rows of an entity and all its sub-entities, and the index of each entity's
/// values among them.
///
/// A statement that reads them selects the key and the name of the row's entity first.
package struct HierarchyColumns {
    /// One of the entities.
    package struct Member {
        /// The entity.
        package let entity: EntityDescription
        /// The entity's name.
        package var name: String { entity.name }
        /// For each slot of an object of the entity, the index of its column in ``HierarchyColumns/columns``.
        package let columnPositions: [Int]
    }

    /// The columns after the key and the entity's name, as SQL, each once.
    package let columns: [String]
    /// The entity and its sub-entities.
    package let members: [Member]

    /// Collects the columns of an entity and its sub-entities.
    ///
    /// - Complexity: O(*c*²) in the number of columns.
    package init(_ entities: [EntityDescription]) {
        var columns: [String] = []
        var members: [Member] = []
        for entity in entities {
            let columnPositions = entity.columnSQLs.map { column in
                if let position = columns.firstIndex(of: column) { return position }
                columns.append(column)
                return columns.count - 1
            }
            members.append(Member(entity: entity, columnPositions: columnPositions))
        }
        self.columns = columns
        self.members = members
    }
}
