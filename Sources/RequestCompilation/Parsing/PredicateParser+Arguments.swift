extension PredicateParser {
    /// Puts the next argument in the place of a placeholder.
    mutating func argument(for placeholder: PredicateToken.Placeholder) throws(ObjectStorageError) -> Node {
        let start = token
        guard usedArguments < arguments.count else {
            throw source.error(
                at: start.range.lowerBound,
                "there is no argument for this placeholder: \(arguments.count) were given.")
        }
        let argument = arguments[usedArguments].expression
        usedArguments += 1
        let place = "argument \(usedArguments)"
        try advance()
        switch (placeholder, argument) {
        case (.value, .list): return .expression(argument, depth: 2)
        case (.value, _): return .expression(argument, depth: 1)
        case (.integer, .constant(.integer)), (.number, .constant(.integer)), (.number, .constant(.real)):
            return .expression(argument, depth: 1)
        case (.keyPath, .constant(.text(let path))):
            return try keyPath(path, at: start, place)
        case (.keyPath, _):
            throw source.error(
                at: start.range.lowerBound, "%K takes a key path as a text, and \(place) is none.")
        case (.integer, _):
            throw source.error(
                at: start.range.lowerBound, "this placeholder takes a whole number, and \(place) is none.")
        case (.number, _):
            throw source.error(at: start.range.lowerBound, "%f takes a number, and \(place) is none.")
        }
    }

    /// A key path given as text, whose names are taken as they are, and what follows it.
    private mutating func keyPath(
        _ path: String, at start: PredicateToken, _ place: String
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
                "\(place), “\(path)”, has no aggregate that there is: @count, @sum, @avg, @min or @max.")
        }
        return .expression(.aggregate(aggregate, collection), depth: 1)
    }
}
