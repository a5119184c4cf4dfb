/// Parses the format language by recursive descent, one token ahead.
///
/// A predicate in brackets and a sum in brackets begin alike. Both are parsed by the same functions, which
/// give a ``Node`` that is one or the other, so that nothing is ever parsed twice.
struct PredicateParser {
    /// The greatest depth of a tree, so that no text can overflow the stack of whoever walks through it
    /// later.
    static let maximumDepth = 40
    /// The greatest number of parts of a tree.
    static let maximumNumberOfTerms = 10_000

    /// What a piece of text can be, with the depth of its tree.
    enum Node {
        case predicate(PredicateTree, depth: Int)
        case expression(PredicateExpression, depth: Int)

        var depth: Int {
            switch self {
            case .predicate(_, let depth), .expression(_, let depth): depth
            }
        }
    }

    let source: PredicateSource
    private var lexer: PredicateLexer
    private(set) var token: PredicateToken
    let arguments: [PredicateConstant]
    var usedArguments = 0
    /// The variables of the subqueries around.
    var subqueryVariables: [String] = []
    private var nesting = 0
    private var numberOfTerms = 0

    init(_ source: PredicateSource, arguments: [PredicateConstant]) throws(ObjectStorageError) {
        self.source = source
        self.arguments = arguments
        lexer = PredicateLexer(source)
        token = try lexer.next()
    }

    /// Parses the whole text.
    mutating func parse() throws(ObjectStorageError) -> PredicateTree {
        let (tree, _) = try predicate()
        guard token.kind == .end else {
            throw source.error(at: token, expected: "AND, OR or the end")
        }
        guard usedArguments == arguments.count else {
            throw source.error(
                at: token.range.lowerBound,
                "\(arguments.count) arguments were given, and there are \(usedArguments) placeholders for them."
            )
        }
        return tree
    }

    /// Takes the current token.
    @discardableResult
    mutating func advance() throws(ObjectStorageError) -> PredicateToken {
        let current = token
        token = try lexer.next()
        return current
    }

    /// Takes a sign if it is next.
    mutating func take(_ symbol: PredicateToken.Symbol) throws(ObjectStorageError) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    /// Takes a sign that must be next.
    mutating func require(_ symbol: PredicateToken.Symbol) throws(ObjectStorageError) {
        guard try take(symbol) else { throw source.error(at: token, expected: "“\(symbol.rawValue)”") }
    }

    /// The keyword that is next, if one is.
    var keyword: PredicateKeyword? {
        if case .word(let word) = token.kind { PredicateKeyword(word) } else { nil }
    }

    /// Runs `body` one level deeper.
    mutating func nested<Result>(
        _ body: (inout PredicateParser) throws(ObjectStorageError) -> Result
    ) throws(ObjectStorageError) -> Result {
        try checkDepth(nesting)
        nesting += 1
        defer { nesting -= 1 }
        return try body(&self)
    }

    /// Makes sure that a tree is not too deep.
    func checkDepth(_ depth: Int) throws(ObjectStorageError) {
        guard depth < Self.maximumDepth else {
            throw source.error(
                at: token.range.lowerBound,
                "brackets, NOT, subqueries and sums are nested more than \(Self.maximumDepth) deep. Take some out, or pass a list with IN."
            )
        }
    }

    /// Counts a part of the tree.
    mutating func countTerm() throws(ObjectStorageError) {
        numberOfTerms += 1
        guard numberOfTerms <= Self.maximumNumberOfTerms else {
            throw source.error(
                at: token.range.lowerBound,
                "there are more than \(Self.maximumNumberOfTerms) values and names. Pass long lists as arguments of %@."
            )
        }
    }
}

extension PredicateParser {
    /// Parses what must be a predicate.
    mutating func predicate() throws(ObjectStorageError) -> (tree: PredicateTree, depth: Int) {
        let node = try disjunction()
        guard case .predicate(let tree, let depth) = node else {
            throw source.error(at: token, expected: "a comparison such as ==, <, IN or BEGINSWITH")
        }
        return (tree, depth)
    }

    /// Parses what OR joins; an expression stays what it is.
    mutating func disjunction() throws(ObjectStorageError) -> Node {
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
                    "ANY, ALL and NONE stand before one comparison: ANY artworks.year > 1900. For several conditions about the same object write SUBQUERY(artworks, $x, …).@count > 0."
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
                at: operand.range.lowerBound, "a value is compared with a value, and this is a predicate.")
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

    /// Makes sure that a list stands where one is needed, and nowhere else.
    private func check(
        _ left: PredicateExpression, _ relation: PredicateTree.Relation, _ right: PredicateExpression,
        _ operand: PredicateToken
    ) throws(ObjectStorageError) {
        if case .list = left {
            throw source.error(
                at: operand.range.lowerBound, "a list can stand only to the right of IN and BETWEEN.")
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
                at: operand.range.lowerBound, "a list can stand only to the right of IN and BETWEEN.")
        default: break
        }
    }
}
