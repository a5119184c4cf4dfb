package import ObjectModel

/// A request as SQL that finds given rows by their keys and reads their positions in the order.
package struct CompiledRows: Sendable {
    /// Selects those of the given rows that the request finds, in order: the key, the values of the order,
    /// then the group value and the name value if requested. The keys are bound as a JSON array.
    package let matchingSQL: String
    /// Selects one row by its key, whether or not the request finds it: the key and the values of the order.
    package let sortKeySQL: String
    /// The alternatives for the rows adjacent to a given one; empty for an order that no index can have.
    package let neighbourSQL: [NeighbourSQL]
    /// The alternatives that are currently not worth trying.
    package let lookupBackoff = LookupBackoff()
    /// The values of the parameters before the keys.
    package let arguments: [StoredValue]
    /// The comparison of the values of the order.
    package let order: RowOrder
    /// Whether a column holds the value by which rows are grouped.
    package let hasGroup: Bool
    /// Whether a column holds the value that names a group.
    package let hasName: Bool

    /// The number of the parameter for the keys, counted from 1.
    package var keysParameter: Int { arguments.count + 1 }
}

extension RequestCompiler {
    /// Compiles a request without its limit and offset, restricted to given rows.
    ///
    /// - Throws: As ``compile(_:model:columns:provisionalKeys:)``.
    package static func compileRows(
        of request: RequestDescription, groupedBy group: KeyExpression?, namedBy name: KeyExpression?,
        model: ManagedObjectModel, provisionalKeys: [ObjectID.Key: Int64] = [:]
    ) throws(ObjectStorageError) -> CompiledRows {
        var compiler = RequestCompiler(model: model, provisionalKeys: provisionalKeys)
        return try compiler.compileRows(of: request, groupedBy: group, namedBy: name)
    }

    private mutating func compileRows(
        of request: RequestDescription, groupedBy group: KeyExpression?, namedBy name: KeyExpression?
    ) throws(ObjectStorageError) -> CompiledRows {
        let entity = try model.requireList(named: request.entityName)
        openScope(of: entity)
        let key = "t0." + entity.keySQL
        var sortKeyColumns = [key]
        var terms: [String] = []
        if let precedence = request.precedence {
            sortKeyColumns.append("\(try rank(precedence, of: entity)) AS \(Self.alias("rank"))")
            terms.append(Self.alias("rank"))
        }
        for term in request.sort {
            let sql = try expression(term.expression, of: entity, use: "sort by")
            let alias = Self.alias("order\(terms.count)")
            sortKeyColumns.append("\(try orderValue(term, sql: sql, of: entity)) AS \(alias)")
            terms.append(Self.directed(term, sql: alias))
        }
        terms += keyTerms(of: entity)
        var selected = sortKeyColumns
        if let group { selected.append(try expression(group, of: entity, use: "group by")) }
        if let name { selected.append(try expression(name, of: entity, use: "name groups by")) }
        let condition = try self.condition(of: request, entity)
        let keys = "?\(arguments.count + 1)"
        let joins = scopes[0].joins.reduce("") { $0 + " " + $1 }
        var matching = "SELECT \(Self.list(selected)) FROM "
        var rowOfKey = "\(entity.tableSQL) AS t0\(joins) WHERE \(key) = \(keys)"
        if let union = entity.union {
            matching += "\(Self.rows(of: entity, withKeysIn: keys)) AS t0\(joins)"
            let row = union.selectionSQL(of: entity) { key, offset in "\(key) = \(keys) - \(offset)" }
            rowOfKey = "\(row) AS t0\(joins)"
        } else {
            matching +=
                "json_each(\(keys)) AS sf_keys CROSS JOIN \(entity.tableSQL) AS t0 ON \(key) = sf_keys.value\(joins)"
        }
        if let condition { matching += " WHERE \(condition)" }
        matching += " ORDER BY \(Self.list(terms))"
        return CompiledRows(
            matchingSQL: matching,
            sortKeySQL: "SELECT \(Self.list(sortKeyColumns)) FROM \(rowOfKey)",
            neighbourSQL: neighbourSQL(of: request, entity, sortKeyColumns: sortKeyColumns, parameter: keys),
            arguments: arguments, order: RowOrder(request, isOfUnion: entity.union != nil),
            hasGroup: group != nil, hasName: name != nil)
    }

