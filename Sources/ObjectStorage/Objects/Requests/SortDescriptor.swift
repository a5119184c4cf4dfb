extension FetchRequest {
    /// One term of the order of the results.
    public struct SortDescriptor: Hashable, Sendable {
        /// The term without the Swift type of the objects.
        package let term: SortTerm

        private init(_ expression: KeyExpression, _ isAscending: Bool, _ order: TextOrder, _ nulls: NullOrder)
        {
            term = SortTerm(expression: expression, isAscending: isAscending, order: order, nulls: nulls)
        }

        /// Sorts in ascending order of the value at a key path written as text, or of a computed value.
        ///
        /// - Parameters:
        ///   - expression: The key path of an attribute, such as `"artist.name"`, or a computed key.
        ///   - order: The order of texts.
        ///   - nulls: The position of objects without a value.
        public static func ascending(
            _ expression: KeyExpression, order: TextOrder = .binary, nulls: NullOrder = .smallest
        ) -> Self {
            Self(expression, true, order, nulls)
        }

        /// Sorts in descending order of the value at a key path written as text, or of a computed value.
        ///
        /// - Parameters:
        ///   - expression: The key path of an attribute, such as `"artist.name"`, or a computed key.
        ///   - order: The order of texts.
        ///   - nulls: The position of objects without a value.
        public static func descending(
            _ expression: KeyExpression, order: TextOrder = .binary, nulls: NullOrder = .smallest
        ) -> Self {
            Self(expression, false, order, nulls)
        }

        /// Sorts in ascending order of the value at a Swift key path.
        ///
        /// - Parameters:
        ///   - keyPath: The key path of an attribute, through declared properties. One that computes a value
        ///     traps.
        ///   - order: The order of texts.
        ///   - nulls: The position of objects without a value.
        public static func ascending<Value: AttributeValue>(
            _ keyPath: KeyPath<Object, Value>, order: TextOrder = .binary, nulls: NullOrder = .smallest
        ) -> Self {
            Self(.path(keyPath), true, order, nulls)
        }

        /// Sorts in descending order of the value at a Swift key path.
        ///
        /// - Parameters:
        ///   - keyPath: The key path of an attribute, through declared properties. One that computes a value
        ///     traps.
        ///   - order: The order of texts.
        ///   - nulls: The position of objects without a value.
        public static func descending<Value: AttributeValue>(
            _ keyPath: KeyPath<Object, Value>, order: TextOrder = .binary, nulls: NullOrder = .smallest
        ) -> Self {
            Self(.path(keyPath), false, order, nulls)
        }
    }
}
