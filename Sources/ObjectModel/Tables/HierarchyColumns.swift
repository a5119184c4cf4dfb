/// The columns that hold the rows of an entity and all its sub-entities, and where each one's values are
/// among them.
///
/// A statement that reads them begins with the key and the name of the row's entity.
struct HierarchyColumns {
    /// One of the entities.
    struct Member {
        let name: String
        /// For each slot of an object of the entity the column with its value.
        let places: [Int]
    }

    /// The columns behind the key and the entity's name, as SQL, each once.
    let columns: [String]
    /// The entity and its sub-entities.
    let members: [Member]

    /// The columns of a family.
    ///
    /// - Complexity: O(*c*²) in the number of columns.
    init(_ entities: [EntityDescription]) {
        var columns: [String] = []
        var members: [Member] = []
        for entity in entities {
            let places = entity.columnSQLs.map { column in
                if let place = columns.firstIndex(of: column) { return place }
                columns.append(column)
                return columns.count - 1
            }
            members.append(Member(name: entity.name, places: places))
        }
        self.columns = columns
        self.members = members
    }
}