    /// Returns the table of an entity as SQL; for a union, the rows whose keys are in a JSON array. Without
    /// this condition, SQLite would compute the rows of all members to look up one row.
    private static func rows(of entity: EntityDescription, withKeysIn parameter: String) -> String {
        guard let union = entity.union else { return entity.tableSQL }
        return union.selectionSQL(of: entity) { key, offset in
            "\(key) IN (SELECT value - \(offset) FROM json_each(\(parameter)))"
        }
    }

    /// Returns the SQL that finds the objects to which relationships of any form lead from given keys, which
    /// are bound as a JSON array. Each row of its result has a given key, then the key of an object.
    ///
    /// - Parameter path: The names of the relationships.
    package static func compileMembers(
        ofEntityNamed entityName: String, through path: [String], model: ManagedObjectModel
    ) throws(ObjectStorageError) -> String {
        var entity = try model.requireList(named: entityName)
        var members = "SELECT value AS owner, value AS member FROM json_each(?1)"
        for (position, name) in path.enumerated() {
            let relationship = try relationship(name, of: entity, path: path.joined(separator: "."))
            let destination = try model.requireEntity(named: relationship.destinationEntityName)
            let (table, own, other) =
                if let link = model.linkEnd(of: relationship, in: entity) {
                    (link.table.tableSQL, link.ownColumn, link.otherColumn)
                } else if relationship.isToMany, let inverse = relationship.inverseName {
                    (destination.tableSQL, destination.columnSQL(inverse), destination.keySQL)
                } else {
                    (
                        position == 0 ? Self.rows(of: entity, withKeysIn: "?1") : entity.tableSQL,
                        entity.keySQL, entity.columnSQL(relationship.name)
                    )
                }
            members =
                "SELECT s.owner AS owner, d.\(other) AS member FROM (\(members)) AS s CROSS JOIN \(table) AS d"
                + " ON d.\(own) = s.member WHERE d.\(other) IS NOT NULL"
            entity = destination
        }
        return members + " ORDER BY 1, 2"
    }

    /// Returns the SQL that finds the rows from which relationships of any form lead to given keys, which are
    /// bound as a JSON array.
    ///
    /// - Parameter path: The names of the relationships; none for the rows with the keys.
    package static func compileRows(
        ofEntityNamed entityName: String, leadingThrough path: [String], model: ManagedObjectModel
    ) throws(ObjectStorageError) -> String {
        var entity = try model.requireList(named: entityName)
        var steps: [(relationship: RelationshipDescription, source: EntityDescription)] = []
        for name in path {
            let relationship = try relationship(name, of: entity, path: path.joined(separator: "."))
            steps.append((relationship, entity))
            entity = try model.requireEntity(named: relationship.destinationEntityName)
        }
        var keys = "SELECT value FROM json_each(?1)"
        for (relationship, source) in steps.reversed() {
            let destination = try model.requireEntity(named: relationship.destinationEntityName)
            keys =
                if let link = model.linkEnd(of: relationship, in: source) {
                    "SELECT \(link.ownColumn) FROM \(link.table.tableSQL) WHERE \(link.otherColumn) IN (\(keys))"
                } else if relationship.isToMany, let inverse = relationship.inverseName {
                    "SELECT \(destination.columnSQL(inverse)) FROM \(destination.tableSQL) WHERE \(destination.keySQL) IN (\(keys))"
                } else {
                    "SELECT \(source.keySQL) FROM \(source.tableSQL) WHERE \(source.columnSQL(relationship.name)) IN (\(keys))"
                }
        }
        return keys
    }
}
