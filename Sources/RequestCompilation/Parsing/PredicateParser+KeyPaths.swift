package import ObjectModel

extension PredicateParser {
    /// Parses the rest of a key path after its first name, and an aggregate at its end.
    package mutating func keyPath(beginningWith first: String, from variable: String?)
        throws(ObjectStorageError)
        -> Node
    {
        var names = first
        while try take(.dot) {
            if case .aggregate = token.kind {
                return try aggregate(
                    of: PredicateExpression.Collection(.init(names, from: variable)), depth: 1)
            }
            names += "." + (try name())
        }
        return .expression(.keyPath(.init(names, from: variable)), depth: 1)
    }

    /// Parses a name after a full stop, where keywords are names.
    package mutating func name() throws(ObjectStorageError) -> String {
        switch token.kind {
        case .word(let name), .name(let name):
            try advance()
            return name
        default: throw source.error(at: token, expected: "the name of a property")
        }
    }

    /// Parses `$name`, alone or followed by a key path.
    package mutating func variable(_ name: String) throws(ObjectStorageError) -> Node {
        let start = try advance()
        guard subqueryVariables.contains(name) else {
            guard token.kind != .symbol(.dot) else {
                throw source.error(
                    at: start.range.lowerBound,
                    "$\(name) is not the variable of an enclosing SUBQUERY, and a key path can follow only such a variable."
                )
            }
            return .expression(.variable(name), depth: 1)
        }
        guard try take(.dot) else { return .expression(.keyPath(.init("objectID", from: name)), depth: 1) }
        return try keyPath(beginningWith: try self.name(), from: name)
    }

    /// Parses `SUBQUERY(path, $x, predicate)` and the required aggregate after it.
    package mutating func subquery() throws(ObjectStorageError) -> Node {
        try advance()
        try require(.openParenthesis)
        let start = token
        guard case .expression(.keyPath(let path), _) = try sum() else {
            throw source.error(at: start, expected: "a key path to a relationship to many objects")
        }
        try require(.comma)
        guard case .variable(let variable) = token.kind else {
            throw source.error(at: token, expected: "a variable such as $x")
        }
        guard !subqueryVariables.contains(variable) else {
            throw source.error(
                at: token.range.lowerBound,
                "$\(variable) is the variable of an enclosing SUBQUERY. Choose another.")
        }
        try advance()
        try require(.comma)
        subqueryVariables.append(variable)
        let (tree, depth) = try nested { parser throws(ObjectStorageError) in try parser.predicate() }
        subqueryVariables.removeLast()
        try require(.closeParenthesis)
        let collection = PredicateExpression.Collection(path, filter: .init(variable, tree))
        guard try take(.dot), case .aggregate = token.kind else {
            throw source.error(at: token, expected: "“.@count” after SUBQUERY(…)")
        }
        return try aggregate(of: collection, depth: depth + 1)
    }

    /// Parses an aggregate: `@count`, or one with an attribute such as `@sum.name`.
    private mutating func aggregate(
        of collection: PredicateExpression.Collection, depth: Int
    ) throws(ObjectStorageError) -> Node {
        let start = token
        guard case .aggregate(let word) = start.kind else {
            throw source.error(at: start, expected: "“@count”")
        }
        try checkDepth(depth)
        try advance()
        if word == "count" { return .expression(.aggregate(.count, collection), depth: depth) }
        guard PredicateExpression.Aggregate(word: word, attributePath: "") != nil else {
            throw source.error(at: start, expected: "@count, @sum, @avg, @min or @max")
        }
        try require(.dot)
        var path = try name()
        while try take(.dot) { path += "." + (try name()) }
        guard let aggregate = PredicateExpression.Aggregate(word: word, attributePath: path) else {
            throw source.error(at: start, expected: "@count, @sum, @avg, @min or @max")
        }
        return .expression(.aggregate(aggregate, collection), depth: depth)
    }
}
