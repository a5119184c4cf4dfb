public import ObjectStorage

/// A section that exists even without rows.
public struct DeclaredSection: Hashable, Sendable {
    /// The section's key, in the form in which SQLite stores it.
    public let value: StoredValue
    /// The name of the section; nil for the name that its key, or its first row, gives it.
    public let name: String?

    /// Declares the section of a key.
    ///
    /// - Parameters:
    ///   - value: The key, of the type of the attribute or computed value that identifies sections; nil for
    ///     the section of rows without a value.
    ///   - name: The name of the section, if not that of its key.
    public init(_ value: some AttributeValue, name: String? = nil) {
        self.value = value.storedValue
        self.name = name
    }

    /// The identity of the section among all sections.
    var identity: [UInt8] { StoreSnapshot.GroupStart.identity(of: value) }
}

extension DeclaredSection: ExpressibleByStringLiteral {
    /// Declares the section of a text, under the name that its key or its first row gives it.
    ///
    /// - Parameter text: The section's key.
    public init(stringLiteral text: String) { self.init(text) }
}

extension DeclaredSection: ExpressibleByIntegerLiteral {
    /// Declares the section of an integer, under the name that its key or its first row gives it.
    ///
    /// - Parameter number: The section's key.
    public init(integerLiteral number: Int64) { self.init(number) }
}
