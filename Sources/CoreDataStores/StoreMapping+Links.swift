import ObjectStorage

extension StoreMapping {
    /// Finds the tables or columns of the to-many relationships that are not stored in a to-one inverse, and
    /// removes relationships without a table or column.
    mutating func findLinks() {
        for name in names {
            for relationship in entities[name]?.relationships ?? [] where relationship.isToMany {
                // The search for an earlier relationship may have removed or changed this one.
                guard
                    let relationship = entities[name]?.relationships.first(where: {
                        $0.name == relationship.name
                    })
                else { continue }
                if let (owner, inverse) = inverse(of: relationship) {
                    guard inverse.isToMany, entities[owner]?.links[inverse.name] == nil else { continue }
                    findJoinTable(of: relationship, in: name, inverse)
                } else {
                    findOneWay(relationship, of: name)
                }
            }
        }
    }

    /// Finds the table of a relationship that is to-many at both ends.
    private mutating func findJoinTable(
        of relationship: RelationshipDescription, in name: String, _ inverse: RelationshipDescription
    ) {
        guard let (table, own, other) = joinTable(of: relationship, in: name, inverse.name) else {
            return remove(
                relationship.name, of: name,
                because: "the store has no table with the columns of it and its inverse “\(inverse.name)”.")
        }
        let isOwnInverse =
            inverse.name == relationship.name && relationship.destinationEntityName == name
        let order = relationship.isOrdered ? table.order(of: other) : nil
        let inverseOrder = inverse.isOrdered && !isOwnInverse ? table.order(of: own) : nil
        if relationship.isOrdered, order == nil {
            makeUnordered(relationship, of: name, without: "for it in the table \(table.name)")
        }
        if inverse.isOrdered, !isOwnInverse, inverseOrder == nil {
            makeUnordered(
                inverse, of: self.inverse(of: relationship)?.owner ?? relationship.destinationEntityName,
                without: "for it in the table \(table.name)")
        }
        entities[name]?.links[relationship.name] = ExistingLinkTable(
            name: table.name, ownColumn: own.name, otherColumn: other.name, orderColumn: order,
            inverseOrderColumn: inverseOrder)
        linkTables.insert(table.name)
        noteDoubts(of: own, other, in: table.name, relationship, name)
    }

    /// Records a doubt if the columns of a relationship have other numbers than those of its entities, or a
    /// digit although no table has the name without it.
    private mutating func noteDoubts(
        of own: JoinTable.Column, _ other: JoinTable.Column, in table: String,
        _ relationship: RelationshipDescription, _ name: String
    ) {
        let ends = [(own, name), (other, relationship.destinationEntityName)]
        let foreign = ends.first { column, entityName in
            column.number.map { !familyNumbers(of: entityName).contains($0) } ?? false
        }
        if let (column, entityName) = foreign {
            return doubt(
                name, relationship.name,
                "the column \(column.name) of the table \(table) does not have the number of “\(entityName)”."
            )
        }
        let titles = [(own, relationship.inverseName?.uppercased()), (other, relationship.name.uppercased())]
        let numbered = titles.first { column, title in
            guard column.number != nil, let title, column.title != title else { return false }
            return !tables.joinTables(of: title).contains { table in
                table.keys.contains { $0.number == column.number && $0.title == title }
            }
        }
        guard let column = numbered?.0 else { return }
        doubt(
            name, relationship.name,
            "the column \(column.name) of the table \(table) has a digit, and no column has the name without it."
        )
    }

    /// Returns the table with the columns of a relationship and its inverse, regardless of the table's name.
    ///
    /// The name of a column consists of the number of the entity whose keys it contains, and the name of the
    /// relationship that leads to them. If the names fit several tables, the numbers decide. A table of
    /// another relationship, or with the number of another entity, is not the relationship's.
    private func joinTable(
        of relationship: RelationshipDescription, in name: String, _ inverseName: String
    ) -> (table: JoinTable, own: JoinTable.Column, other: JoinTable.Column)? {
        let numbers = familyNumbers(of: name)
        let otherNumbers = familyNumbers(of: relationship.destinationEntityName)
        let (title, back) = (relationship.name.uppercased(), inverseName.uppercased())
        for (byNumber, exactly) in [(true, true), (true, false), (false, true), (false, false)] {
            for table in tables.joinTables(of: title) where !linkTables.contains(table.name) {
                for (own, other) in [(table.keys[0], table.keys[1]), (table.keys[1], table.keys[0])] {
                    if title == back, own.number != nil, other.number == nil {
                        // The second column of a relationship that is its own inverse.
                        guard own.fits(title, exactly: exactly), let number = own.number,
                            byNumber ? numbers.contains(number) : isUnassigned(number, orOneOf: numbers)
                        else { continue }
                        return (table, own, other)
                    }
                    guard let ownNumber = own.number, let otherNumber = other.number,
                        other.fits(title, exactly: exactly), own.fits(back, exactly: exactly)
                    else { continue }
                    let isFitting =
                        byNumber
                        ? numbers.contains(ownNumber) && otherNumbers.contains(otherNumber)
                        : isUnassigned(ownNumber, orOneOf: numbers)
                            && isUnassigned(otherNumber, orOneOf: otherNumbers)
                    if isFitting { return (table, own, other) }
                }
            }
        }
        return nil
    }

