package import ObjectModel

extension RequestCompiler {
    /// Returns the left side of a comparison, converted to a decimal if the right side is a decimal.
    package mutating func promoted(
        _ left: CompiledExpression, _ comparison: PredicateTree.Comparison
    ) throws(ObjectStorageError) -> CompiledExpression {
        guard left.kind != .decimal, left.kind != .none, try isDecimal(comparison.right) else { return left }
        return try asDecimal(left, comparison)
    }

    /// Returns an expression in the form in which it is compared with a decimal.
    ///
    /// - Throws: ``ObjectStorageError`` for a text that is not a number.
    package func asDecimal(
        _ expression: CompiledExpression, _ comparison: PredicateTree.Comparison
    ) throws(ObjectStorageError) -> CompiledExpression {
        guard expression.kind != .none, expression.kind != .decimal else { return expression }
        guard let constant = expression.constant else {
            return CompiledExpression(sql: sql(ofComputed: expression), kind: .decimal)
        }
        guard DecimalNumber(constant) != nil else {
            throw ObjectStorageError(
                .invalidValue,
                "“\(PredicateTree.comparison(comparison).format)” compares a decimal with \(constant), which is not a number.",
                entityName: scopes[0].entity.name)
        }
        return CompiledExpression(constant: constant, kind: .decimal)
    }

    private func sql(ofComputed expression: CompiledExpression) -> String {
        if case .sql(let sql) = expression.content { sql } else { "NULL" }
    }

    /// Returns whether an expression's value is a decimal.
    private mutating func isDecimal(_ expression: PredicateExpression) throws(ObjectStorageError) -> Bool {
        switch expression {
        case .list(let elements):
            for element in elements where try isDecimal(element) { return true }
            return false
        case .keyPath(let path):
            if let (start, names, rest) = try parted(path) {
                let path = (names + [rest]).joined(separator: ".")
                return model.typeOfAttribute(path, from: scopes[start].entity) == .decimal
            }
            return model.typeOfAttribute(path.names, from: scopes[try scope(of: path)].entity) == .decimal
        case .aggregate(let aggregate, let collection):
            let entity = scopes[try scope(of: collection.path)].entity
            return model.isDecimal(aggregate, of: collection, from: entity)
        default: return false
        }
    }
}

extension ManagedObjectModel {
    /// Returns whether the value of an aggregate is a decimal.
    package func isDecimal(
        _ aggregate: PredicateExpression.Aggregate, of collection: PredicateExpression.Collection,
        from start: EntityDescription
    ) -> Bool {
        switch aggregate {
        case .minimum(let path), .maximum(let path):
            typeOfAttribute("\(collection.path.names).\(path)", from: start) == .decimal
        case .count, .sum, .average: false
        }
    }

    /// Returns the type of the attribute at the end of a key path; nil if it ends in another property or
    /// cannot be followed.
    package func typeOfAttribute(_ path: String, from start: EntityDescription) -> AttributeType? {
        // Most requests use attributes of their own entity, and splitting would instantiate types at program
        // start.
        guard path.utf8.contains(UInt8(ascii: ".")) else { return start.attribute(named: path)?.type }
        var entity = start
        for name in path.split(separator: ".") {
            if let attribute = entity.attribute(named: String(name)) { return attribute.type }
            guard let relationship = entity.relationship(named: String(name)),
                let next = self.entity(named: relationship.destinationEntityName)
            else { return nil }
            entity = next
        }
        return nil
    }
}
