package import ObjectModel

extension RequestCompiler {
    /// A table from which key paths start, with the tables joined to it.
    package struct Scope {
        /// The entity whose table it is.
        package let entity: EntityDescription
        /// The table's name in the statement.
        package let alias: String
        /// The variable that represents its rows; nil for the request's table and for the table of a
        /// quantifier.
        package let variable: String?
        /// The joins in the order in which they must be written.
        package var joins: [String] = []
        /// The tables joined for key paths, each once.
        package var joined: [(path: String, alias: String)] = []
    }

    /// Adds the scope of the request's table.
    package mutating func openScope(of entity: EntityDescription) {
        scopes.append(Scope(entity: entity, alias: newAlias(of: entity), variable: nil))
    }

    /// Returns the alias of the table at the end of a chain of to-one relationships, which is joined on first
    /// use.
    package mutating func join(
        _ path: String, column: String, destination: EntityDescription, inScope scope: Int
    ) -> String {
        if let known = scopes[scope].joined.first(where: { $0.path == path }) { return known.alias }
        let alias = newAlias(of: destination)
        scopes[scope].joined.append((path, alias))
        scopes[scope].joins.append(
            "LEFT JOIN \(destination.tableSQL) AS \(alias) ON \(alias).\(destination.keySQL) = \(column)"
        )
        return alias
    }

    /// Returns the condition that a to-many relationship leads from a row of `owner` to a row of
    /// `destination`.
    ///
    /// A to-many relationship is stored in the destination's column of its to-one inverse, or in a link
    /// table.
    ///
    /// - Parameters:
    ///   - entity: The entity that has the relationship.
    ///   - owner: The alias of that entity's table.
    ///   - destination: The entity to which it leads.
    ///   - alias: The alias of the destination's table.
    private mutating func condition(
        of relationship: RelationshipDescription, in entity: EntityDescription, from owner: String,
        to destination: EntityDescription, called alias: String
    ) -> String {
        let entityCondition = destination.concreteEntityCondition(alias).map { " AND " + $0 } ?? ""
        if let end = model.linkEnd(of: relationship, in: entity) {
            noteTable(end.table.name)
            return
                "\(alias).\(destination.keySQL) IN (SELECT \(end.otherColumn) FROM \(end.table.tableSQL) "
                + "WHERE \(end.ownColumn) = \(owner).\(entity.keySQL))\(entityCondition)"
        }
        // Without a link table the inverse is a to-one relationship.
        return
            "\(alias).\(destination.columnSQL(relationship.inverseName ?? "")) = \(owner).\(entity.keySQL)\(entityCondition)"
    }

    /// Returns the index of the scope in which a key path begins.
    package func scope(of path: PredicateExpression.Path) throws(ObjectStorageError) -> Int {
        guard let variable = path.variable else { return 0 }
        guard let scope = scopes.lastIndex(where: { $0.variable == variable }) else {
            throw ObjectStorageError(
                .invalidPredicate,
                "$\(variable).\(path.names): no enclosing SUBQUERY declares this variable.")
        }
        return scope
    }

    /// Compiles a `SELECT` over the objects at the end of a key path through to-many relationships.
    ///
    /// - Parameters:
    ///   - names: The names of the key path up to its last to-many relationship.
    ///   - variable: The name of the objects in key paths of `body`.
    ///   - body: Returns the result columns and the condition, if any; the scope of the objects is the last
    ///     one.
    /// - Returns: A `SELECT` without parentheses.
    package mutating func selection(
        ofEach names: [String], from start: Int, variable: String? = nil,
        _ body: (inout RequestCompiler) throws(ObjectStorageError) -> (columns: String, condition: String?)
    ) throws(ObjectStorageError) -> String {
        var scope = start
        var current = scopes[start].entity
        var alias = scopes[start].alias
        var from = ""
        var conditions: [String] = []
        for (position, name) in names.enumerated() {
            let path = names[...position].joined(separator: ".")
            let relationship = try Self.relationship(name, of: current, path: path)
            let destination = try model.requireEntity(named: relationship.destinationEntityName)
            if !relationship.isToMany {
                let column = "\(alias).\(current.columnSQL(name))"
                alias = join(path, column: column, destination: destination, inScope: scope)
            } else if from.isEmpty {
                let owner = alias
                alias = newAlias(of: destination)
                from = "\(destination.tableSQL) AS \(alias)"
                conditions.append(
                    condition(of: relationship, in: current, from: owner, to: destination, called: alias))
                scopes.append(Scope(entity: destination, alias: alias, variable: nil))
                scope = scopes.count - 1
            } else {
                let owner = alias
                alias = newAlias(of: destination)
                let condition = condition(
                    of: relationship, in: current, from: owner, to: destination, called: alias)
                scopes[scope].joins.append(
                    "JOIN \(destination.tableSQL) AS \(alias) ON \(condition)")
            }
            current = destination
        }
        // Key paths of the body start at the last table; the tables on the way to it stay joined.
        let joins = scopes.removeLast().joins
        scopes.append(Scope(entity: current, alias: alias, variable: variable, joins: joins))
        defer { scopes.removeLast() }
        let (columns, condition) = try body(&self)
        if let condition { conditions.append(condition) }
        return (["SELECT \(columns) FROM \(from)"] + scopes[scopes.count - 1].joins).joined(separator: " ")
            + " WHERE " + conditions.joined(separator: " AND ")
    }

    /// Splits a key path after its last to-many relationship: into the part that leads to many objects, and
    /// the part that is read for each.
    ///
    /// - Returns: Nil if the key path leads through no such relationship.
    package func parted(
        _ path: PredicateExpression.Path
    ) throws(ObjectStorageError) -> (scope: Int, collection: [String], rest: String)? {
        let scope = try scope(of: path)
        let names = try Self.names(of: path.names, entity: scopes[scope].entity)
        let end = model.endOfCollection(names, from: scopes[scope].entity)
        guard end > 0 else { return nil }
        let rest = names[end...].joined(separator: ".")
        return (scope, Array(names[..<end]), rest.isEmpty ? "objectID" : rest)
    }
}

extension ManagedObjectModel {
    /// Returns the number of names of a key path up to and including its last to-many relationship; 0 if it
    /// has none.
    package func endOfCollection(_ names: [some StringProtocol], from start: EntityDescription) -> Int {
        var entity = start
        var end = 0
        for (position, name) in names.enumerated() {
            guard let relationship = entity.relationships.first(where: { $0.name == name }),
                let next = self.entity(named: relationship.destinationEntityName)
            else { break }
            if relationship.isToMany { end = position + 1 }
            entity = next
        }
        return end
    }
}
