package import ObjectModel

/// A recursive-descent parser for the format language with one token of lookahead.
///
/// A predicate in parentheses and a sum in parentheses begin alike. The same functions parse both and return
/// a ``Node`` that is one or the other, so no text is parsed twice.
package struct PredicateParser {
    /// The largest depth of a tree, which prevents a stack overflow in recursive functions over the tree.
    package static let maximumDepth = 40
    /// The largest number of parts of a tree.
    package static let maximumNumberOfTerms = 10_000

    /// The result of parsing a piece of text, with the depth of its tree.
    package enum Node {
        /// A predicate or an expression.
        case predicate(PredicateTree, depth: Int)
        case expression(PredicateExpression, depth: Int)

        /// The depth of the tree.
        var depth: Int {
            switch self {
            case .predicate(_, let depth), .expression(_, let depth): depth
            }
        }
    }

    /// The text.
    let source: PredicateSource
    private var lexer: PredicateLexer
    /// The current token.
    private(set) var token: PredicateToken
    /// The arguments for the placeholders.
    let arguments: [PredicateConstant]
    /// The number of arguments already used.
    var usedArguments = 0
    /// The variables of the enclosing subqueries.
    package var subqueryVariables: [String] = []
    private var nesting = 0
    private var numberOfTerms = 0

    /// Creates a parser of a format with the values of its arguments.
    package init(_ source: PredicateSource, arguments: [PredicateConstant]) throws(ObjectStorageError) {
        self.source = source
        self.arguments = arguments
        lexer = PredicateLexer(source)
        token = try lexer.next()
    }

    /// Parses the whole text.
    package mutating func parse() throws(ObjectStorageError) -> PredicateTree {
        let (tree, _) = try predicate()
        guard token.kind == .end else {
            throw source.error(at: token, expected: "AND, OR or the end")
        }
        guard usedArguments == arguments.count else {
            throw source.error(
                at: token.range.lowerBound,
                "\(arguments.count) arguments were given for \(usedArguments) placeholders."
            )
        }
        return tree
    }

    /// Advances to the next token and returns the previous one.
    @discardableResult
    package mutating func advance() throws(ObjectStorageError) -> PredicateToken {
        let current = token
        token = try lexer.next()
        return current
    }

    /// Consumes the current token if it is the given symbol; returns whether it was.
    package mutating func take(_ symbol: PredicateToken.Symbol) throws(ObjectStorageError) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    /// Consumes the given symbol, or throws if the current token is another one.
    package mutating func require(_ symbol: PredicateToken.Symbol) throws(ObjectStorageError) {
        guard try take(symbol) else { throw source.error(at: token, expected: "“\(symbol.rawValue)”") }
    }

    /// The current token as a keyword, if it is one.
    package var keyword: PredicateKeyword? {
        if case .word(let word) = token.kind { PredicateKeyword(word) } else { nil }
    }

    /// Runs `body` one nesting level deeper.
    package mutating func nested<Result>(
        _ body: (inout PredicateParser) throws(ObjectStorageError) -> Result
    ) throws(ObjectStorageError) -> Result {
        try checkDepth(nesting)
        nesting += 1
        defer { nesting -= 1 }
        return try body(&self)
    }

    /// Checks that a tree is not too deep.
    package func checkDepth(_ depth: Int) throws(ObjectStorageError) {
        guard depth < Self.maximumDepth else {
            throw source.error(
                at: token.range.lowerBound,
                "parentheses, NOT, subqueries and sums are nested more than \(Self.maximumDepth) levels deep. Remove some, or pass a list with IN."
            )
        }
    }

    /// Counts a part of the tree against the limit.
    package mutating func countTerm() throws(ObjectStorageError) {
        numberOfTerms += 1
        guard numberOfTerms <= Self.maximumNumberOfTerms else {
            throw source.error(
                at: token.range.lowerBound,
                "the predicate has more than \(Self.maximumNumberOfTerms) values and names. Pass long lists as arguments of %@."
            )
        }
    }
}

extension PredicateParser {
    /// Parses a predicate; throws for an expression.
    package mutating func predicate() throws(ObjectStorageError) -> (tree: PredicateTree, depth: Int) {
        let node = try disjunction()
        guard case .predicate(let tree, let depth) = node else {
            throw source.error(at: token, expected: "a comparison such as ==, <, IN or BEGINSWITH")
        }
        return (tree, depth)
    }

    /// Parses parts that are joined by OR; a single expression is returned unchanged.
    package mutating func disjunction() throws(ObjectStorageError) -> Node {
        try joined(
            .or, isNext: { $0.keyword == .or || $0.token.kind == .symbol(.or) },
            part: { (parser: inout PredicateParser) throws(ObjectStorageError) in try parser.conjunction() },
            join: PredicateTree.disjunction)
    }

