import GRDB

extension PersistentContainer {
    /// Runs a closure that opens a store's file, and repeats it if another program, whose first write failed,
    /// removed the file before it could be locked.
    ///
    /// - Parameter isTooLate: Whether the closure did something that must not be repeated.
    static func openingAgainIfRemoved<Output>(
        unless isTooLate: @autoclosure () -> Bool, _ body: () throws -> Output
    ) throws -> Output {
        for _ in 0..<3 {
            do {
                return try body()
            } catch let error as DatabaseError
                where error.extendedResultCode == .SQLITE_READONLY_DBMOVED && !isTooLate()
            {
                continue
            } catch let error as ObjectStorageError where error.code == .storeReplaced && !isTooLate() {
                continue
            }
        }
        return try body()
    }
}
