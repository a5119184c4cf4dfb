import Foundation
import GRDB
import GRDBSQLite

extension ManagedObjectContext {
    /// Reads the rows of a table of objects in ascending order of their keys, one at a time.
    ///
    /// - Parameters:
    ///   - root: The entity of the table that has no parent.
    ///   - key: The key after which the rows begin; nil for the first row.
    ///   - includesBytes: Whether bytes are read. Otherwise, values of bytes are empty, and no files are
    ///     read.
    ///   - body: Receives each row, and returns whether to continue. It may read on this context.
    /// - Returns: The number of rows whose entity the model does not contain. They were skipped.
    /// - Throws: The error of the closure, or ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n*) in the number of rows; the memory of one row.
    @discardableResult
    package func forEachStoredRow(
        inTableOf root: EntityDescription, after key: Int64? = nil, includingBytes includesBytes: Bool = true,
        _ body: (StoredRow) throws -> Bool
    ) throws -> Int {
        let family = container.model.family(of: root)
        let table = HierarchyColumns(family)
        let entityName = root.concreteEntityNameSQL() ?? root.name.quotedLiteral
        let sql =
            "SELECT \(([root.keySQL, entityName] + table.columns).joined(separator: ", ")) FROM \(root.tableSQL) "
            + (key == nil ? "" : "WHERE \(root.keySQL) > ?1 ") + "ORDER BY \(root.keySQL)"
        let files = ExternalFiles.directory(ofStoreAt: container.filePath ?? "")
        return try readingRows(sql, key.map { [.integer($0)] } ?? []) { statement, source in
            guard case .text(let name) = statement.value(1),
                let member = table.members.first(where: { $0.name == name })
            else { return nil }
            var row = StoredRow(key: statement.integer(0), entity: member.entity, values: [])
            row.read(statement, member.columnPositions, includingBytes: includesBytes)
            if includesBytes {
                row.readFiles(in: files)
                try row.readLargeValues(in: source)
            }
            return try body(row)
        }
    }

    /// Reads the pairs of a link table in ascending order of their keys, one at a time.
    ///
    /// - Parameters:
    ///   - relationship: A relationship that is stored in a link table.
    ///   - entity: The entity that declares it.
    ///   - pair: The pair after which the rows begin; nil for the first one.
    ///   - body: Receives each pair, and returns whether to continue.
    /// - Throws: As ``forEachStoredRow(inTableOf:after:includingBytes:_:)``.
    /// - Complexity: O(*n* log *n*) in the number of pairs.
    package func forEachStoredLink(
        of relationship: RelationshipDescription, in entity: EntityDescription,
        after pair: (owner: Int64, member: Int64)? = nil, _ body: (StoredLink) throws -> Bool
    ) throws {
        guard let end = container.model.linkEnd(of: relationship, in: entity),
            let destination = container.model.entity(named: relationship.destinationEntityName)
        else { return }
        let (own, other) = ("l.\(end.ownColumn)", "l.\(end.otherColumn)")
        let positions = [end.positionColumn, end.opposite.positionColumn].map {
            $0.map { "l." + $0 } ?? "NULL"
        }
        let exist = "\(Self.exists(entity, own)) AND \(Self.exists(destination, other))"
        let sql = """
            SELECT \(own), \(other), \(positions[0]), \(positions[1]), \(exist) FROM \(end.table.tableSQL) AS l \
            WHERE \(own) IS NOT NULL AND \(other) IS NOT NULL \
            \(pair == nil ? "" : "AND (\(own), \(other)) > (?1, ?2) ")ORDER BY \(own), \(other)
            """
        _ = try readingRows(sql, pair.map { [.integer($0.owner), .integer($0.member)] } ?? []) {
            statement, _ in
            try body(
                StoredLink(
                    owner: statement.integer(0), member: statement.integer(1), position: statement.value(2),
                    inversePosition: statement.value(3), isComplete: statement.integer(4) != 0))
        }
    }

    /// Reads the members of a to-many relationship of all objects, one at a time: in ascending order of the
    /// owners' keys, and for each owner in the order of the relationship.
    ///
    /// - Parameters:
    ///   - relationship: A to-many relationship.
    ///   - entity: The entity that declares it.
    ///   - owners: The owners whose members are read; nil for all.
    ///   - body: Receives the keys of an owner and of a member, and returns whether to continue.
    /// - Throws: As ``forEachStoredRow(inTableOf:after:includingBytes:_:)``.
    /// - Complexity: O(*n* log *n*) in the number of members.
    package func forEachStoredMember(
        of relationship: RelationshipDescription, in entity: EntityDescription,
        ofOwners owners: ClosedRange<Int64>? = nil, _ body: (_ owner: Int64, _ member: Int64) throws -> Bool
    ) throws {
        guard let destination = container.model.entity(named: relationship.destinationEntityName) else {
            return
        }
        let member = "t.\(destination.keySQL)"
        let source: String
        let owner: String
        let position: String?
        if let end = container.model.linkEnd(of: relationship, in: entity) {
            source =
                "\(end.table.tableSQL) AS l JOIN \(destination.tableSQL) AS t ON \(member) = l.\(end.otherColumn)"
            owner = "l.\(end.ownColumn)"
            position = end.positionColumn.map { "l." + $0 }
        } else if let inverse = relationship.inverseName {
            source = "\(destination.tableSQL) AS t"
            owner = "t.\(destination.columnSQL(inverse))"
            position =
                relationship.isOrdered
                ? "t." + destination.columnSQL(EntityDescription.orderColumnName(ofToOneNamed: inverse)) : nil
        } else {
            return
        }
        let condition = destination.concreteEntityCondition("t").map { "AND \($0) " } ?? ""
        let order = position.map { "\($0) IS NULL, \($0), " } ?? ""
        let range = owners == nil ? "" : "AND \(owner) BETWEEN ?1 AND ?2 "
        let arguments = owners.map { [StoredValue.integer($0.lowerBound), .integer($0.upperBound)] } ?? []
        let sql = """
            SELECT \(owner), \(member) FROM \(source) WHERE \(Self.exists(entity, owner)) \(condition)\(range)\
            ORDER BY \(owner), \(order)\(member)
            """
        _ = try readingRows(sql, arguments) { row, _ in try body(row.integer(0), row.integer(1)) }
    }

