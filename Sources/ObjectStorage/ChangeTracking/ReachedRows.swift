import GRDB
import Mutants

/// The rows that a transaction may leave in violation of a relationship rule, whether or not they are in
/// memory: a required relationship that a deletion clears, or a number of related objects outside its bounds.
///
/// Rows are recorded before a statement affects them, and checked when all statements have run.
struct ReachedRows {
    private let model: ManagedObjectModel
    /// Whether any to-many relationship has bounds.
    var hasBounds: Bool { !bounded.isEmpty }
    /// The required to-one relationships that a deletion can clear.
    private let required: [Property]
    /// The to-many relationships with bounds.
    private let bounded: [Property]
    /// The keys of rows, by the index of their property in ``required``.
    private var cleared: [Int: Set<Int64>] = [:]
    /// The keys of rows, by the index of their property in ``bounded``.
    private var counted: [Int: Set<Int64>] = [:]

    /// A relationship and the entity that declares it.
    private struct Property {
        let entity: EntityDescription
        let relationship: RelationshipDescription
    }

    /// Creates an empty collection.
    ///
    /// - Parameter model: The model whose rules apply.
    init(of model: ManagedObjectModel) {
        self.model = model
        let properties = model.entities.flatMap { entity in
            entity.ownRelationships.map { Property(entity: entity, relationship: $0) }
        }
        required = properties.filter { !$0.relationship.isToMany && !$0.relationship.isOptional }
        bounded = properties.filter { $0.relationship.isToMany && $0.relationship.allowedCount != nil }
    }

    /// Returns whether deleting rows of an entity can violate a rule.
    func areReached(byDeleting entity: EntityDescription) -> Bool {
        required.contains { entity.sharesTable(withEntityNamed: $0.relationship.destinationEntityName) }
            || bounded.contains { entity.sharesTable(withEntityNamed: $0.relationship.destinationEntityName) }
    }

    /// Records the rows that lead to a row which is about to be deleted.
    ///
    /// - Complexity: O(*k* log *n*) for *k* rows that lead to it, by the indexes of relationships.
    mutating func noteDeletion(of key: Int64, _ entity: EntityDescription, in database: Database) throws {
        for (position, property) in required.enumerated()
        where entity.sharesTable(withEntityNamed: property.relationship.destinationEntityName) {
            let other = property.entity
            let condition = other.concreteEntityCondition().map { " AND " + $0 } ?? ""
            let sql =
                "SELECT \(other.keySQL) FROM \(other.tableSQL) WHERE \(other.columnSQL(property.relationship.name)) = ?1\(condition)"
            cleared[position, default: []].formUnion(try Self.keys(sql, [.integer(key)], in: database))
        }
        for (position, property) in bounded.enumerated()
        where entity.sharesTable(withEntityNamed: property.relationship.destinationEntityName) {
            guard let sql = owners(of: property, "?1") else { continue }
            counted[position, default: []].formUnion(try Self.keys(sql, [.integer(key)], in: database))
        }
    }

    /// Records the objects to which rows lead by a to-one relationship whose inverse has bounds.
    ///
    /// - Parameters:
    ///   - name: The to-one relationship.
    ///   - entity: The entity of the rows.
    ///   - selection: SQL that selects the keys of the rows.
    mutating func noteDestinations(
        by name: String, of entity: EntityDescription, _ selection: String, _ arguments: [StoredValue],
        in database: Database
    ) throws {
        for (position, property) in bounded.enumerated() where isInverse(property, of: name, entity) {
            let column = entity.columnSQL(name)
            let sql =
                "SELECT DISTINCT \(column) FROM \(entity.tableSQL) WHERE \(entity.keySQL) IN (\(selection))"
            counted[position, default: []].formUnion(try Self.keys(sql, arguments, in: database))
        }
    }

    /// Records an object to which rows will lead by a to-one relationship, if its inverse has bounds.
    mutating func noteDestination(_ key: StoredValue, by name: String, of entity: EntityDescription) {
        guard case .integer(let key) = key else { return }
        for (position, property) in bounded.enumerated() where isInverse(property, of: name, entity) {
            counted[position, default: []].insert(key)
        }
    }

    /// Records a row that is new or about to change, whose own to-many relationships may have bounds, and the
    /// objects to which it leads.
    ///
    /// - Parameter isThere: Whether the row exists, and may lead to other objects, before the change.
    mutating func noteRow(_ key: Int64, _ entity: EntityDescription, isThere: Bool, in database: Database)
        throws
    {
        for relationship in entity.toOneRelationships {
            try noteDestinations(
                by: relationship.name, of: entity, "?1", [.integer(key)], in: database)
        }
        if !isThere { noteOwner(key, entity) }
    }

