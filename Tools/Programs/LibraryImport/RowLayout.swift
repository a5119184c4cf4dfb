import InternalUtilities
import SectionedFetch
import ToolSupport

/// Which fields of a file's records make a row, in which order, and what each has to be.
struct RowLayout: Sendable, Equatable {
    /// One field of the file that becomes one value of a row.
    struct Column: Sendable, Equatable {
        /// The position of the field in the file.
        let field: Int
        /// The name of the field in the file.
        let fieldName: String
        /// The type of the attribute; nil where the field names another object.
        let type: AttributeType?
        /// Whether there must be a value.
        let isRequired: Bool
    }

    /// The columns: those of the attributes, then those of the relationships.
    let columns: [Column]

    /// Finds the mapping's columns in a file.
    ///
    /// - Throws: ``ToolFailure`` for a column that the file does not have, with the nearest name, and for one
    ///   that the mapping does not mention although it lists what it ignores.
    init(_ mapping: Mapping, fieldNames: [String]) throws(ToolFailure) {
        var positions: [ExactText: Int] = [:]
        for (position, name) in fieldNames.enumerated() { positions[ExactText(name)] = position }
        /// Of just this name, else of one that is written otherwise and reads the same.
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
                    isRequired: !attribute.isOptional || attribute.name == mapping.key))
        }
        for relationship in mapping.relationships {
            columns.append(
                Column(
                    field: try position(of: relationship.column),
                    fieldName: relationship.column, type: nil, isRequired: false))
        }
        self.columns = columns
        guard let ignored = mapping.ignored else { return }
        var known = Set(columns.map(\.field))
        for name in ignored { known.insert(try position(of: name)) }
        if let unknown = fieldNames.indices.first(where: { !known.contains($0) }) {
            throw ToolFailure(
                "The file has a column “\(fieldNames[unknown])” that the mapping neither uses nor ignores. Add it to “ignored”, or to what is used."
            )
        }
    }
}