    /// Returns the condition that a key identifies an object of an entity, as SQL.
    static func exists(_ entity: EntityDescription, _ key: String) -> String {
        let condition = entity.concreteEntityCondition("o").map { " AND " + $0 } ?? ""
        return "EXISTS (SELECT 1 FROM \(entity.tableSQL) AS o WHERE o.\(entity.keySQL) = \(key)\(condition))"
    }

    /// Steps through the rows of a statement.
    ///
    /// - Parameter body: Reads a row, and returns whether to continue; nil for a row that it skips.
    /// - Returns: The number of skipped rows.
    private func readingRows(
        _ sql: String, _ arguments: [StoredValue],
        _ body: (SQLiteStatement, any StatementSource) throws -> Bool?
    ) throws -> Int {
        var thrown: (any Error)?
        do {
            return try ObjectStorageError.translating("Reading \(container.nameInMessages)") {
                try readSaved { source in
                    let statement = try SQLiteStatement(sql, in: source)
                    try statement.bind(arguments)
                    return try statement.use { statement in
                        var skipped = 0
                        while try statement.step() {
                            do {
                                guard let continues = try body(statement, source) else {
                                    skipped += 1
                                    continue
                                }
                                if !continues { break }
                            } catch {
                                thrown = error
                                throw error
                            }
                        }
                        return skipped
                    }
                }
            }
        } catch {
            throw thrown ?? error
        }
    }
}

extension StoredRow {
    /// Takes the values of the current row of a statement, whose first two columns are the key and the
    /// entity.
    fileprivate mutating func read(
        _ statement: SQLiteStatement, _ positions: [Int], includingBytes includesBytes: Bool
    ) {
        var values: [StoredValue] = []
        values.reserveCapacity(positions.count)
        for (slot, position) in positions.enumerated() {
            let column = position + 2
            switch statement.storageClass(column) {
            case SQLITE_TEXT:
                let bytes = statement.textBytes(column)
                let text = String(decoding: bytes, as: UTF8.self)
                if bytes.count != text.utf8.count || !text.utf8.elementsEqual(bytes) {
                    repairedSlots.append(slot)
                }
                values.append(.text(text))
            case SQLITE_BLOB where !includesBytes && isOfBytes(slot): values.append(.blob([]))
            case SQLITE_INTEGER where !includesBytes && isOfLargeValue(slot): values.append(.blob([]))
            default: values.append(statement.value(column))
            }
        }
        self.values = entity.normalized(values)
        guard let forms = entity.mapping?.table.forms, !forms.isEmpty else { return }
        for (slot, attribute) in entity.storedAttributes.enumerated() {
            guard let form = forms[attribute.name], form != .prefixedBytes else { continue }
            columnValues[slot] = values[slot]
        }
    }

    private func isOfBytes(_ slot: Int) -> Bool {
        guard entity.storedAttributes.indices.contains(slot) else { return false }
        return [.binaryData, .transformable].contains(entity.storedAttributes[slot].type)
    }

    /// Returns whether an integer in a slot is the number of a value that is stored outside the row.
    private func isOfLargeValue(_ slot: Int) -> Bool {
        entity.mapping == nil && entity.storedAttributes.indices.contains(slot)
            && entity.storedAttributes[slot].allowsExternalStorage
    }

    /// Replaces the numbers of large values with the values.
    fileprivate mutating func readLargeValues(in source: any StatementSource) throws {
        for slot in values.indices where isOfLargeValue(slot) {
            guard case .integer(let number) = values[slot] else { continue }
            values[slot] = try LargeValueTable.value(number, in: source) ?? values[slot]
        }
    }

    /// Replaces the names of files with their contents.
    fileprivate mutating func readFiles(in directory: URL) {
        guard let forms = entity.mapping?.table.forms, !forms.isEmpty else { return }
        for (slot, attribute) in entity.storedAttributes.enumerated() {
            guard forms[attribute.name] == .prefixedBytes, case .text(let name) = values[slot],
                UUID(uuidString: name) != nil
            else { continue }
            let file = directory.appending(path: name)
            do {
                values[slot] = .blob(Array(try Data(contentsOf: file, options: .mappedIfSafe)))
            } catch {
                values[slot] = .null
                missingFiles[slot] = file.path
            }
        }
    }
}
