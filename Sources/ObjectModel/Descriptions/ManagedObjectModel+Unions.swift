import InternalUtilities

extension ManagedObjectModel {
    /// Returns the entity of a request: the entity called `name` or, for names joined by “+”, the union of
    /// the named entities. Nil if the model has no such entity.
    package func list(named name: String) -> EntityDescription? {
        do throws(ObjectStorageError) { return try requireList(named: name) } catch { return nil }
    }

    /// Returns the entity of a request, as ``list(named:)`` does.
    ///
    /// - Throws: ``ObjectStorageError`` as ``union(named:)``.
    package func requireList(named name: String) throws(ObjectStorageError) -> EntityDescription {
        guard name.utf8.contains(UInt8(ascii: "+")) else { return try requireEntity(named: name) }
        let isAmbiguous = name.split(separator: EntityUnion.separator).allSatisfy {
            entity(named: String($0)) != nil
        }
        guard let entity = entity(named: name) else { return try union(named: name) }
        guard !isAmbiguous else {
            throw ObjectStorageError(
                .invalidRequest,
                "The name “\(name)” is ambiguous: the model has an entity with this name, and each of the entities whose names it joins. Give the entity a name without “+”.",
                entityName: name)
        }
        return entity
    }

    /// Returns the entities whose names are joined by “+” as one entity with the properties that they share.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/unknownEntity`` for a name that the
    ///   model does not have, and with ``ObjectStorageError/Code/invalidRequest`` for too many entities, an
    ///   entity that is named twice, or an entity that inherits from another member.
    private func union(named name: String) throws(ObjectStorageError) -> EntityDescription {
        var members: [EntityDescription] = []
        for part in name.split(separator: EntityUnion.separator, omittingEmptySubsequences: false) {
            guard let member = entities.first(where: { $0.name == part }) else {
                throw unknownEntity(String(part))
            }
            if let other = members.first(where: {
                $0.isKind(ofEntityNamed: member.name) || member.isKind(ofEntityNamed: $0.name)
            }) {
                throw ObjectStorageError(
                    .invalidRequest,
                    other.name == member.name
                        ? "The list “\(name)” names “\(member.name)” twice. Name each entity once."
                        : "The list “\(name)” would have some objects twice, because one of “\(other.name)” and “\(member.name)” inherits from the other. Name only the ancestor.",
                    entityName: name)
            }
            members.append(member)
        }
        guard members.count <= EntityUnion.maximumCount else {
            throw ObjectStorageError(
                .invalidRequest,
                "The list names \(members.count) entities; up to \(EntityUnion.maximumCount) can be listed together.",
                entityName: name)
        }
        return EntityDescription(unionOf: members, named: name)
    }

    /// Returns the error for a name that no entity has, with the nearest name.
    package func unknownEntity(_ name: String) -> ObjectStorageError {
        ObjectStorageError(
            .unknownEntity,
            "The model has no entity “\(name)”. "
                + NearestName.suggestion(for: name, among: entities.map(\.name)),
            entityName: name)
    }
}

extension EntityDescription {
    /// Returns the reason why a union lacks a property, which its members lack or do not share; nil for an
    /// entity that is not a union.
    package func absence(fromUnionOf name: String) -> String? {
        guard let union else { return nil }
        let lacking = union.members.first {
            $0.attribute(named: name) == nil && $0.relationship(named: name) == nil
        }
        if let lacking {
            let names = attributes.map(\.name) + relationships.map(\.name)
            return
                "“\(self.name)” can be listed by properties that all its entities have, and “\(lacking.name)” has no property “\(name)”. "
                + NearestName.suggestion(for: name, among: names)
        }
        if union.members.contains(where: { $0.relationship(named: name)?.isToMany == true }) {
            return
                "“\(self.name)” cannot be listed by the to-many relationship “\(name)”: objects of several entities are listed by attributes and to-one relationships."
        }
        return
            "“\(self.name)” can be listed by properties that are the same in all its entities, and “\(name)” is not: its type, its destination or its storage differs."
    }
}
