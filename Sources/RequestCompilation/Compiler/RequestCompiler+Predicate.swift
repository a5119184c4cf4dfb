package import ObjectModel

extension RequestCompiler {
    /// Compiles a predicate.
    ///
    /// The library's predicates are true or false; those of SQL are unknown for a missing value. Outside a
    /// negation, unknown counts as false, and the plain comparison can use an index. Inside a negation, the
    /// comparison is made false for a missing value before it is negated.
    package mutating func predicate(
        _ tree: PredicateTree, isNegated: Bool
    ) throws(ObjectStorageError) -> String {
        switch tree {
        case .constant(let value): return value ? "1" : "0"
        case .and(let parts): return try joined(parts[...], "AND", whenEmpty: "1", isNegated)
        case .or(let parts): return try joined(parts[...], "OR", whenEmpty: "0", isNegated)
        case .not(let part): return "NOT \(try predicate(part, isNegated: true))"
        case .comparison(let comparison):
            if comparison.quantifier != nil { return try quantified(comparison) }
            if case .aggregate(.count, let collection) = comparison.left,
                comparison.right == .constant(.integer(0))
            {
                switch comparison.relation {
                case .greaterThan, .notEqual: return try exists(collection)
                case .equal: return "(NOT \(try exists(collection)))"
                default: break
                }
            }
            let left = try compile(comparison.left)
            return try compare(left, comparison, isNegated: isNegated)
        }
    }

    /// Joins parts in halves, because SQLite limits the depth of an expression and parses a chain as a deep
    /// one.
    private mutating func joined(
        _ parts: ArraySlice<PredicateTree>, _ word: String, whenEmpty: String, _ isNegated: Bool
    ) throws(ObjectStorageError) -> String {
        guard let first = parts.first else { return whenEmpty }
        guard parts.count > Self.maximumChain else {
            var sql = "(" + (try predicate(first, isNegated: isNegated))
            for part in parts.dropFirst() { sql += " \(word) " + (try predicate(part, isNegated: isNegated)) }
            return sql + ")"
        }
        let middle = parts.startIndex + parts.count / 2
        let left = try joined(parts[..<middle], word, whenEmpty: whenEmpty, isNegated)
        return "(\(left) \(word) \(try joined(parts[middle...], word, whenEmpty: whenEmpty, isNegated)))"
    }

    /// Compiles a comparison for each object to which the left key path leads.
    private mutating func quantified(
        _ comparison: PredicateTree.Comparison
    ) throws(ObjectStorageError) -> String {
        guard case .keyPath(let path) = comparison.left, let (start, names, rest) = try parted(path) else {
            let format = comparison.left.format
            if case .keyPath = comparison.left { _ = try compile(comparison.left) }
            throw ObjectStorageError(
                .invalidKeyPath,
                "“\(PredicateTree.comparison(comparison).format)”: ANY, ALL and NONE need a key path through a relationship to many objects on the left, and “\(format)” is not one.",
                entityName: scopes[0].entity.name)
        }
        let holdsForAll = comparison.quantifier == .all
        let selection = try selection(ofEach: names, from: start) { compiler throws(ObjectStorageError) in
            let element = try compiler.compile(rest, inScope: compiler.scopes.count - 1)
            let condition = try compiler.compare(element, comparison, isNegated: holdsForAll)
            return ("1", holdsForAll ? "NOT \(condition)" : condition)
        }
        return comparison.quantifier == .any ? "EXISTS (\(selection))" : "(NOT EXISTS (\(selection)))"
    }

    /// Compiles a comparison whose left side is already compiled.
    private mutating func compare(
        _ left: CompiledExpression, _ comparison: PredicateTree.Comparison, isNegated: Bool
    ) throws(ObjectStorageError) -> String {
        let left = try promoted(left, comparison)
        switch (comparison.relation, comparison.right) {
        case (.isIn, .list(let elements)): return try isIn(left, elements, comparison, isNegated)
        case (.isIn, .keyPath(let path)): return try isIn(left, path, comparison)
        case (.between, .list(let bounds)) where bounds.count == 2:
            let low = try compared(bounds[0], with: left, comparison)
            let high = try compared(bounds[1], with: left, comparison)
            let subject = comparable(left, comparison.options)
            let sql =
                "\(subject) BETWEEN \(comparable(low, comparison.options)) AND \(comparable(high, comparison.options))"
            return decided(sql, isNegated)
        case (.isIn, _), (.between, _):
            throw ObjectStorageError(
                .invalidPredicate,
                "“\(PredicateTree.comparison(comparison).format)”: BETWEEN needs a list of two values on the right, IN a list or a relationship to many objects.",
                entityName: scopes[0].entity.name)
        default:
            if comparison.relation.comparesTexts { return try search(left, comparison, isNegated) }
            let right = try compared(comparison.right, with: left, comparison)
            return relate(
                listKey(left, comparedWith: right), comparison.relation, right, comparison.options, isNegated)
        }
    }

