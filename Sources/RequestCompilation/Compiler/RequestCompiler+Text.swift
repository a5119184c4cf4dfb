package import ObjectModel

extension RequestCompiler {
    /// Returns the form in which a value is compared: a text is folded if the options ignore case or marks,
    /// and other values are unchanged.
    ///
    /// `PredicateEvaluator.comparable(_:_:)` does the same in memory.
    package mutating func comparable(_ expression: CompiledExpression, _ options: PredicateTree.TextOptions)
        -> String
    {
        if let constant = comparableConstant(expression, options), !constant.isNull { return bind(constant) }
        if expression.kind == .decimal { return "sf_decimal(\(sql(of: expression)))" }
        guard !options.isEmpty, expression.kind == .text else { return sql(of: expression) }
        return "sf_fold(\(sql(of: expression)), \(options.rawValue))"
    }

    /// Returns the value of a constant in the form in which it is compared; nil for another expression.
    func comparableConstant(
        _ expression: CompiledExpression, _ options: PredicateTree.TextOptions
    ) -> StoredValue? {
        guard let constant = expression.constant else { return nil }
        if expression.kind == .decimal { return DecimalNumber.comparable(constant) }
        guard !options.isEmpty, expression.kind == .text else { return constant }
        return TextFolding.fold(constant, options)
    }

    /// Compiles a comparison of two texts by their contents.
    ///
    /// - Throws: ``ObjectStorageError`` for values that are not texts, and for an invalid regular expression.
    package mutating func search(
        _ left: CompiledExpression, _ comparison: PredicateTree.Comparison, _ isNegated: Bool
    ) throws(ObjectStorageError) -> String {
        let right = try compile(comparison.right)
        for (side, expression) in [(left, comparison.left), (right, comparison.right)]
        where side.kind != .text && side.kind != .none {
            throw ObjectStorageError(
                .invalidRequest,
                "“\(PredicateTree.comparison(comparison).format)”: only string attributes can be searched, and “\(expression.format)” is \(side.kind.words).",
                entityName: scopes[0].entity.name)
        }
        let options = comparison.options
        guard comparison.relation != .matches else {
            if case .text(let pattern)? = right.constant {
                _ = try RegularExpression(pattern, options: options)
            }
            return decided("sf_matches(\(sql(of: left)), \(sql(of: right)), \(options.rawValue))", isNegated)
        }
        let text = comparable(left, options)
        let pattern = comparable(right, options)
        switch comparison.relation {
        case .beginsWith:
            // The comparison lets an index find the first row; instr alone determines the result.
            let isKnown = options.isEmpty && right.constant != nil && left.constant == nil
            return decided(
                "\(isKnown ? "\(text) >= \(pattern) AND " : "")instr(\(text), \(pattern)) = 1", isNegated)
        case .contains: return decided("instr(\(text), \(pattern)) > 0", isNegated)
        case .endsWith: return decided("sf_ends_with(\(text), \(pattern))", isNegated)
        default: return decided("sf_like(\(text), \(pattern))", isNegated)
        }
    }

    /// Returns a comparison in parentheses, or, inside a negation, one that is false for a missing value.
    package func decided(_ comparison: String, _ isNegated: Bool) -> String {
        isNegated ? "ifnull(\(comparison), 0)" : "(\(comparison))"
    }
}
