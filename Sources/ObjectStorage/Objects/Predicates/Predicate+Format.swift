extension FetchRequest.Predicate {
    /// Parses a predicate in the format language.
    ///
    /// ```swift
    /// try .init(format: "year BETWEEN {1900, 1999} AND artist.name BEGINSWITH[cd] %@", name)
    /// try .init(format: "SUBQUERY(artworks, $x, $x.year > $since).@count >= 3")
    ///     .substituting(["since": 1960])
    /// ```
    ///
    /// The language is described in SectionedFetch’s article “Predicates”. It produces the same predicates as
    /// Swift's operators; a key path to a property that does not exist is an error of the fetch.
    ///
    /// - Parameters:
    ///   - format: The text. `%@` represents a value, a list or an object, `%K` a dotted key path, `%d` and
    ///     `%f` numbers.
    ///   - arguments: The values for these placeholders, in order.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidPredicate``; the message states
    ///   line, column, the expected syntax and a remedy.
    /// - Complexity: O(*n*) in the length of the text, which may be up to 64 KiB.
    public init(format: String, _ arguments: any PredicateArgument...) throws(ObjectStorageError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Parses a predicate in the format language, with arguments in an array.
    ///
    /// - Parameters:
    ///   - format: The text, as in ``init(format:_:)``.
    ///   - arguments: The values for its placeholders, in order.
    /// - Throws: As ``init(format:_:)``.
    /// - Complexity: As ``init(format:_:)``.
    public init(format: String, arguments: [any PredicateArgument]) throws(ObjectStorageError) {
        self.init(try PredicateTree(format: format, arguments: arguments.map(\.predicateConstant)))
    }

    /// The predicate in the format language, in a canonical form.
    ///
    /// Parsing it returns an equal predicate. If the predicate names objects that were saved after it was
    /// created, the parsed predicate names them by their primary keys.
    public var format: String { tree.format }

    /// Returns the predicate with values substituted for `$variables`.
    ///
    /// Variables without a value remain, and a request that contains one cannot be fetched. Names are given
    /// without the dollar sign; the variable that a `SUBQUERY` declares is not replaced.
    ///
    /// - Parameter values: The values by the names of the variables.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidPredicate`` if a name in
    ///   `values` is not a variable of the predicate.
    public func substituting(_ values: [String: any PredicateArgument]) throws(ObjectStorageError) -> Self {
        Self(try tree.substituting(values.mapValues(\.predicateConstant)))
    }
}

extension PredicateTree {
    /// Parses a predicate in the format language, without the Swift type of the objects.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidPredicate``.
    package init(format: String, arguments: [PredicateConstant] = []) throws(ObjectStorageError) {
        var parser = try PredicateParser(PredicateSource(format), arguments: arguments)
        self = try parser.parse()
    }
}
