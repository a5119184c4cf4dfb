import SectionedFetch

/// The related objects that rows name.
extension Importer {
    /// Refers from the current row to the related objects that a row of a chunk names.
    ///
    /// - Returns: The objects that the store does not have.
    func takeRelationships(
        row: Int, of chunk: RowChunk, in tables: Tables
    ) throws(ObjectStorageError) -> [NewMember] {
        let first = row * tables.width
        var newMembers: [NewMember] = []
        for (column, position) in tables.relationshipPositions {
            guard case .text(let name) = chunk.values[first + position] else {
                tables.row[column] = .null
                continue
            }
            let relationship = position - mapping.attributes.count
            let key = try knownKey(of: name, relationship, in: tables)
            tables.row[column] = key.map { .integer($0) } ?? .null
            if key == nil {
                newMembers.append(NewMember(column: column, relationship: relationship, name: name))
            }
        }
        return newMembers
    }

    /// Returns the key of the related object with a name, or nil if the store does not have one.
    private func knownKey(
        of name: String, _ relationship: Int, in tables: Tables
    ) throws(ObjectStorageError) -> Int64? {
        if let key = relatedKeys[relationship].key(for: name) { return key }
        let found = try tables.related[relationship].primaryKey(
            whereColumn: tables.relatedAttributes[relationship], is: .text(name))
        if let found { relatedKeys[relationship].insert(found, for: name) }
        return found
    }

    /// Inserts a related object, unless the same row inserted it for another relationship, and refers to it
    /// from the current row.
    func make(
        _ position: Int, of newMembers: inout [NewMember], in tables: Tables
    ) throws(ObjectStorageError) {
        let newMember = newMembers[position]
        let table = tables.related[newMember.relationship]
        let attribute = tables.relatedAttributes[newMember.relationship]
        let mayBeMade = newMembers[..<position].contains { $0.name == newMember.name }
        let made = mayBeMade ? try table.primaryKey(whereColumn: attribute, is: .text(newMember.name)) : nil
        if let made {
            newMembers[position].key = made
        } else {
            var values = table.entity.storedAttributes.map(\.defaultValue)
            values += [StoredValue](repeating: .null, count: table.columns.count - values.count)
            values[attribute] = .text(newMember.name)
            newMembers[position].key = try table.insert(values)
            newMembers[position].isMade = true
            summary.createdRelated += 1
            preview?.addRelated(table.entity.name, newMember.name)
        }
        tables.row[newMember.column] = .integer(newMembers[position].key)
    }

    /// Deletes the related objects that a row inserted before the row itself failed.
    func takeBack(_ newMembers: [NewMember], in tables: Tables) throws(ObjectStorageError) {
        // Without indexes, deleting an object would search all rows for references to it.
        if lacksIndexes { try completeIndexes(tables.writer) }
        for newMember in newMembers where newMember.isMade {
            try tables.related[newMember.relationship].undoInsertion(of: newMember.key)
        }
    }
}
