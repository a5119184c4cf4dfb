import InternalUtilities
package import ObjectModel

extension PredicateParser {
    /// Parses a sum, or anything that binds more tightly, including a predicate in parentheses.
    package mutating func sum() throws(ObjectStorageError) -> Node {
        try chain([.plus: .add, .minus: .subtract]) { parser throws(ObjectStorageError) in
            try parser.chain([.times: .multiply, .divide: .divide]) { parser throws(ObjectStorageError) in
                try parser.signed()
            }
        }
    }

    private mutating func chain(
        _ operators: [PredicateToken.Symbol: PredicateExpression.Operator],
        operand: (inout PredicateParser) throws(ObjectStorageError) -> Node
    ) throws(ObjectStorageError) -> Node {
        var node = try operand(&self)
        while case .symbol(let symbol) = token.kind, let arithmetic = operators[symbol],
            case .expression(let left, let leftDepth) = node
        {
            try advance()
            let start = token
            guard case .expression(let right, let rightDepth) = try operand(&self) else {
                throw source.error(
                    at: start.range.lowerBound, "arithmetic needs values, and this is a predicate.")
            }
            let depth = max(leftDepth, rightDepth) + 1
            try checkDepth(depth)
            node = .expression(.arithmetic(arithmetic, left, right), depth: depth)
        }
        return node
    }

    private mutating func signed() throws(ObjectStorageError) -> Node {
        guard try take(.minus) else { return try primary() }
        switch token.kind {
        case .literal(.integer(let value)):
            try countTerm()
            try advance()
            let (negative, overflows) = value.multipliedReportingOverflow(by: -1)
            return .expression(
                .value(overflows ? .real(-Double(value)) : .integer(negative)), depth: 1)
        case .literal(.real(let value)):
            try countTerm()
            try advance()
            return .expression(.value(.real(-value)), depth: 1)
        case .smallestIntegerMagnitude:
            try countTerm()
            try advance()
            return .expression(.value(.integer(.min)), depth: 1)
        default: break
        }
        let start = token
        let node = try nested { parser throws(ObjectStorageError) in try parser.signed() }
        guard case .expression(let expression, let depth) = node else {
            throw source.error(
                at: start.range.lowerBound, "a minus sign must precede a value, and this is a predicate.")
        }
        try checkDepth(depth + 1)
        return .expression(.arithmetic(.subtract, .value(.integer(0)), expression), depth: depth + 1)
    }

    private mutating func primary() throws(ObjectStorageError) -> Node {
        try countTerm()
        switch token.kind {
        case .symbol(.openParenthesis):
            try advance()
            let node = try nested { parser throws(ObjectStorageError) in try parser.disjunction() }
            guard try take(.closeParenthesis) else {
                throw source.error(at: token, expected: "“)”, or more of the condition")
            }
            return node
        case .symbol(.openBrace): return try list()
        case .literal(let value):
            try advance()
            return .expression(.value(value), depth: 1)
        case .smallestIntegerMagnitude:
            try advance()
            return .expression(.value(.real(0x1p63)), depth: 1)
        case .placeholder(let placeholder): return try argument(for: placeholder)
        case .variable(let name): return try variable(name)
        case .name(let name):
            try advance()
            return try keyPath(beginningWith: name, from: nil)
        case .word(let word): return try self.word(word)
        default: throw source.error(at: token, expected: "a value or a key path")
        }
    }

