package import ObjectModel

extension PredicateParser {
    /// Returns the next argument as the node of a placeholder.
    package mutating func argument(for placeholder: PredicateToken.Placeholder) throws(ObjectStorageError)
        -> Node
    {
        let start = token
        guard usedArguments < arguments.count else {
            throw source.error(
                at: start.range.lowerBound,
                "this placeholder has no argument: \(arguments.count) were given.")
        }
        let argument = arguments[usedArguments].expression
        usedArguments += 1
        let name = "argument \(usedArguments)"
        try advance()
        switch (placeholder, argument) {
        case (.value, .list): return .expression(argument, depth: 2)
        case (.value, _): return .expression(argument, depth: 1)
        case (.integer, .constant(.integer)), (.number, .constant(.integer)), (.number, .constant(.real)):
            return .expression(argument, depth: 1)
        case (.keyPath, .constant(.text(let path))):
            return try keyPath(path, at: start, name)
        case (.keyPath, _):
            throw source.error(
                at: start.range.lowerBound, "%K takes a key path as a text, and \(name) is not one.")
        case (.integer, _):
            throw source.error(
                at: start.range.lowerBound, "this placeholder takes a whole number, and \(name) is not one.")
        case (.number, _):
            throw source.error(at: start.range.lowerBound, "%f takes a number, and \(name) is not one.")
        }
    }

    /// Parses a key path that is given as text, with names taken literally, and an aggregate at its end.
    private mutating func keyPath(
        _ path: String, at start: PredicateToken, _ name: String
    ) throws(ObjectStorageError) -> Node {
        guard let end = path.ranges(of: ".@").first?.lowerBound else {
            return try keyPath(beginningWith: path, from: nil)
        }
        // An aggregate at the end, as in “artworks.@count”.
        let words = path[end...].dropFirst(2)
        let collection = PredicateExpression.Collection(.init(String(path[..<end])))
        if words == "count" { return .expression(.aggregate(.count, collection), depth: 1) }
        let word = words.prefix { $0 != "." }
        guard
            let aggregate = PredicateExpression.Aggregate(
                word: String(word), attributePath: String(words.dropFirst(word.count + 1)))
        else {
            throw source.error(
                at: start.range.lowerBound,
                "\(name), “\(path)”, does not end in one of the aggregates @count, @sum, @avg, @min or @max.")
        }
        return .expression(.aggregate(aggregate, collection), depth: 1)
    }
}
