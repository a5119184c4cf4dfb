/// A fetch index of a model file.
struct DataModelIndex {
    /// One column of the index.
    struct Element {
        /// The indexed property; nil for an expression.
        var property: String?
        /// The indexed expression; nil for a property.
        var expression: String?
        /// Whether the largest value comes first.
        var isDescending: Bool
        /// Whether the index is a tree of sorted values, as opposed to an r-tree of areas.
        var isBinary: Bool
    }

    /// The index's name.
    let name: String
    /// The line in the XML; nil in a compiled model.
    let line: Int?
    /// The condition on the rows of a partial index.
    var predicate: String?
    /// The columns.
    var elements: [Element] = []

    /// Adds the index to an entity, or its unsupported parts.
    ///
    /// A partial index becomes a complete one, and an index in mixed directions an ascending one: both find
    /// the same rows. An index over an expression is left out.
    func add(to entity: inout DataModelEntity) {
        func note(_ kind: UnsupportedModelPart.Kind, _ part: String, _ effect: String, _ remedy: String) {
            entity.unsupportedParts.append(
                UnsupportedModelPart(
                    kind, entityName: entity.name, part: "\(part) of the index “\(name)”", effect: effect,
                    remedy: remedy, line: line))
        }
        guard elements.allSatisfy({ $0.property != nil }) else {
            let expression = elements.first { $0.property == nil }?.expression ?? ""
            return note(
                .expressionIndex, "the expression “\(expression)”", "The store does not have the index.",
                "Store the value in an attribute and index it, or accept that such requests scan the table.")
        }
        guard elements.allSatisfy(\.isBinary) else {
            return note(
                .indexOption, "the r-tree", "The store does not have the index.",
                "Index the attributes instead; requests for areas then scan the rows that the first index finds."
            )
        }
        if let predicate {
            note(
                .partialIndex, "the condition “\(predicate)”", "The store's index contains all rows.",
                "No change is needed: requests find the same rows, and the index is larger.")
        }
        if elements.count > 1, Set(elements.map(\.isDescending)).count > 1 {
            note(
                .indexOption, "the mixed order", "The store's index is ascending in all properties.",
                "No change is needed: requests find the same rows, and SQLite may sort them.")
        }
        entity.addIndex(elements.compactMap(\.property))
    }
}
