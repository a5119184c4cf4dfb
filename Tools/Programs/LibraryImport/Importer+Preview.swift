import SectionedFetch
import ToolSupport

extension Importer {
    /// Counts rows of a chunk that were inserted, and keeps the first of them as examples of a dry run.
    func noteInserted(_ rows: [Int], of chunk: RowChunk) {
        summary.inserted += rows.count
        guard let preview, preview.needsInserts else { return }
        let width = mapping.width
        for row in rows {
            let fields = (0..<width).map { position in
                let value = chunk.values[row * width + position]
                guard position < mapping.attributes.count else {
                    let names = mapping.relationships.map(\.name) + mapping.arrayColumns.map(\.name)
                    return ImportPreview.Field(
                        names[position - mapping.attributes.count], new: .init(value, as: .string))
                }
                let attribute = mapping.attributes[position]
                return ImportPreview.Field(attribute.name, new: .init(value, as: attribute.type))
            }
            self.preview?.addInserted(line: chunk.lines[row], fields)
        }
    }

    /// Keeps an updated row as an example of a dry run.
    ///
    /// - Parameters:
    ///   - old: The values of the row before, if they were read.
    ///   - changes: The written elements of each array.
    func noteUpdated(
        _ row: Int, of chunk: RowChunk, in tables: Tables, from old: [StoredValue]?,
        _ changes: [ElementChanges] = []
    ) throws(ObjectStorageError) {
        guard let old, let keyColumn = tables.keyColumn, preview?.needsUpdates == true else { return }
        let attributes = tables.main.entity.storedAttributes
        var fields: [ImportPreview.Field] = []
        for column in old.indices where old[column] != tables.row[column] && !tables.main.isDerived(column) {
            let name = tables.main.columns[column]
            if column < attributes.count {
                let type = attributes[column].type
                fields.append(
                    ImportPreview.Field(
                        name, old: .init(old[column], as: type), new: .init(tables.row[column], as: type)))
            } else {
                fields.append(
                    ImportPreview.Field(
                        name, old: try shown(old[column], name, in: tables),
                        new: try shown(tables.row[column], name, in: tables)))
            }
        }
        for (array, change) in zip(mapping.arrayColumns, changes) where !change.isEmpty {
            fields.append(ImportPreview.Field(array.name, new: change.json))
        }
        let key = ImportPreview.Field(
            tables.main.columns[keyColumn],
            new: .init(tables.row[keyColumn], as: attributes[keyColumn].type))
        preview?.addUpdated(line: chunk.lines[row], key: key, fields)
    }

    /// Returns the name of a related object, or its key if the mapping does not have the relationship.
    private func shown(
        _ value: StoredValue, _ name: String, in tables: Tables
    ) throws(ObjectStorageError) -> JSONValue {
        guard case .integer(let key) = value,
            let position = mapping.relationships.firstIndex(where: { $0.name == name }),
            let found = try tables.related[position].value(
                ofColumn: tables.relatedAttributes[position], primaryKey: key)
        else { return JSONValue(value, as: .integer64) }
        return JSONValue(found, as: .string)
    }
}

extension JSONValue {
    /// Creates the value of an attribute.
    init(_ value: StoredValue, as type: AttributeType) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = type == .boolean ? .boolean(integer != 0) : .integer(integer)
        case .real(let number):
            self = type == .date ? .string(FieldConversion.text(of: value, as: type)) : .number(number)
        case .text(let text): self = .string(text)
        case .blob(let bytes): self = .string(Quantity.bytes(bytes.count))
        }
    }
}
