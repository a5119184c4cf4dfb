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
    /// - Throws: ``ToolFailure`` for a column that the file does not have, with the nearest name, and for one that the
    ///   mapping does not mention although it lists what it ignores.
    init(_ mapping: Mapping, fieldNames: [String]) throws(ToolFailure) {
        var positions: [String: Int] = [:]
        for (position, name) in fieldNames.enumerated() { positions[name] = position }
        var columns: [Column] = []
        for attribute in mapping.attributes {
            columns.append(
                Column(
                    field: try Self.position(of: attribute.column, in: positions),
                    fieldName: attribute.column, type: attribute.type,
                    isRequired: !attribute.isOptional || attribute.name == mapping.key))
        }
        for relationship in mapping.relationships {
            columns.append(
                Column(
                    field: try Self.position(of: relationship.column, in: positions),
                    fieldName: relationship.column, type: nil, isRequired: false))
        }
        self.columns = columns
        guard let ignored = mapping.ignored else { return }
        for name in ignored { _ = try Self.position(of: name, in: positions) }
        let known = Set(ignored + columns.map(\.fieldName))
        if let name = fieldNames.first(where: { !known.contains($0) }) {
            throw ToolFailure(
                "The file has a column “\(name)” that the mapping neither uses nor ignores. Add it to “ignored”, or to what is used."
            )
        }
    }

    private static func position(of name: String, in positions: [String: Int]) throws(ToolFailure) -> Int {
        if let position = positions[name] { return position }
        throw ToolFailure(
            "The file has no column “\(name)”. \(NearestName.suggestion(for: name, among: Array(positions.keys)))"
        )
    }
}
