import Foundation

/// The SQL that computes one derived attribute (decision 0061): temporary triggers that collect the keys of
/// the rows whose value may have changed, and a statement that computes the value of collected rows.
struct DerivedAttributeSQL {
    /// The entity that declares the attribute.
    let entity: EntityDescription
    /// The attribute.
    let attribute: AttributeDescription
    /// The number of the attribute among all derived ones of the model.
    let number: Int
    private let model: ManagedObjectModel
    private let derivation: AttributeDerivation

    /// Returns the derived attributes of a model, in the order of its entities.
    static func all(of model: ManagedObjectModel) -> [DerivedAttributeSQL] {
        var found: [DerivedAttributeSQL] = []
        for entity in model.entities {
            for attribute in entity.ownAttributes {
                guard let derivation = attribute.derivation else { continue }
                found.append(
                    DerivedAttributeSQL(
                        entity: entity, attribute: attribute, number: found.count, model: model,
                        derivation: derivation))
            }
        }
        return found
    }

    private init(
        entity: EntityDescription, attribute: AttributeDescription, number: Int, model: ManagedObjectModel,
        derivation: AttributeDerivation
    ) {
        self.entity = entity
        self.attribute = attribute
        self.number = number
        self.model = model
        self.derivation = derivation
    }

    private var column: String { entity.columnSQL(attribute.name) }

    private func key(of entity: EntityDescription, in row: String) -> String { "\(row).\(entity.keySQL)" }

    private func column(_ name: String, of entity: EntityDescription, in row: String) -> String {
        "\(row).\(entity.columnSQL(name))"
    }

    /// Returns the statement that computes the value of rows.
    ///
    /// Its parameter is the time of the save.
    ///
    /// - Parameter keys: The table with the collected keys; nil for all rows of the entity.
    func computation(keys: String?) -> String {
        var conditions: [String] = []
        if let keys {
            conditions.append(
                "\(key(of: entity, in: "t")) IN (SELECT key FROM temp.\(keys) WHERE id = \(number))")
        }
        if let condition = entity.indexConcreteEntityCondition("t") { conditions.append(condition) }
        // An unchanged row must keep its time; the time of a changed row always differs.
        conditions.append(
            derivation.source == .now && keys == nil ? "t.\(column) IS NULL" : "t.\(column) IS NOT \(value)")
        return
            "UPDATE \(entity.tableSQL) AS t SET \(column) = \(value) WHERE \(conditions.joined(separator: " AND "))"
    }

    /// Returns the query for a row whose value does not fit the attribute's type; nil if every value does.
    func overflow(keys: String?) -> String? {
        func outside<Number: FixedWidthInteger>(_ type: Number.Type) -> String {
            "\(column) NOT BETWEEN \(type.min) AND \(type.max)"
        }
        let condition: String
        switch (attribute.type, derivation.source) {
        case (.integer16, _): condition = outside(Int16.self)
        case (.integer32, _): condition = outside(Int32.self)
        // A sum that does not fit in 64 bits is REAL.
        case (.integer64, .aggregate(.sum, _, _)): condition = "typeof(\(column)) = 'real'"
        default: return nil
        }
        let selection =
            keys.map { "\(entity.keySQL) IN (SELECT key FROM temp.\($0) WHERE id = \(number)) AND " } ?? ""
        return
            "SELECT \(entity.identityColumns()), \(column) FROM \(entity.tableSQL) WHERE \(selection)\(condition) LIMIT 1"
    }

