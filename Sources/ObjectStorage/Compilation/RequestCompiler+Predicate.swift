extension RequestCompiler {
    /// The SQL of a predicate.
    ///
    /// Our predicates are true or false; SQL's are unknown where a value is missing. Where nothing negates, an unknown
    /// counts as false by itself, and the plain comparison can use an index. Below a negation the comparison is made
    /// false for a missing value before it is negated.
    mutating func predicate(
        _ tree: PredicateTree, of entity: EntityDescription, isNegated: Bool
    ) throws(ObjectStorageError) -> String {
        switch tree {
        case .constant(let value): return value ? "1" : "0"
        case .and(let parts): return try joined(parts, "AND", whenEmpty: "1", entity, isNegated)
        case .or(let parts): return try joined(parts, "OR", whenEmpty: "0", entity, isNegated)
        case .not(let part): return "NOT \(try predicate(part, of: entity, isNegated: true))"
        case .comparison(let path, let comparison, let constant, let ignoresCase):
            let (sql, end) = try column(path, of: entity, use: "be compared")
            let value = try value(of: constant, path: path, end: end, entity)
            return compare(sql, comparison, value, ignoresCase: ignoresCase, isNegated: isNegated)
        case .text(let path, let match, let text, let ignoresCase):
            let (sql, end) = try column(path, of: entity, use: "be searched")
            guard case .attribute(let attribute) = end, attribute.type == .string else {
                throw ObjectStorageError(
                    .invalidRequest,
                    "“\(path)” \(match.words) “\(text)”: only string attributes can be searched.",
                    entityName: entity.name, propertyName: path)
            }
            return search(sql, match, text, ignoresCase: ignoresCase, isNegated: isNegated)
        case .isIn(let path, let constants):
            let (sql, end) = try column(path, of: entity, use: "be compared")
            var values: [StoredValue] = []
            for constant in constants { values.append(try value(of: constant, path: path, end: end, entity)) }
            return isIn(sql, values, isNegated: isNegated)
        case .between(let path, let low, let high):
            let (sql, end) = try column(path, of: entity, use: "be compared")
            let low = try value(of: .value(low), path: path, end: end, entity)
            let high = try value(of: .value(high), path: path, end: end, entity)
            return guarded("\(sql) BETWEEN \(bind(low)) AND \(bind(high))", sql, isNegated)
        }
    }

    private mutating func joined(
        _ parts: [PredicateTree], _ word: String, whenEmpty: String, _ entity: EntityDescription,
        _ isNegated: Bool
    ) throws(ObjectStorageError) -> String {
        guard !parts.isEmpty else { return whenEmpty }
        var sql: [String] = []
        for part in parts { sql.append(try predicate(part, of: entity, isNegated: isNegated)) }
        return "(" + sql.joined(separator: " \(word) ") + ")"
    }

    private mutating func compare(
        _ sql: String, _ comparison: PredicateTree.Comparison, _ value: StoredValue, ignoresCase: Bool,
        isNegated: Bool
    ) -> String {
        let collation = ignoresCase ? " COLLATE \(TextCollations.caseInsensitiveName)" : ""
        switch comparison {
        case .equal where value.isNull: return "(\(sql) IS NULL)"
        case .notEqual where value.isNull: return "(\(sql) IS NOT NULL)"
        case .equal: return guarded("\(sql) = \(bind(value))\(collation)", sql, isNegated)
        case .notEqual: return "(\(sql) IS NOT \(bind(value))\(collation))"
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            guard !value.isNull else { return "0" }
            return guarded("\(sql) \(comparison.sqlOperator) \(bind(value))\(collation)", sql, isNegated)
        }
    }

    private mutating func search(
        _ sql: String, _ match: PredicateTree.TextMatch, _ text: String, ignoresCase: Bool, isNegated: Bool
    ) -> String {
        let subject = ignoresCase ? "sf_fold(\(sql))" : sql
        let pattern = bind(.text(ignoresCase ? text.lowercased() : text))
        switch match {
        case .beginsWith:
            // The comparison lets an index find the first row; only instr decides.
            let bound = ignoresCase ? "" : "\(sql) >= \(pattern) AND "
            return guarded("\(bound)instr(\(subject), \(pattern)) = 1", sql, isNegated)
        case .contains: return guarded("instr(\(subject), \(pattern)) > 0", sql, isNegated)
        case .endsWith: return guarded("sf_ends_with(\(subject), \(pattern)) = 1", sql, isNegated)
        }
    }

    private mutating func isIn(_ sql: String, _ values: [StoredValue], isNegated: Bool) -> String {
        let present = values.filter { !$0.isNull }
        var parts: [String] = []
        if !present.isEmpty {
            let list = present.map { bind($0) }.joined(separator: ", ")
            parts.append(guarded("\(sql) IN (\(list))", sql, isNegated))
        }
        if present.count < values.count { parts.append("(\(sql) IS NULL)") }
        return parts.isEmpty ? "0" : "(" + parts.joined(separator: " OR ") + ")"
    }

    /// A comparison in brackets, and below a negation false for a missing value.
    private func guarded(_ comparison: String, _ sql: String, _ isNegated: Bool) -> String {
        isNegated ? "(\(comparison) AND \(sql) IS NOT NULL)" : "(\(comparison))"
    }

    /// A constant as a value to bind, checked against the property that it is compared with.
    private func value(
        of constant: PredicateTree.Constant, path: String, end: KeyPathEnd, _ entity: EntityDescription
    ) throws(ObjectStorageError) -> StoredValue {
        switch (constant, end) {
        case (.object(let objectID), .toOne(let relationship)):
            guard objectID.entityName == relationship.destinationEntityName else { break }
            guard let key = objectID.primaryKey ?? provisionalKeys[objectID] else {
                // An object that has no row here cannot be at the end of any relationship.
                return .blob([])
            }
            return .integer(key)
        case (.value(let value), .attribute(let attribute)):
            guard value.isNull || attribute.type.compares(with: value) else { break }
            return value
        case (.value(.null), _): return .null
        case (.value(.integer(let key)), .objectID), (.value(.integer(let key)), .toOne): return .integer(key)
        case (.object(let objectID), .objectID) where objectID.entityName == entity.name:
            return (objectID.primaryKey ?? provisionalKeys[objectID]).map(StoredValue.integer) ?? .blob([])
        default: break
        }
        throw ObjectStorageError(
            .invalidValue, "“\(entity.name).\(path)” cannot be compared with \(constant): the types differ.",
            entityName: entity.name, propertyName: path)
    }
}

extension PredicateTree.Comparison {
    fileprivate var sqlOperator: String {
        switch self {
        case .equal: "="
        case .notEqual: "IS NOT"
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        }
    }
}

extension AttributeType {
    /// Whether comparing values of this type with `value` means something: the storage class agrees.
    fileprivate func compares(with value: StoredValue) -> Bool {
        switch (self, value) {
        case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer), (.boolean, .integer):
            true
        case (.integer16, .real), (.integer32, .real), (.integer64, .real): true
        case (.double, .real), (.float, .real), (.date, .real): true
        case (.double, .integer), (.float, .integer), (.date, .integer): true
        case (.string, .text), (.binaryData, .blob), (.uuid, .blob): true
        default: false
        }
    }
}
