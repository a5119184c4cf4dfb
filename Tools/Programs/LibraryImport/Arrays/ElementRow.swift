import RecordReading
import SectionedFetch

/// An element of an array of a row, converted to the values of its entity.
struct ElementRow {
    /// The values of the attributes, in the order of the mapping.
    var values: [StoredValue]
    /// The elements of the nested arrays, in the order of the mapping.
    var nested: [[ElementRow]]

    /// Converts the elements of an array.
    ///
    /// - Parameters:
    ///   - text: The text of the array; nil for none.
    ///   - policy: The treatment of numbers that their attributes change. They make the record bad, unless
    ///     they are accepted.
    /// - Throws: `ObjectStorageError` that names the element and the member of the first problem.
    static func rows(
        _ text: String?, of array: Mapping.ArrayColumn, policy: ChangePolicy, at path: String = ""
    ) throws(ObjectStorageError) -> [ElementRow] {
        guard var text else { return [] }
        let place = path + array.column
        do {
            return try text.withUTF8 { bytes in
                try rows(UnsafeRawBufferPointer(bytes), of: array, policy: policy, at: place)
            }
        } catch let error as ObjectStorageError {
            throw error
        } catch let error as RecordError {
            throw invalid("“\(place)”: \(error.reason)", array)
        } catch {
            throw invalid("“\(place)”: \(error)", array)
        }
    }

    private static func rows(
        _ text: UnsafeRawBufferPointer, of array: Mapping.ArrayColumn, policy: ChangePolicy, at place: String
    ) throws -> [ElementRow] {
        guard let ranges = ArrayElements.ranges(in: text) else {
            throw invalid("“\(place)” is not an array", array)
        }
        let kind = ArrayElements.kind(of: ranges, in: text)
        guard kind != .none else { return [] }
        guard (kind == .objects) == (array.elements == .objects), kind != .mixed else {
            let expected = array.elements == .objects ? "objects" : "values"
            throw invalid("“\(place)” has elements that are not \(expected)", array)
        }
        let columns = kind == .values ? [ArrayElements.valueName] : array.attributes.map(\.column)
        let reader = try ArrayElements.reader(
            text, kind, fieldNames: columns + array.nested.map(\.column))
        var rows: [ElementRow] = []
        while try reader.next() {
            var row = ElementRow(values: [], nested: [])
            let member = "\(place)[\(rows.count)]"
            for (field, attribute) in array.attributes.enumerated() {
                row.values.append(
                    try value(reader, field, attribute, policy, array, at: "\(member).\(columns[field])"))
            }
            for (index, inner) in array.nested.enumerated() {
                row.nested.append(
                    try Self.rows(
                        reader.text(ofField: array.attributes.count + index), of: inner, policy: policy,
                        at: member + "."))
            }
            rows.append(row)
        }
        return rows
    }

    private static func value(
        _ reader: JSONRecordReader, _ field: Int, _ attribute: Mapping.Attribute, _ policy: ChangePolicy,
        _ array: Mapping.ArrayColumn, at place: String
    ) throws(ObjectStorageError) -> StoredValue {
        var value: StoredValue?
        var isChanged = false
        let kind = reader.kind(ofField: field)
        reader.lendBytes(ofField: field, in: attribute.form) { bytes in
            value = FieldConversion.value(bytes, as: attribute.type)
            guard policy != .accept, let bytes, let value, !value.isNull else { return }
            isChanged =
                kind == .number
                ? FieldConversion.changes(number: bytes, as: attribute.type)
                : FieldConversion.changes(bytes, as: attribute.type)
        }
        let text = (reader.text(ofField: field) ?? "").prefix(60)
        guard let value else {
            throw invalid("“\(place)”: “\(text)” is not a valid \(attribute.type.rawValue)", array)
        }
        guard !value.isNull || attribute.isOptional else {
            throw invalid("“\(place)”: the value is missing", array)
        }
        if isChanged {
            throw invalid(
                "“\(place)”: “\(text)” would become \(FieldConversion.text(of: value, as: attribute.type)); to store it, pass --on-change accept",
                array)
        }
        return value
    }

    private static func invalid(_ message: String, _ array: Mapping.ArrayColumn) -> ObjectStorageError {
        ObjectStorageError(.invalidValue, message, entityName: array.entity)
    }
}