    /// The value of the row `t`, as SQL.
    private var value: String {
        switch derivation.source {
        case .now: return "?1"
        case .value(let path, let name, let transformation):
            let value = self.value(name, at: path[...], of: entity, row: "t", depth: 1)
            switch transformation {
            case .canonical: return "sf_fold(\(value), \(Self.canonicalOptions))"
            case .uppercase: return "sf_uppercase(\(value))"
            case .lowercase: return "sf_lowercase(\(value))"
            case nil: return value
            }
        case .count(let name): return members(name, "count(*)") ?? "NULL"
        case .aggregate(let aggregate, let name, let relationship):
            guard let other = destination(relationship, of: entity) else { return "NULL" }
            let source = column(name, of: other, in: "m")
            let isDecimal = other.attribute(named: name)?.type == .decimal
            let function: String
            switch aggregate {
            case _ where isDecimal: function = "sf_decimal_\(aggregate.rawValue)"
            // SQLite's sum fails if it does not fit in 64 bits, and rounds in the order of the rows.
            case .sum: function = "sf_sum"
            case .average, .min, .max: function = aggregate.rawValue
            }
            var term = "\(function)(\(source))"
            // The sum of no values is zero, as in predicates.
            if aggregate == .sum { term = isDecimal ? "ifnull(\(term), '0')" : "ifnull(\(term), 0)" }
            if attribute.type == .double { term = "CAST(\(term) AS REAL)" }
            return members(relationship, term) ?? "NULL"
        }
    }

    /// The options that ignore case and marks.
    private static let canonicalOptions = PredicateTree.TextOptions([.ignoringCase, .ignoringDiacritics])
        .rawValue

    private func destination(_ relationship: String, of entity: EntityDescription) -> EntityDescription? {
        entity.relationship(named: relationship).flatMap { model.entity(named: $0.destinationEntityName) }
    }

    /// Returns the value at the end of a path of to-one relationships, as nested queries.
    private func value(
        _ name: String, at path: ArraySlice<String>, of entity: EntityDescription, row: String, depth: Int
    ) -> String {
        guard let step = path.first, let next = destination(step, of: entity) else {
            return column(name, of: entity, in: row)
        }
        let alias = "t\(depth)"
        let inner = value(name, at: path.dropFirst(), of: next, row: alias, depth: depth + 1)
        return
            "(SELECT \(inner) FROM \(next.tableSQL) AS \(alias) WHERE \(key(of: next, in: alias)) = \(column(step, of: entity, in: row)))"
    }

    /// Returns an aggregate of the members of a to-many relationship of the row `t`.
    private func members(_ name: String, _ term: String) -> String? {
        guard let relationship = entity.relationship(named: name), let other = destination(name, of: entity)
        else { return nil }
        let owner = key(of: entity, in: "t")
        if let end = model.linkEnd(of: relationship, in: entity) {
            return
                "(SELECT \(term) FROM \(end.table.tableSQL) AS l JOIN \(other.tableSQL) AS m ON \(key(of: other, in: "m")) = l.\(end.otherColumn) WHERE l.\(end.ownColumn) = \(owner))"
        }
        guard let inverse = relationship.inverseName else { return nil }
        let condition = other.concreteEntityCondition("m").map { " AND " + $0 } ?? ""
        return
            "(SELECT \(term) FROM \(other.tableSQL) AS m WHERE \(column(inverse, of: other, in: "m")) = \(owner)\(condition))"
    }
}

extension DerivedAttributeSQL {
    /// Returns the SQL of the temporary triggers, each beginning after the trigger's name.
    ///
    /// - Parameter keys: The name of the temporary table of keys.
    func triggers(keys: String) -> [String] {
        var triggers: [String] = []
        func add(_ event: String, on tableName: String, _ selections: [String]) {
            let body = selections.map {
                "INSERT INTO \(keys) (id, key) \($0) ON CONFLICT DO NOTHING; "
            }
            triggers.append("AFTER \(event) ON main.\(tableName.quotedIdentifier) BEGIN \(body.joined())END")
        }
        func one(_ term: String) -> String { "SELECT \(number), \(term) WHERE \(term) IS NOT NULL" }
        let own = one("NEW.\(entity.keySQL)")
        add("INSERT", on: entity.tableName, [own])
        switch derivation.source {
        case .now:
            // An update that only computes derived values does not count as a change of the object.
            let derived = Set(
                model.family(of: entity).flatMap(\.attributes).filter { $0.derivation != nil }.map(\.name))
            let columns = Set(
                model.family(of: entity).flatMap(\.slotNames).filter {
                    !derived.contains($0) || $0 == attribute.name
                }.map { entity.columnSQL($0) })
            add("UPDATE OF \(columns.sorted().joined(separator: ", "))", on: entity.tableName, [own])
        case .value(let path, let name, _):
            let first = entity.columnSQL(path.first ?? name)
            add("UPDATE OF \(first), \(column)", on: entity.tableName, [own])
            addSteps(path, to: name, add)
        case .count(let relationship), .aggregate(_, _, let relationship):
            add("UPDATE OF \(column)", on: entity.tableName, [own])
            addMembers(relationship, one, add)
        }
        return triggers
    }