    private mutating func relate(
        _ left: CompiledExpression, _ relation: PredicateTree.Relation, _ right: CompiledExpression,
        _ options: PredicateTree.TextOptions, _ isNegated: Bool
    ) -> String {
        let first = comparable(left, options)
        let second = comparable(right, options)
        let isKnown = [left, right].contains { $0.constant.map { !$0.isNull } ?? false }
        switch relation {
        case .equal where isKnown: return decided("\(first) = \(second)", isNegated)
        case .equal: return "(\(first) IS \(second))"
        case .notEqual: return "(\(first) IS NOT \(second))"
        default: return decided("\(first) \(relation.symbol) \(second)", isNegated)
        }
    }

    private mutating func isIn(
        _ left: CompiledExpression, _ elements: [PredicateExpression], _ comparison: PredicateTree.Comparison,
        _ isNegated: Bool
    ) throws(ObjectStorageError) -> String {
        let subject = comparable(left, comparison.options)
        // The subject is also written for an empty list, because its bound values must be used.
        guard !elements.isEmpty else { return "(\(subject) IN ())" }
        var known: [StoredValue] = []
        var parts: [String] = []
        var hasNull = false
        for element in elements {
            let compiled = try compared(element, with: left, comparison)
            if let constant = comparableConstant(compiled, comparison.options),
                compiled.constant?.isNull == false
            {
                known.append(constant)
            } else if compiled.constant != nil {
                // One test for NULL is enough; SQLite would parse a thousand of them as a deep expression.
                if !hasNull { parts.append("\(subject) IS NULL") }
                hasNull = true
            } else {
                parts.append("\(subject) IS \(comparable(compiled, comparison.options))")
            }
        }
        if !known.isEmpty {
            let list =
                known.count < ConstantList.minimumCount
                ? "(\(known.map { bind($0) }.joined(separator: ", ")))"
                : ConstantList.sql(bind(ConstantList.parameter(known)), ofNumbers: left.kind == .number)
            parts.insert(decided("\(subject) IN \(list)", isNegated), at: 0)
        }
        return "(" + parts.joined(separator: " OR ") + ")"
    }

    /// Compiles the test whether a value is among those at the end of a key path through to-many
    /// relationships.
    private mutating func isIn(
        _ left: CompiledExpression, _ path: PredicateExpression.Path, _ comparison: PredicateTree.Comparison
    ) throws(ObjectStorageError) -> String {
        guard let (start, names, rest) = try parted(path) else {
            throw ObjectStorageError(
                .invalidKeyPath,
                "“\(PredicateTree.comparison(comparison).format)”: IN needs a list on the right, or a key path through a relationship to many objects.",
                entityName: scopes[0].entity.name, propertyName: path.names)
        }
        let selection = try selection(ofEach: names, from: start) { compiler throws(ObjectStorageError) in
            let element = try compiler.compile(rest, inScope: compiler.scopes.count - 1)
            try compiler.check(element.kind, with: left.kind, comparison)
            let isDecimal = element.kind == .decimal || left.kind == .decimal
            return (
                "1",
                compiler.relate(
                    isDecimal
                        ? try compiler.asDecimal(element, comparison)
                        : compiler.listKey(element, comparedWith: left), .equal,
                    isDecimal
                        ? try compiler.asDecimal(left, comparison)
                        : compiler.listKey(left, comparedWith: element), comparison.options, false)
            )
        }
        return "EXISTS (\(selection))"
    }

    /// Compiles the right side of a comparison and checks its kind.
    private mutating func compared(
        _ expression: PredicateExpression, with left: CompiledExpression,
        _ comparison: PredicateTree.Comparison
    ) throws(ObjectStorageError) -> CompiledExpression {
        let compiled = listKey(try compile(expression), comparedWith: left)
        try check(left.kind, with: compiled.kind, comparison)
        return left.kind == .decimal ? try asDecimal(compiled, comparison) : compiled
    }

    /// Returns the key that an object has in a list of several entities, if the other side of a comparison is
    /// such a key; otherwise the expression itself.
    private func listKey(
        _ expression: CompiledExpression, comparedWith other: CompiledExpression
    ) -> CompiledExpression {
        guard case .object(let listName) = other.kind, case .object(let name) = expression.kind,
            name != listName, let list = model.list(named: listName), list.union != nil,
            let offset = model.entity(named: name).flatMap(list.keyOffset(ofObjectOf:))
        else { return expression }
        switch expression.content {
        case .constant(.integer(let key)):
            return CompiledExpression(constant: .integer(key &+ offset), kind: other.kind)
        case .constant: return expression
        case .sql(let sql): return CompiledExpression(sql: "(\(sql) + \(offset))", kind: other.kind)
        }
    }

    private func check(
        _ first: ExpressionKind, with second: ExpressionKind, _ comparison: PredicateTree.Comparison
    ) throws(ObjectStorageError) {
        guard !first.compares(with: second, in: model) else { return }
        let name: String? = if case .keyPath(let path) = comparison.left { path.names } else { nil }
        throw ObjectStorageError(
            .invalidValue,
            "“\(PredicateTree.comparison(comparison).format)” compares \(first.words) with \(second.words): the types differ.",
            entityName: scopes[0].entity.name, propertyName: name)
    }
}
