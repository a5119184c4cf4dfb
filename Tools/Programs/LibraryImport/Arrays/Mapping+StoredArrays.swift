import RecordReading
import SectionedFetch
import ToolSupport

extension Mapping {
    /// Maps the columns of a store's relationships to elements of arrays.
    ///
    /// A value that is not an array, or an element of another kind, makes its record bad.
    ///
    /// - Parameters:
    ///   - columns: The relationships, by the columns.
    ///   - open: Opens the file at its beginning.
    ///   - note: Called with a sentence about members that the entities of the elements do not have.
    /// - Throws: `RecordError` if the file cannot be read.
    mutating func adoptArrays(
        _ columns: [String: StoredArray], opening open: () throws -> any RecordReader,
        of model: ManagedObjectModel, note: (String) -> Void
    ) throws {
        guard !columns.isEmpty else { return }
        let reader = try open()
        let surveys = try ArraySurvey.surveys(of: Set(columns.keys), in: reader)
        var unused: [String] = []
        arrays = reader.fieldNames.compactMap { name in
            guard let array = columns[name] else { return nil }
            return (surveys[name] ?? ArraySurvey()).mapping(
                column: name, to: array, in: model, at: name, unused: &unused)
        }
        let names = Set(columns.keys)
        attributes.removeAll { names.contains($0.column) }
        relationships.removeAll { names.contains($0.column) }
        if !unused.isEmpty {
            note("The entities of the store have no property for \(quotedList(unused)): ignored.")
        }
    }
}

extension ArraySurvey {
    /// Returns the mapping of a column to elements that a store has.
    ///
    /// - Parameters:
    ///   - array: The relationship to the elements.
    ///   - path: The name of the column with those around it, for messages.
    ///   - unused: The members that the entities of the store do not have, to which those of this column are
    ///     added.
    func mapping(
        column: String, to array: StoredArray, in model: ManagedObjectModel, at path: String,
        unused: inout [String]
    ) -> Mapping.ArrayColumn {
        let elements = array.elements(in: model) ?? (hasOnlyObjects ? .objects : .values)
        var mapping = Mapping.ArrayColumn(
            name: array.relationship.name, column: column, entity: array.entity.name, inverse: array.inverse,
            position: array.position, elements: elements, attributes: [])
        func add(_ attribute: String, _ column: String) -> Bool {
            guard let known = array.entity.attribute(named: attribute) else { return false }
            mapping.attributes.append(
                Mapping.Attribute(
                    name: attribute, column: column, type: known.type, isOptional: known.isOptional))
            return true
        }
        guard elements == .objects else {
            _ = add("name", ArrayElements.valueName)
            return mapping
        }
        let nested = StoredArray.byColumn(members, of: array.entity, in: model)
        for (member, attribute) in zip(members, Mapping.attributeNames(forColumns: members)) {
            if let inner = nested[member] {
                mapping.arrays =
                    mapping.nested + [
                        (survey(ofMember: member) ?? ArraySurvey()).mapping(
                            column: member, to: inner, in: model, at: "\(path).\(member)", unused: &unused)
                    ]
            } else if !add(attribute, member) {
                unused.append("\(path).\(member)")
            }
        }
        return mapping
    }
}
