extension FetchRequest.Predicate {
    /// Parses a predicate in the format language.
    ///
    /// ```swift
    /// try .init(format: "year BETWEEN {1900, 1999} AND artist.name BEGINSWITH[cd] %@", name)
    /// try .init(format: "SUBQUERY(artworks, $x, $x.year > $since).@count >= 3").substituting(["since": 1960])
    /// ```
    ///
    /// SectionedFetch’s article “The predicate format language” describes it. It gives the same predicates as
    /// Swift's operators; a key path that leads nowhere is an error of the fetch.
    ///
    /// - Parameters:
    ///   - format: The text. `%@` stands for a value, a list or an object, `%K` for a dotted key path, `%d`
    ///     and `%f` for numbers.
    ///   - arguments: What takes the place of those, in order.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidPredicate``, naming line and
    ///   column, what was expected there and what to do about it.
    /// - Complexity: O(*n*) in the length of the text, which may be up to 64 KiB.
    public init(format: String, _ arguments: any PredicateArgument...) throws(ObjectStorageError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Parses a predicate in the format language, with arguments in an array.
    ///
    /// - Throws: As ``init(format:_:)``.
    public init(format: String, arguments: [any PredicateArgument]) throws(ObjectStorageError) {
        self.init(try PredicateTree(format: format, arguments: arguments.map(\.predicateConstant)))
    }

    /// The predicate in the format language, always written in the same way: parsing it gives an equal
    /// predicate, or, where it names objects that were saved since it was made, one that names them by the
    /// keys that they have now.
    public var format: String { tree.format }

    /// The same predicate with values in the place of `$variables`.
    ///
    /// Variables without a value stay, and a request with one cannot be fetched. Names are given without the
    /// dollar sign; the variable that a `SUBQUERY` names is not replaced.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidPredicate`` for a value that
    ///   names no variable.
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
