import RecordReading
import SectionedFetch
import ToolSupport

/// The reading of the rows of one file.
struct ExportedRow {
    let export: ExportedStore
    /// The path of the store that the rows are for.
    let storePath: String
    let file: ExportManifest.File
    /// The entity of the rows; nil for pairs.
    let entity: EntityDescription?
    let columns: [(name: String, kind: ExportedValue.Kind)]

    /// Returns the values of the current record.
    ///
    /// - Throws: ``ToolFailure`` with the file, line and column.
    func values(_ reader: any RecordReader, _ positions: [Int]) throws(ToolFailure) -> [StoredValue] {
        let isCSV = export.manifest.format.delimiter != nil
        var values: [StoredValue] = []
        values.reserveCapacity(columns.count)
        for (column, position) in zip(columns, positions) {
            let text = reader.text(ofField: position)
            let value = ExportedValue.value(text, column.kind, isCSV: isCSV, file: export.value)
            guard let value else {
                throw failure(
                    reader, column.name,
                    "“\((text ?? "").prefix(100))” is not \(Self.name(of: column.kind)) as exports write it, or names a file in “\(ExportManifest.valuesName)” that is missing or damaged"
                )
            }
            values.append(value)
        }
        let keys = entity == nil ? 2 : 1
        for position in 0..<keys where values[position].isNull {
            throw failure(reader, columns[position].name, "each row needs a key")
        }
        if export.editedFiles.contains(file.name) { try checkRules(values, reader) }
        return values
    }

    /// Checks the rules of the model, which hold for the rows of an export that was not edited.
    private func checkRules(_ values: [StoredValue], _ reader: any RecordReader) throws(ToolFailure) {
        guard let entity else { return }
        for (attribute, value) in zip(entity.storedAttributes, values.dropFirst()) {
            if value.isNull {
                guard attribute.isOptional || attribute.derivation != nil else {
                    throw failure(reader, attribute.name, "the attribute needs a value")
                }
            } else if let rule = attribute.rules.first(where: { !$0.holds(for: value, of: attribute.type) }) {
                throw failure(reader, attribute.name, "the value breaks the rule “\(rule)”")
            }
        }
        let references = values.dropFirst(1 + entity.storedAttributes.count)
        for (relationship, value) in zip(entity.toOneRelationships, references)
        where value.isNull && !relationship.isOptional {
            throw failure(reader, relationship.name, "the relationship needs the key of an object")
        }
    }

    private func failure(_ reader: any RecordReader, _ column: String, _ reason: String) -> ToolFailure {
        ToolFailure(
            "\(export.path)/\(file.name):\(reader.line): \(column): \(reason). Correct the file, and run \(export.commandAfterEdits(into: storePath))."
        )
    }

    private static func name(of kind: ExportedValue.Kind) -> String {
        switch kind {
        case .number: "a whole number"
        case .attribute(let type): "a value of type \(type.rawValue)"
        }
    }
}