    private mutating func conjunction() throws(ObjectStorageError) -> Node {
        try joined(
            .and, isNext: { $0.keyword == .and || $0.token.kind == .symbol(.and) },
            part: { (parser: inout PredicateParser) throws(ObjectStorageError) in try parser.negation() },
            join: PredicateTree.conjunction)
    }

    private mutating func joined(
        _ symbol: PredicateToken.Symbol, isNext: (PredicateParser) -> Bool,
        part: (inout PredicateParser) throws(ObjectStorageError) -> Node,
        join: ([PredicateTree]) -> PredicateTree
    ) throws(ObjectStorageError) -> Node {
        let first = try part(&self)
        guard isNext(self), case .predicate(let tree, var depth) = first else { return first }
        var parts = [tree]
        while isNext(self) {
            try advance()
            guard case .predicate(let tree, let partDepth) = try part(&self) else {
                throw source.error(at: token, expected: "a comparison such as ==, <, IN or BEGINSWITH")
            }
            parts.append(tree)
            depth = max(depth, partDepth)
        }
        try checkDepth(depth + 1)
        return .predicate(join(parts), depth: depth + 1)
    }

    private mutating func negation() throws(ObjectStorageError) -> Node {
        guard keyword == .not || token.kind == .symbol(.not) else { return try comparison() }
        try advance()
        let node = try nested { parser throws(ObjectStorageError) in try parser.negation() }
        guard case .predicate(let tree, let depth) = node else {
            throw source.error(at: token, expected: "a comparison such as ==, <, IN or BEGINSWITH")
        }
        try checkDepth(depth + 1)
        return .predicate(.not(tree), depth: depth + 1)
    }

    private mutating func comparison() throws(ObjectStorageError) -> Node {
        switch keyword {
        case .truePredicate, .falsePredicate:
            let isTrue = keyword == .truePredicate
            try countTerm()
            try advance()
            return .predicate(.constant(isTrue), depth: 1)
        default: break
        }
        let quantifier = keyword?.quantifier
        if quantifier != nil { try advance() }
        let start = token
        let left = try sum()
        guard case .expression(let expression, let depth) = left else {
            guard quantifier == nil else {
                throw source.error(
                    at: start.range.lowerBound,
                    "ANY, ALL and NONE apply to one comparison: ANY artworks.year > 1900. For several conditions on the same object use SUBQUERY(artworks, $x, …).@count > 0."
                )
            }
            return left
        }
        guard let relation = try takeRelation() else {
            guard quantifier == nil else { throw source.error(at: token, expected: "a comparison") }
            return left
        }
        let options = try takeOptions()
        let operand = token
        guard case .expression(let right, let rightDepth) = try sum() else {
            throw source.error(
                at: operand.range.lowerBound, "a comparison needs a value, and this is a predicate.")
        }
        try check(expression, relation, right, operand)
        try checkDepth(max(depth, rightDepth) + 1)
        return .predicate(
            .comparison(expression, relation, right, options: options, quantifier: quantifier),
            depth: max(depth, rightDepth) + 1)
    }

    private mutating func takeRelation() throws(ObjectStorageError) -> PredicateTree.Relation? {
        var relation = keyword?.relation
        if case .symbol(let symbol) = token.kind { relation = symbol.relation }
        if relation != nil { try advance() }
        return relation
    }

    private mutating func takeOptions() throws(ObjectStorageError) -> PredicateTree.TextOptions {
        guard try take(.openBracket) else { return [] }
        var options: PredicateTree.TextOptions = []
        guard case .word(let letters) = token.kind else {
            throw source.error(at: token, expected: "c, d or cd")
        }
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.ignoringCase)
            case "d": options.insert(.ignoringDiacritics)
            default: throw source.error(at: token, expected: "c (case), d (diacritics) or cd")
            }
        }
        try advance()
        try require(.closeBracket)
        return options
    }

    /// Checks that a list is used only where one is allowed.
    private func check(
        _ left: PredicateExpression, _ relation: PredicateTree.Relation, _ right: PredicateExpression,
        _ operand: PredicateToken
    ) throws(ObjectStorageError) {
        if case .list = left {
            throw source.error(
                at: operand.range.lowerBound, "a list is allowed only on the right of IN and BETWEEN.")
        }
        switch (relation, right) {
        case (.between, .list(let elements)) where elements.count == 2: break
        case (.isIn, .list), (.isIn, .keyPath), (.isIn, .variable), (.between, .variable): break
        case (.between, _):
            throw source.error(at: operand, expected: "two values such as {1, 2} after BETWEEN")
        case (.isIn, _):
            throw source.error(
                at: operand, expected: "a list such as {1, 2}, or a relationship to many objects, after IN")
        case (_, .list):
            throw source.error(
                at: operand.range.lowerBound, "a list is allowed only on the right of IN and BETWEEN.")
        default: break
        }
    }
}
