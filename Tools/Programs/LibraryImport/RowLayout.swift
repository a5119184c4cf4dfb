import InternalUtilities
import SectionedFetch
import ToolSupport

/// The fields of a file's records that form a row: their order, their types and whether they are required.
struct RowLayout: Sendable, Equatable {
    /// A field of the file that becomes a value of a row.
    struct Column: Sendable, Equatable {
        /// The position of the field in the file.
        let field: Int
        /// The name of the field in the file.
        let fieldName: String
        /// The type of the attribute, or nil if the field is the name of a related object.
        let type: AttributeType?
        /// Whether a row without a value is a bad row.
        let isRequired: Bool
        /// Whether the values identify the rows.
        let isKey: Bool
        /// The form of the texts; empty if it is that of the type. An array, because columns are copied for
        /// each row, and an optional structure takes longer to copy.
        private let forms: [TextForm]

        /// The form of the texts, or nil if it is that of the type.
        var form: TextForm? { forms.first }

        init(
            field: Int, fieldName: String, type: AttributeType?, isRequired: Bool, isKey: Bool,
            form: TextForm?
        ) {
            self.field = field
            self.fieldName = fieldName
            self.type = type
            self.isRequired = isRequired
            self.isKey = isKey
            forms = form.map { [$0] } ?? []
        }
    }

    /// The columns of the attributes, then those of the relationships, then those of arrays.
    let columns: [Column]

    /// Creates the layout of a mapping for a file.
    ///
    /// - Throws: ``ToolFailure`` for a column that the file does not have, with the nearest name, and for a
    ///   column of the file that is not in the mapping although the mapping has a list of ignored columns.
    init(_ mapping: Mapping, fieldNames: [String]) throws(ToolFailure) {
        var positions: [ExactText: Int] = [:]
        for (position, name) in fieldNames.enumerated() { positions[ExactText(name)] = position }
        /// Returns the position of the field with the same bytes, or else of a canonically equivalent one.
        func position(of name: String) throws(ToolFailure) -> Int {
            if let position = positions[ExactText(name)] ?? fieldNames.firstIndex(of: name) {
                return position
            }
            throw ToolFailure(
                "The file has no column “\(name)”. \(NearestName.suggestion(for: name, among: fieldNames))")
        }
        var columns: [Column] = []
        for attribute in mapping.attributes {
            columns.append(
                Column(
                    field: try position(of: attribute.column),
                    fieldName: attribute.column, type: attribute.type,
                    isRequired: !attribute.isOptional || attribute.name == mapping.key,
                    isKey: attribute.name == mapping.key, form: attribute.form))
        }
        for relationship in mapping.relationships {
            columns.append(
                Column(
                    field: try position(of: relationship.column),
                    fieldName: relationship.column, type: nil, isRequired: false, isKey: false,
                    form: relationship.form))
        }
        for array in mapping.arrayColumns {
            columns.append(
                Column(
                    field: try position(of: array.column), fieldName: array.column, type: nil,
                    isRequired: false, isKey: false, form: nil))
        }
        self.columns = columns
        guard let ignored = mapping.ignored else { return }
        var known = Set(columns.map(\.field))
        for name in ignored { known.insert(try position(of: name)) }
        if let unknown = fieldNames.indices.first(where: { !known.contains($0) }) {
            throw ToolFailure(
                "The file has a column “\(fieldNames[unknown])” that the mapping neither uses nor ignores. Add it to “ignored”, “attributes” or “relationships”."
            )
        }
    }
}
