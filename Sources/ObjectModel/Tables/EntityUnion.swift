/// The entities whose objects are listed together, and the keys that their rows have in such a list.
///
/// The key of a row in the list is the row's own key plus a multiple of 2⁵⁶ that identifies the member; keys
/// of the first member are unchanged. Unsaved objects in child contexts have keys from 2⁶² on, to which the
/// same multiple is added.
package final class EntityUnion: Sendable {
    /// The entities. Objects that the sort descriptors leave equal are listed in this order of their
    /// entities.
    package let members: [EntityDescription]

    /// The character between the names of the members in the name of their list.
    package static let separator: Character = "+"
    /// The largest number of entities.
    package static let maximumCount = 63
    private static let stride: Int64 = 1 << 56

    /// Creates the union of some entities.
    package init(_ members: [EntityDescription]) { self.members = members }

    /// The names of the tables with the rows, each once.
    package var tableNames: [String] {
        members.reduce(into: []) { names, member in
            if !names.contains(member.tableName) { names.append(member.tableName) }
        }
    }

    /// Returns the number that is added to the keys of a member's rows.
    package static func offset(ofMember position: Int) -> Int64 { Int64(position) * stride }

    /// Returns the position of the member to which a key of the list belongs.
    package static func member(ofKey key: Int64) -> Int { Int((key &+ stride / 2) / stride) & maximumCount }

    /// Returns ``member(ofKey:)`` of an SQL expression, as SQL.
    package static func memberSQL(ofKey key: String) -> String {
        "((\(key) + \(stride / 2)) >> 56) & \(maximumCount)"
    }

    /// Returns the key of a row in its own table.
    package static func rowKey(of key: Int64) -> Int64 { key &- offset(ofMember: member(ofKey: key)) }

    /// Returns an SQL subquery for the rows of all members, with the columns of the shared properties.
    ///
    /// - Parameter condition: Returns the condition for rows of a member, given the SQL of the key and the
    ///   number that is added to it.
    package func selectionSQL(
        of list: EntityDescription,
        where condition: (_ key: String, _ offset: Int64) -> String? = { _, _ in nil }
    ) -> String {
        let hasExistingTables = members.contains { $0.mapping != nil }
        var selections: [String] = []
        for (position, member) in members.enumerated() {
            let offset = Self.offset(ofMember: position)
            let key = "m." + member.keySQL
            // A key out of range would become the key of another row of the list, so the function fails.
            let range = "BETWEEN \(Self.lowestKey) AND \(Self.highestKey)"
            let listKey =
                "CASE WHEN \(key) \(range) THEN \(key) + \(offset) ELSE sf_list_key(\(key), \(offset)) END"
            var columns = ["\(listKey) AS \(list.keySQL)"]
            for attribute in list.storedAttributes {
                let value = member.valueSQL(attribute.name, prefix: "m.")
                columns.append(
                    "\(hasExistingTables ? attribute.type.uniformSQL(value) : value) AS \(list.columnSQL(attribute.name))"
                )
            }
            for relationship in list.toOneRelationships {
                let name = relationship.name
                columns.append("m.\(member.columnSQL(name)) AS \(list.columnSQL(name))")
            }
            var selection = "SELECT " + columns.joined(separator: ", ") + " FROM \(member.tableSQL) AS m"
            let conditions = [member.concreteEntityCondition("m"), condition(key, offset)].compactMap(\.self)
            if !conditions.isEmpty { selection += " WHERE " + conditions.joined(separator: " AND ") }
            selections.append(selection)
        }
        return "(" + selections.joined(separator: " UNION ALL ") + ")"
    }

    private static let lowestKey = -stride / 2
    private static let highestKey = stride / 2 - 1

    /// Returns whether the row with a key can be listed. In a child context the unsaved objects of the parent
    /// are rows with keys from 2⁶² on.
    package static func canList(_ key: Int64) -> Bool {
        (lowestKey...highestKey).contains(key)
            || key >= ObjectID.firstUnsavedKey && key - ObjectID.firstUnsavedKey <= highestKey
    }
}

extension EntityDescription {
    /// Returns the numbers that are added to the keys of a table's rows to make the keys of a list of this
    /// entity: 0 for an entity with that table, one for each member of a union with that table.
    package func keyOffsets(ofTableNamed name: String) -> [Int64] {
        guard let union else { return name == tableName ? [0] : [] }
        return union.members.indices.filter { union.members[$0].tableName == name }.map(EntityUnion.offset)
    }

    /// Returns the number that is added to the key of an object's row to make its key in a list of this
    /// entity. Nil for an object that such a list cannot contain.
    package func keyOffset(ofObjectOf entity: EntityDescription) -> Int64? {
        guard let union else { return entity.isKind(ofEntityNamed: name) ? 0 : nil }
        return union.members.firstIndex { entity.isKind(ofEntityNamed: $0.name) }.map(EntityUnion.offset)
    }

    /// Returns the entity and the row's own key for a key of a list of this entity.
    package func row(ofListKey key: Int64) -> (entityName: String, key: Int64) {
        guard let union else { return (name, key) }
        let member = EntityUnion.member(ofKey: key)
        guard union.members.indices.contains(member) else { return (name, key) }
        return (union.members[member].name, key &- EntityUnion.offset(ofMember: member))
    }

    /// The names of the tables with the rows of a list of this entity, each once.
    package var tableNames: [String] { union?.tableNames ?? [tableName] }

    /// The members of a union, or the entity itself.
    package var listedEntities: [EntityDescription] { union?.members ?? [self] }
}

extension AttributeType {
    /// Returns a value as SQL in the storage class that the library's own tables have. Tables of other
    /// programs may store 5.0 as 5, and equal values of two storage classes would form two sections.
    fileprivate func uniformSQL(_ value: String) -> String {
        switch self {
        case .double, .float, .date:
            "CASE typeof(\(value)) WHEN 'integer' THEN CAST(\(value) AS REAL) ELSE \(value) END"
        case .integer16, .integer32, .integer64, .boolean:
            "CASE WHEN typeof(\(value)) = 'real' AND \(value) = CAST(\(value) AS INTEGER) THEN CAST(\(value) AS INTEGER) ELSE \(value) END"
        case .string, .decimal, .binaryData, .uuid, .uri, .transformable: value
        }
    }
}
