extension FetchRequest {
    /// A condition that selects the objects of a request: comparisons of properties with constants, joined by
    /// `&&`, `||` and `!`.
    ///
    /// ```swift
    /// \.year >= 1900 && !(\.artist?.name == nil) || .contains(\.title, "sea", ignoringCase: true)
    /// ```
    ///
    /// Conditions that are known only at run time can be written in the format language, which also reaches
    /// through to-many relationships; see ``init(format:_:)``.
    ///
    /// A predicate is true or false for every object. `\.year < 1900` is false for an object without a year,
    /// and so `!(\.year < 1900)` is true for it, as in Swift and unlike in SQL.
    public struct Predicate: Hashable, Sendable {
        /// The predicate without the Swift type of the objects.
        package let tree: PredicateTree

        /// Creates a predicate from a tree.
        package init(_ tree: PredicateTree) { self.tree = tree }

        /// True for every object.
        public static var always: Self { Self(.constant(true)) }
        /// True for no object.
        public static var never: Self { Self(.constant(false)) }

        /// True if both predicates are true.
        ///
        /// - Parameters:
        ///   - first: A predicate for the same class of objects.
        ///   - second: Another predicate.
        public static func && (first: Self, second: Self) -> Self {
            Self(.conjunction([first.tree, second.tree]))
        }

        /// True if at least one of the predicates is true.
        ///
        /// - Parameters:
        ///   - first: A predicate for the same class of objects.
        ///   - second: Another predicate.
        public static func || (first: Self, second: Self) -> Self {
            Self(.disjunction([first.tree, second.tree]))
        }

        /// True if the predicate is false.
        ///
        /// - Parameter predicate: The predicate to negate.
        public static prefix func ! (predicate: Self) -> Self { Self(.not(predicate.tree)) }
    }
}

extension FetchRequest.Predicate: CustomStringConvertible {
    /// The predicate in the format language: its ``format``.
    public var description: String { tree.description }
}