    /// Returns whether a number in a column's name is one of the given numbers, or belongs to no entity of
    /// the store.
    private func isUnassigned(_ number: Int64, orOneOf numbers: [Int64]) -> Bool {
        numbers.contains(number) || !tables.numbers.contains(number)
    }

    /// Returns the numbers of an entity and of its ancestors, its own first.
    private func familyNumbers(of name: String) -> [Int64] {
        lineage(of: name).compactMap { entities[$0]?.placement.number }
    }

    /// Finds the column of a relationship without an inverse. It is in the destination's table, and its name
    /// has the number of the entity that declares the relationship: `Z7SEGMENTS`.
    private mutating func findOneWay(_ relationship: RelationshipDescription, of name: String) {
        guard let entity = entities[name], let destination = entities[relationship.destinationEntityName]
        else { return }
        let title = relationship.name.uppercased()
        let table = destination.placement.table
        let key = table.columns["Z_PK"] ?? "Z_PK"
        if let column = column(of: relationship, declaredBy: entity, in: table) {
            let order = ["Z_FOK_\(column.upper.dropFirst())", "Z_FOK_\(column.upper)", "Z_FOK_\(title)"]
                .lazy.compactMap { table.columns[$0] }.first
            if relationship.isOrdered, order == nil {
                makeUnordered(relationship, of: name, without: "for it in the table \(table.name)")
            }
            entities[name]?.links[relationship.name] = ExistingLinkTable(
                name: table.name, ownColumn: column.name, otherColumn: key,
                orderColumn: relationship.isOrdered ? order : nil)
            linkColumns[table.name, default: []].insert(column.name)
            if !column.isCertain {
                doubt(
                    name, relationship.name,
                    "the column \(column.name) of the table \(table.name) does not have exactly the number of “\(name)” and the name of the relationship."
                )
            }
            return
        }
        guard let (join, own, other) = oneWayTable(of: relationship, in: name) else {
            return remove(
                relationship.name, of: name,
                because: "it has no inverse, and the store has no column or table for it.")
        }
        let order = relationship.isOrdered ? join.order(of: other) : nil
        if relationship.isOrdered, order == nil {
            makeUnordered(relationship, of: name, without: "for it in the table \(join.name)")
        }
        entities[name]?.links[relationship.name] = ExistingLinkTable(
            name: join.name, ownColumn: own.name, otherColumn: other.name, orderColumn: order)
        linkTables.insert(join.name)
        noteDoubts(of: own, other, in: join.name, relationship, name)
    }

    /// Returns the table of pairs of a relationship without an inverse.
    private func oneWayTable(
        of relationship: RelationshipDescription, in name: String
    ) -> (table: JoinTable, own: JoinTable.Column, other: JoinTable.Column)? {
        let numbers = familyNumbers(of: name)
        let otherNumbers = familyNumbers(of: relationship.destinationEntityName)
        let title = relationship.name.uppercased()
        for table in tables.joinTables(of: title) where !linkTables.contains(table.name) {
            for (own, other) in [(table.keys[0], table.keys[1]), (table.keys[1], table.keys[0])] {
                guard other.fits(title, exactly: true), let number = other.number,
                    isUnassigned(number, orOneOf: otherNumbers),
                    own.number.map({ isUnassigned($0, orOneOf: numbers) }) ?? true
                else { continue }
                return (table, own, other)
            }
        }
        return nil
    }

    /// Returns the column of a relationship without an inverse: the column of the declared inverse, if the
    /// model lacks that inverse; otherwise the column with the entity's number. A column with a number that
    /// no entity has, or with a digit after the name, is not certain.
    private func column(
        of relationship: RelationshipDescription, declaredBy entity: Entity, in table: StoreTables.Table
    ) -> (name: String, upper: String, isCertain: Bool)? {
        let declared = entity.description.relationships.first { $0.name == relationship.name }
        if let inverseName = declared?.inverseName {
            for owner in lineage(of: relationship.destinationEntityName) {
                guard let column = entities[owner]?.columns[inverseName],
                    entities[owner]?.placement.table.name == table.name
                else { continue }
                return (column, column.uppercased(), true)
            }
        }
        let title = relationship.name.uppercased()
        let numbered = table.order.compactMap { upper -> (upper: String, number: Int64, title: String)? in
            guard upper.hasPrefix("Z"), let (number, rest) = ColumnNames.numbered(upper.dropFirst()),
                linkColumns[table.name]?.contains(table.columns[upper] ?? upper) != true
            else { return nil }
            return (upper, number, rest)
        }
        let own = numbered.filter { $0.number == entity.placement.number }
        // A name with a digit may be the plain name of another relationship.
        let titles = Set(entity.description.relationships.map { $0.name.uppercased() })
        let upper =
            own.first { $0.title == title }
            ?? own.first { ColumnNames.isSuffixed($0.title, title) && !titles.contains($0.title) }
            ?? numbered.first { $0.title == title && isUnassigned($0.number, orOneOf: []) }
        return upper.flatMap { found in
            let isCertain = found.number == entity.placement.number && found.title == title
            return table.columns[found.upper].map { ($0, found.upper, isCertain) }
        }
    }
}
