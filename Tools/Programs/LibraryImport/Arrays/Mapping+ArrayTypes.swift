import ArgumentParser
import RecordReading
import SectionedFetch
import ToolSupport

/// The treatment of JSON arrays.
enum ArrayTreatment: String, CaseIterable, ExpressibleByArgument {
    /// Their elements become objects of related entities.
    case related
    /// They are JSON texts.
    case text
}

extension Mapping {
    /// Returns whether entities of a store have relationships to elements of arrays, which have positions.
    ///
    /// - Parameter name: The entity, or nil for all.
    static func hasArrays(_ model: ManagedObjectModel?, in name: String? = nil) -> Bool {
        (model?.entities ?? []).contains { entity in
            (name ?? entity.name) == entity.name
                && entity.relationships.contains { relationship in
                    let attributes =
                        model?.entity(named: relationship.destinationEntityName)?.attributes ?? []
                    return relationship.isToMany && attributes.contains { $0.name.hasPrefix("position") }
                }
        }
    }

    /// Returns the entity of the elements of a column's arrays in a store, or nil.
    private static func elementEntity(
        ofColumn column: String, number: Int, of parent: EntityDescription, in model: ManagedObjectModel?
    ) -> EntityDescription? {
        let name = relationshipName(forColumn: column, number: number)
        return parent.relationships.first { $0.name == name && $0.isToMany }.flatMap {
            model?.entity(named: $0.destinationEntityName)
        }
    }

    /// Replaces attributes whose values are arrays by arrays of related objects.
    ///
    /// - Parameters:
    ///   - open: Opens the file at its beginning.
    ///   - typed: The attributes whose type an option sets. They stay attributes.
    ///   - model: The store's model, or nil if the store does not exist.
    /// - Throws: `RecordError` if the file cannot be read.
    mutating func relateArrays(
        opening open: () throws -> any RecordReader, besides typed: Set<String> = [],
        beside model: ManagedObjectModel?
    ) throws {
        guard let reader = try open() as? any LateFieldReader else { return }
        var surveys: [Int: ArraySurvey] = [:]
        let known = model?.entity(named: entity)
        // Columns of arrays are known only after the last record.
        while true {
            do {
                guard try reader.next() else { break }
            } catch {
                if error.isFatal { throw error }
                continue
            }
            for field in reader.fieldNames.indices where reader.kind(ofField: field) == .text {
                reader.lendBytes(ofField: field) { bytes in
                    guard let bytes, let first = bytes.first else { return }
                    if let survey = surveys[field] {
                        survey.add(bytes)
                    } else if first == UInt8(ascii: "["), ArrayElements.ranges(in: bytes) != nil {
                        let survey = ArraySurvey()
                        surveys[field] = survey
                        survey.add(bytes)
                    }
                }
            }
        }
        let arrays = Set(reader.arrayFieldNames)
        var taken = Set([entity] + relationships.map(\.entity) + (model?.entities.map(\.name) ?? []))
        var found: [ArrayColumn] = []
        for field in surveys.keys.sorted() {
            let column = reader.fieldNames[field]
            // A field that an option maps otherwise stays as it is.
            guard arrays.contains(column),
                key == nil || attributes.first(where: { $0.name == key })?.column != column,
                known != nil
                    || attributes.contains(where: { $0.column == column && !typed.contains($0.name) }),
                let array = surveys[field]?.mapping(
                    column: column, of: entity, number: field + 1, taken: &taken,
                    as: known.flatMap {
                        Self.elementEntity(ofColumn: column, number: field + 1, of: $0, in: model)
                    })
            else { continue }
            if let known {
                guard let model, let adopted = array.adopted(by: known, of: model) else { continue }
                found.append(adopted)
            } else {
                found.append(array)
            }
            attributes.removeAll { $0.column == column }
        }
        if !found.isEmpty { self.arrays = found }
    }
}

extension Mapping.ArrayColumn {
    /// Returns the array with the names and types of an entity that the store has, or nil if the store's
    /// entity of the rows has no such relationship.
    func adopted(by parent: EntityDescription, of model: ManagedObjectModel) -> Self? {
        guard
            let relationship = parent.relationships.first(where: { $0.name == name && $0.isToMany }),
            let inverse = relationship.inverseName,
            let entity = model.entity(named: relationship.destinationEntityName),
            entity.toOneRelationships.contains(where: { $0.name == inverse }),
            let position = ["position", "position_2"].first(where: {
                entity.attribute(named: $0)?.type == .integer64
            })
        else { return nil }
        var array = self
        (array.entity, array.inverse, array.position) = (entity.name, inverse, position)
        array.attributes = attributes.compactMap { attribute in
            guard let known = entity.attribute(named: attribute.name) else { return nil }
            var attribute = attribute
            (attribute.type, attribute.isOptional) = (known.type, known.isOptional)
            return attribute
        }
        array.arrays = nil
        for inner in nested {
            if let adopted = inner.adopted(by: entity, of: model) { array.arrays = array.nested + [adopted] }
        }
        return array
    }
}
