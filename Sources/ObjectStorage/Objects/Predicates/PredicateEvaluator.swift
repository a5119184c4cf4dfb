/// Evaluates a predicate in memory, with the same results as SQLite.
///
/// SQLite selects the objects of a fetch; the evaluator tests single objects with their unsaved changes. Both
/// share the folding and matching of texts and the sums, and the evaluator follows SQLite's rules of
/// comparison and arithmetic. A test compares the two over random predicates and data.
struct PredicateEvaluator {
    /// The objects at which key paths begin.
    struct Environment {
        /// The object that the predicate is evaluated for.
        let object: ManagedObject
        /// The objects that the variables of subqueries represent.
        var variables: [(name: String, object: ManagedObject)] = []
    }

    let tree: PredicateTree
    let model: ManagedObjectModel
    let memory = TextMatching.Memory()

    /// Creates an evaluator of a predicate, after validating the predicate for an entity as a fetch does.
    ///
    /// - Throws: ``ObjectStorageError``: the error that a fetch throws for the predicate.
    init(_ tree: PredicateTree, of entity: EntityDescription, model: ManagedObjectModel)
        throws(ObjectStorageError)
    {
        let request = RequestDescription(
            entityName: entity.name, predicate: tree, sort: [], limit: 0, offset: 0)
        _ = try RequestCompiler.compile(request, model: model, columns: .count)
        self.tree = tree
        self.model = model
    }

    /// Returns whether an object of the entity satisfies the predicate.
    func evaluate(with object: ManagedObject) throws(ObjectStorageError) -> Bool {
        try evaluate(tree, in: Environment(object: object))
    }

    /// Returns whether a part of the predicate is true.
    func evaluate(_ tree: PredicateTree, in environment: Environment) throws(ObjectStorageError) -> Bool {
        switch tree {
        case .constant(let value): return value
        case .and(let parts):
            for part in parts where try !evaluate(part, in: environment) { return false }
            return true
        case .or(let parts):
            for part in parts where try evaluate(part, in: environment) { return true }
            return false
        case .not(let part): return try !evaluate(part, in: environment)
        case .comparison(let comparison):
            guard let quantifier = comparison.quantifier, case .keyPath(let path) = comparison.left else {
                return try holds(try value(of: comparison.left, in: environment), comparison, in: environment)
            }
            return try holds(quantifier, of: path, comparison, in: environment)
        }
    }

    private func holds(
        _ quantifier: PredicateTree.Quantifier, of path: PredicateExpression.Path,
        _ comparison: PredicateTree.Comparison, in environment: Environment
    ) throws(ObjectStorageError) -> Bool {
        for value in try values(of: path, in: environment) {
            let holds = try holds(value, comparison, in: environment)
            if holds != (quantifier == .all) { return quantifier == .any }
        }
        return quantifier != .any
    }

    /// Returns whether a comparison is true for a value of its left side.
    private func holds(
        _ left: StoredValue, _ comparison: PredicateTree.Comparison, in environment: Environment
    ) throws(ObjectStorageError) -> Bool {
        let options = comparison.options
        let isDecimal = isAboutDecimals(comparison, in: environment)
        func comparable(_ value: StoredValue, _ options: PredicateTree.TextOptions) -> StoredValue {
            isDecimal ? DecimalNumber.comparable(value) : self.comparable(value, options)
        }
        let subject = comparable(left, options)
        switch (comparison.relation, comparison.right) {
        case (.isIn, .list(let elements)):
            for element in elements {
                if subject.compare(to: comparable(try value(of: element, in: environment), options)) == 0 {
                    return true
                }
            }
            return false
        case (.isIn, .keyPath(let path)):
            return try values(of: path, in: environment).contains {
                subject.compare(to: comparable($0, options)) == 0
            }
        case (.between, .list(let bounds)) where bounds.count == 2:
            let low = comparable(try value(of: bounds[0], in: environment), options)
            let high = comparable(try value(of: bounds[1], in: environment), options)
            return Self.holds(subject, .greaterThanOrEqual, low)
                && Self.holds(subject, .lessThanOrEqual, high)
        default:
            let right = try value(of: comparison.right, in: environment)
            guard comparison.relation.comparesTexts else {
                return Self.holds(subject, comparison.relation, comparable(right, options))
            }
            return try search(left, comparison.relation, right, options)
        }
    }

    /// Returns whether a relation is true for two values. Null equals null, and is neither less nor greater
    /// than any value.
    private static func holds(
        _ left: StoredValue, _ relation: PredicateTree.Relation, _ right: StoredValue
    ) -> Bool {
        let order = left.compare(to: right)
        switch relation {
        case .equal: return order == 0
        case .notEqual: return order != 0
        default: break
        }
        guard !left.isNull, !right.isNull else { return false }
        return switch relation {
        case .lessThan: order < 0
        case .lessThanOrEqual: order <= 0
        case .greaterThan: order > 0
        default: order >= 0
        }
    }

    /// Returns the form in which a value is compared.
    ///
    /// ``RequestCompiler/comparable(_:_:)`` is the corresponding SQL.
    func comparable(_ value: StoredValue, _ options: PredicateTree.TextOptions) -> StoredValue {
        options.isEmpty ? value : TextFolding.fold(value, options)
    }

    private func search(
        _ left: StoredValue, _ relation: PredicateTree.Relation, _ right: StoredValue,
        _ options: PredicateTree.TextOptions
    ) throws(ObjectStorageError) -> Bool {
        // SQLite's `instr` accepts blobs as well as texts; the other functions are defined by the library and
        // do not.
        let takesBytes = relation == .beginsWith || relation == .contains
        let isWhole = relation == .matches
        guard let text = Self.searched(isWhole ? left : comparable(left, options), takesBytes),
            let other = Self.searched(isWhole ? right : comparable(right, options), takesBytes)
        else { return false }
        let outcome = text.withUnsafeBytes { text in
            other.withUnsafeBytes { other in
                Result { () throws(ObjectStorageError) in
                    try TextMatching.matches(text, relation, other, options: options, memory: memory)
                }
            }
        }
        return try outcome.get()
    }

    private static func searched(_ value: StoredValue, _ takesBytes: Bool) -> [UInt8]? {
        switch value {
        case .text(let text): Array(text.utf8)
        case .blob(let bytes) where takesBytes: bytes
        default: nil
        }
    }
}
