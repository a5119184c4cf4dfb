import SectionedFetch

/// Distinguishes the library's errors from errors that it must not throw.
enum ObjectStorageFault {
    /// Runs a closure that may throw only ``ObjectStorageError``.
    static func passing<Result>(_ body: () throws -> Result) throws(ObjectStorageError) -> Result {
        do {
            return try body()
        } catch let error as ObjectStorageError {
            throw error
        } catch {
            preconditionFailure("not an ObjectStorageError: \(error)")
        }
    }
}
