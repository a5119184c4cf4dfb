public import ObjectStorage

extension ObjectStorageError.Code {
    /// The rows of some results were in a cache that no longer exists, and the data has changed since.
    public static let rowsLost = Self(rawValue: "rowsLost")
}