    private mutating func word(_ word: String) throws(ObjectStorageError) -> Node {
        guard let keyword = PredicateKeyword(word) else {
            try advance()
            switch token.kind {
            case .symbol(.openParenthesis) where word == "object": return try object()
            case .symbol(.openParenthesis) where word == "now":
                throw source.error(
                    at: token.range.lowerBound,
                    "now() would give a different result each time. Pass the time as an argument of %@.")
            case .symbol(.colon): return try function(word)
            default: return try keyPath(beginningWith: word, from: nil)
            }
        }
        switch keyword {
        case .trueValue, .yes, .falseValue, .no:
            try advance()
            return .expression(.value(.integer(keyword == .trueValue || keyword == .yes ? 1 : 0)), depth: 1)
        case .nilValue, .null:
            try advance()
            return .expression(.value(.null), depth: 1)
        case .itself:
            try advance()
            guard try take(.dot) else { return .expression(.path("objectID"), depth: 1) }
            return try keyPath(beginningWith: try name(), from: nil)
        case .subquery: return try subquery()
        case .cast: return try cast()
        default:
            throw source.error(
                at: token.range.lowerBound,
                "expected a value or a key path, found the keyword \(keyword.rawValue). A property of that name is written #\(word)."
            )
        }
    }

    private mutating func list() throws(ObjectStorageError) -> Node {
        try advance()
        var elements: [PredicateExpression] = []
        var depth = 0
        while token.kind != .symbol(.closeBrace) {
            if !elements.isEmpty { try require(.comma) }
            let start = token
            let node = try nested { parser throws(ObjectStorageError) in try parser.sum() }
            guard case .expression(let element, let elementDepth) = node else {
                throw source.error(at: start, expected: "a value")
            }
            if case .list = element {
                throw source.error(at: start, expected: "a value, and no list inside a list")
            }
            elements.append(element)
            depth = max(depth, elementDepth)
        }
        try advance()
        return .expression(.list(elements), depth: depth + 1)
    }

    /// Parses a function such as `lowercase:(…)`, starting at the colon.
    private mutating func function(_ name: String) throws(ObjectStorageError) -> Node {
        guard let function = PredicateExpression.Function(rawValue: name) else {
            throw source.error(
                at: token.range.lowerBound,
                "the function \(name): does not exist. "
                    + NearestName.suggestion(
                        for: name, among: PredicateExpression.Function.allCases.map(\.rawValue)))
        }
        try advance()
        try require(.openParenthesis)
        let start = token
        let node = try nested { parser throws(ObjectStorageError) in try parser.sum() }
        guard case .expression(let argument, let depth) = node else {
            throw source.error(at: start, expected: "a value")
        }
        try require(.closeParenthesis)
        try checkDepth(depth + 1)
        return .expression(.function(function, argument), depth: depth + 1)
    }

    /// Parses `object("Entity", 17)`, starting at the parenthesis.
    private mutating func object() throws(ObjectStorageError) -> Node {
        try advance()
        guard case .literal(.text(let entityName)) = token.kind else {
            throw source.error(at: token, expected: "the name of an entity in quotes")
        }
        try advance()
        try require(.comma)
        let isNew = token.kind == .word("new")
        if isNew { try advance() }
        let isNegative = try take(.minus)
        let key: ObjectID.Key
        switch token.kind {
        case .literal(.integer(let number)) where isNew && !isNegative:
            key = .temporary(UInt64(bitPattern: number))
        case .literal(.integer(let number)) where !isNew: key = .permanent(isNegative ? 0 &- number : number)
        case .smallestIntegerMagnitude where isNegative && !isNew: key = .permanent(.min)
        default: throw source.error(at: token, expected: "the number of an object")
        }
        try advance()
        try require(.closeParenthesis)
        return .expression(.object(ObjectID(entityName: entityName, key: key, of: nil)), depth: 1)
    }

    /// Parses `CAST(700000000, "Date")`: a date in seconds since 2001.
    private mutating func cast() throws(ObjectStorageError) -> Node {
        try advance()
        try require(.openParenthesis)
        let start = token
        guard case .expression(.constant(let value), _) = try signed(),
            let seconds = Double(storedValue: value)
        else {
            throw source.error(at: start, expected: "a number of seconds since 2001-01-01 00:00 UTC")
        }
        try require(.comma)
        guard case .literal(.text(let type)) = token.kind, ["Date", "NSDate"].contains(type) else {
            throw source.error(at: token, expected: "\"Date\"")
        }
        try advance()
        try require(.closeParenthesis)
        return .expression(.value(.real(seconds)), depth: 1)
    }
}
