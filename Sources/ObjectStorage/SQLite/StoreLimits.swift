/// The most that one SQL statement may take, for stores whose contents are not trusted.
///
/// A file can hold a constraint, a computed column or an index whose evaluation never ends, or that makes
/// values of gigabytes out of nothing. A statement that exceeds a limit is broken off and fails with
/// ``ObjectStorageError/Code/limitExceeded``; what was read before stays valid, and the connection can be
/// used further.
///
/// SQLite counts steps of its machine, between which it can be broken off. A single call of one of its
/// functions, such as `replace` on a long text, is one step and runs to its end;
/// ``valueByteCount`` bounds how long its arguments are.
public struct StoreLimits: Hashable, Sendable {
    /// The processor time of one statement, in seconds. Waiting for other programs, and for the disk, does
    /// not count.
    public var statementSeconds: Double
    /// The bytes of all texts and blobs in the rows that one statement gives.
    public var statementByteCount: Int
    /// The bytes of one text, blob or row, wherever it comes up in a statement.
    public var valueByteCount: Int
    /// The bytes of the key, and of the name, of one section.
    public var sectionKeyByteCount: Int

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - statementSeconds: The processor time of one statement, in seconds. A list of a million rows takes
    ///     about one.
    ///   - statementByteCount: The bytes of all texts and blobs in the rows that one statement gives.
    ///   - valueByteCount: The bytes of one text, blob or row.
    ///   - sectionKeyByteCount: The bytes of the key, and of the name, of one section.
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
    /// A statement took more than the store's ``StoreLimits`` allow, or more than SQLite does.
    public static let limitExceeded = Self(rawValue: "limitExceeded")
}