    /// Adds the triggers of the tables to which a path of to-one relationships leads: an object there may
    /// appear, disappear, or lead on to another one.
    private func addSteps(_ path: [String], to name: String, _ add: (String, String, [String]) -> Void) {
        var owner = entity
        for (position, step) in path.enumerated() {
            guard let next = destination(step, of: owner) else { return }
            let read = next.columnSQL(position + 1 < path.count ? path[position + 1] : name)
            func selection(_ row: String) -> String {
                "SELECT \(number), \(entity.keySQL) FROM \(entity.tableSQL) WHERE "
                    + rows(path[...position], of: entity, leadingTo: "\(row).\(next.keySQL)")
            }
            add("INSERT", next.tableName, [selection("NEW")])
            add("UPDATE OF \(read)", next.tableName, [selection("NEW")])
            add("DELETE", next.tableName, [selection("OLD")])
            owner = next
        }
    }

    /// Returns the condition for the rows of an entity from which a path leads to a key.
    private func rows(
        _ path: ArraySlice<String>, of entity: EntityDescription, leadingTo key: String
    ) -> String {
        guard let step = path.first else { return "" }
        let column = entity.columnSQL(step)
        guard path.count > 1, let next = destination(step, of: entity) else { return "\(column) = \(key)" }
        return
            "\(column) IN (SELECT \(next.keySQL) FROM \(next.tableSQL) WHERE \(rows(path.dropFirst(), of: next, leadingTo: key)))"
    }

    private func addMembers(
        _ name: String, _ one: (String) -> String, _ add: (String, String, [String]) -> Void
    ) {
        guard let relationship = entity.relationship(named: name), let other = destination(name, of: entity)
        else { return }
        let source: String?
        if case .aggregate(_, let attribute, _) = derivation.source {
            source = other.columnSQL(attribute)
        } else {
            source = nil
        }
        guard let end = model.linkEnd(of: relationship, in: entity) else {
            let inverse = other.columnSQL(relationship.inverseName ?? "")
            add("INSERT", other.tableName, [one("NEW.\(inverse)")])
            add("DELETE", other.tableName, [one("OLD.\(inverse)")])
            let columns = [inverse, source].compactMap { $0 }.joined(separator: ", ")
            add("UPDATE OF \(columns)", other.tableName, [one("OLD.\(inverse)"), one("NEW.\(inverse)")])
            return
        }
        add("INSERT", end.table.name, [one("NEW.\(end.ownColumn)")])
        add("DELETE", end.table.name, [one("OLD.\(end.ownColumn)")])
        add("UPDATE", end.table.name, [one("OLD.\(end.ownColumn)"), one("NEW.\(end.ownColumn)")])
        // The links of a deleted member are deleted by their foreign key.
        guard let source else { return }
        add(
            "UPDATE OF \(source)", other.tableName,
            [
                "SELECT \(number), \(end.ownColumn) FROM \(end.table.tableSQL) WHERE \(end.otherColumn) = NEW.\(other.keySQL)"
            ])
    }
}
