extension FetchRequest {
    /// Which objects a request is about: comparisons of properties with constants, joined by `&&`, `||` and `!`.
    ///
    /// ```swift
    /// \.year >= 1900 && !(\.artist?.name == nil) || .contains(\.title, "sea", ignoringCase: true)
    /// ```
    ///
    /// A predicate is true or false for every object. `\.year < 1900` is false for an object without a year, and so
    /// `!(\.year < 1900)` is true for it, as in Swift and unlike in SQL.
    public struct Predicate: Hashable, Sendable {
        /// The predicate without the Swift type of the objects.
        package let tree: PredicateTree

        /// A predicate of a tree.
        package init(_ tree: PredicateTree) { self.tree = tree }

        /// True for every object.
        public static var always: Self { Self(.constant(true)) }
        /// True for no object.
        public static var never: Self { Self(.constant(false)) }

        /// True when both are.
        public static func && (first: Self, second: Self) -> Self {
            var parts: [PredicateTree] = []
            for tree in [first.tree, second.tree] {
                if case .and(let inner) = tree { parts += inner } else { parts.append(tree) }
            }
            return Self(.and(parts))
        }

        /// True when at least one is.
        public static func || (first: Self, second: Self) -> Self {
            var parts: [PredicateTree] = []
            for tree in [first.tree, second.tree] {
                if case .or(let inner) = tree { parts += inner } else { parts.append(tree) }
            }
            return Self(.or(parts))
        }

        /// True when the other is false.
        public static prefix func ! (predicate: Self) -> Self { Self(.not(predicate.tree)) }
    }
}

extension FetchRequest.Predicate: CustomStringConvertible {
    /// The predicate in words.
    public var description: String { tree.description }
}
