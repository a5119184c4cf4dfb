import SectionedFetch

/// Tells the errors that the product throws from what must not be thrown.
enum ObjectStorageFault {
    /// Runs a closure that may throw nothing but the product's own error.
    static func passing<Result>(_ body: () throws -> Result) throws(ObjectStorageError) -> Result {
        do {
            return try body()
        } catch let error as ObjectStorageError {
            throw error
        } catch {
            preconditionFailure("not a typed error: \(error)")
        }
    }
}
