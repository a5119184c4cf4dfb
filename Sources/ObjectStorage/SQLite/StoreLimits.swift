/// Limits for one SQL statement, for stores whose contents are not trusted.
///
/// A file can contain a constraint, a computed column or an index whose evaluation never ends, or that
/// creates values of gigabytes. A statement that exceeds a limit is aborted and fails with
/// ``ObjectStorageError/Code/limitExceeded``; rows that were already read stay valid, and the connection
/// remains usable.
///
/// SQLite can be interrupted between the steps of its virtual machine. A single call of one of its functions,
/// such as `replace` on a long text, is one step and runs to its end; ``valueByteCount`` limits the length of
/// its arguments.
public struct StoreLimits: Hashable, Sendable {
    /// The processor time of one statement, in seconds. Waiting for other programs and for the disk is not
    /// included.
    public var statementSeconds: Double
    /// The number of bytes of all texts and blobs in the result rows of one statement.
    public var statementByteCount: Int
    /// The number of bytes of one text, blob or row anywhere in a statement.
    public var valueByteCount: Int
    /// The number of bytes of the key, and of the name, of one section.
    public var sectionKeyByteCount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - statementSeconds: The processor time of one statement, in seconds. Listing a million rows takes
    ///     about one second.
    ///   - statementByteCount: The number of bytes of all texts and blobs in the result rows of one
    ///     statement.
    ///   - valueByteCount: The number of bytes of one text, blob or row.
    ///   - sectionKeyByteCount: The number of bytes of the key, and of the name, of one section.
    public init(
        statementSeconds: Double = 30, statementByteCount: Int = 256 << 20, valueByteCount: Int = 4 << 20,
        sectionKeyByteCount: Int = 1 << 20
    ) {
        self.statementSeconds = statementSeconds
        self.statementByteCount = statementByteCount
        self.valueByteCount = valueByteCount
        self.sectionKeyByteCount = sectionKeyByteCount
    }
}

extension ObjectStorageError.Code {
    /// A statement exceeded the store's ``StoreLimits``, or a limit of SQLite.
    public static let limitExceeded = Self(rawValue: "limitExceeded")
}