    /// Records a row whose own to-many relationships may have bounds.
    mutating func noteOwner(_ key: Int64, _ entity: EntityDescription) {
        for (position, property) in bounded.enumerated()
        where entity.isKind(ofEntityNamed: property.entity.name) {
            counted[position, default: []].insert(key)
        }
    }

    private func isInverse(_ property: Property, of name: String, _ entity: EntityDescription) -> Bool {
        property.relationship.inverseName == name
            && entity.sharesTable(withEntityNamed: property.relationship.destinationEntityName)
    }

    /// Returns the SQL that selects the keys of the objects which lead to a row by a relationship with
    /// bounds.
    private func owners(of property: Property, _ key: String) -> String? {
        if let end = model.linkEnd(of: property.relationship, in: property.entity) {
            return "SELECT \(end.ownColumn) FROM \(end.table.tableSQL) WHERE \(end.otherColumn) = \(key)"
        }
        guard let inverse = property.relationship.inverseName,
            let other = model.entity(named: property.relationship.destinationEntityName)
        else { return nil }
        let condition = other.concreteEntityCondition().map { " AND " + $0 } ?? ""
        return
            "SELECT \(other.columnSQL(inverse)) FROM \(other.tableSQL) WHERE \(other.keySQL) = \(key)\(condition)"
    }

    private static func keys(
        _ sql: String, _ arguments: [StoredValue], in database: Database
    ) throws -> [Int64] {
        try database.rows(sql, arguments).compactMap {
            if case .integer(let key) = $0[0] { key } else { nil }
        }
    }
}

extension ReachedRows {
    /// Checks the recorded rows, and throws if any of them violates a rule.
    ///
    /// - Parameter outcome: The end of the message: “Nothing was saved.”
    /// - Throws: ``ObjectStorageError`` with all faults.
    func check(in database: Database, _ outcome: String) throws {
        if Mutant.unreachedRows.isPlanted { return }
        var faults: [ObjectStorageError] = []
        for (position, keys) in cleared.sorted(by: { $0.key < $1.key }) {
            let (entity, name) = (required[position].entity, required[position].relationship.name)
            let sql =
                "SELECT \(entity.identityColumns()) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1 AND \(entity.columnSQL(name)) IS NULL"
            for key in keys.sorted() {
                guard let row = try database.rows(sql, [.integer(key)]).first,
                    let objectID = ObjectID(row, of: entity)
                else { continue }
                faults.append(.missingValue(name, of: objectID, outcome))
            }
        }
        for (position, keys) in counted.sorted(by: { $0.key < $1.key }) {
            faults += try faultsOfCounts(bounded[position], keys, outcome, in: database)
        }
        try ObjectStorageError.throwAll(faults)
    }

    private func faultsOfCounts(
        _ property: Property, _ keys: Set<Int64>, _ outcome: String, in database: Database
    ) throws -> [ObjectStorageError] {
        let (entity, relationship) = (property.entity, property.relationship)
        guard let allowed = relationship.allowedCount, let members = members(of: property) else { return [] }
        let entityCondition = entity.concreteEntityCondition().map { " AND " + $0 } ?? ""
        let identity =
            "SELECT \(entity.identityColumns()) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1\(entityCondition)"
        var faults: [ObjectStorageError] = []
        for key in keys.sorted() {
            guard let row = try database.rows(identity, [.integer(key)]).first,
                let objectID = ObjectID(row, of: entity),
                case .integer(let count)? = try database.rows(members, [.integer(key)]).first?.first,
                !allowed.contains(Int(count))
            else { continue }
            faults.append(.wrongCount(Int(count), allowed, relationship.name, of: objectID, outcome))
        }
        return faults
    }

    /// Returns the SQL that counts the objects to which an object leads by a relationship with bounds.
    private func members(of property: Property) -> String? {
        if let end = model.linkEnd(of: property.relationship, in: property.entity) {
            return "SELECT count(*) FROM \(end.table.tableSQL) WHERE \(end.ownColumn) = ?1"
        }
        guard let inverse = property.relationship.inverseName,
            let other = model.entity(named: property.relationship.destinationEntityName)
        else { return nil }
        let entityCondition = other.concreteEntityCondition().map { " AND " + $0 } ?? ""
        return
            "SELECT count(*) FROM \(other.tableSQL) WHERE \(other.columnSQL(inverse)) = ?1\(entityCondition)"
    }
}
