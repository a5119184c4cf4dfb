public import ObjectStorage

/// A section that is there also without rows.
public struct DeclaredSection: Hashable, Sendable {
    /// The section's key, as SQLite keeps it.
    public let value: StoredValue
    /// What the section is called; nil for what its key, or its first row, says.
    public let name: String?

    /// Declares the section of a key.
    ///
    /// - Parameters:
    ///   - value: The key, of the type of the attribute or of the computed value that tells sections apart;
    ///     nil for the section of the rows that have none.
    ///   - name: What the section is called, if not by its key.
    public init(_ value: some AttributeValue, name: String? = nil) {
        self.value = value.storedValue
        self.name = name
    }

    /// What tells the section apart from all others.
    var identity: [UInt8] { StoreSnapshot.GroupStart.identity(of: value) }
}

extension DeclaredSection: ExpressibleByStringLiteral {
    /// Declares the section of a text.
    public init(stringLiteral text: String) { self.init(text) }
}

extension DeclaredSection: ExpressibleByIntegerLiteral {
    /// Declares the section of a number.
    public init(integerLiteral number: Int64) { self.init(number) }
}
