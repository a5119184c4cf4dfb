import GRDB
import InternalUtilities

extension ObjectStorageError {
    /// Translates an error of GRDB or SQLite; an `ObjectStorageError` is left unchanged.
    ///
    /// - Parameters:
    ///   - error: The error as thrown.
    ///   - operation: The operation and its object, for the message ("Opening the store …").
    init(_ error: any Error, while operation: String) {
        if let error = error as? ObjectStorageError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.database, "\(operation): \(error)")
            return
        }
        let detail = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            self.init(
                .notADatabase,
                "\(operation): the file is not an SQLite database or is damaged (\(detail)). "
                    + "Check the path, or restore the file from a backup."
                    + (error.resultCode == .SQLITE_NOTADB ? " Decrypt an encrypted database first." : ""))
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .storeLocked,
                "\(operation): another program holds the store's lock (\(detail)). "
                    + "Wait until it has finished and try again, or raise the busy time-out.")
        case .SQLITE_READONLY, .SQLITE_PERM:
            self.init(
                .storeReadOnly,
                "\(operation): the store cannot be written (\(detail)). Check the permissions of the file and its directory."
            )
        case .SQLITE_CANTOPEN where !FileDescriptors.areFree(Self.descriptorsOfConnection):
            self.init(
                .database,
                "\(operation): this program has too few file descriptors left (\(detail)). Close files, or raise its limit (ulimit -n)."
            )
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE:
            self.init(
                .diskFull,
                "\(operation): the disk is full, and has no room for the index of the store's log (\(detail)). Nothing was changed; free some space."
            )
        case .SQLITE_FULL:
            self.init(
                .diskFull, "\(operation): the disk is full (\(detail)). Nothing was changed; free some space."
            )
        case .SQLITE_CANTOPEN:
            self.init(
                .storeMissing,
                "\(operation): the file cannot be opened (\(detail)). Check that its directory exists and may be written."
            )
        case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE:
            self.init(
                .duplicateValue,
                "\(operation): another object already has this value of a unique attribute (\(detail)).")
        case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY:
            self.init(
                .conflict,
                "\(operation): an object that a relationship leads to was deleted elsewhere (\(detail)). "
                    + "Refresh the objects and assign the relationship again.")
        case .SQLITE_CONSTRAINT:
            self.init(
                .constraintViolation,
                "\(operation): a rule of the database refuses the change (\(detail)). Nothing was changed; assign values that fulfil the rule. In an external table, it may concern a column that is not mapped."
            )
        case .SQLITE_INTERRUPT, .SQLITE_TOOBIG:
            self.init(
                .limitExceeded,
                "\(operation): a statement exceeded a limit: \(detail). Raise the limit if the store is trusted; otherwise do not use the store."
            )
        case .SQLITE_NOMEM where StoreMemory.limit != nil:
            self.init(
                .limitExceeded,
                "\(operation): a statement needs more than the \(StoreMemory.limit ?? 0) bytes of memory, or more steps, than SQLite may use in this process (\(detail)). Raise the limit if the store is trusted; otherwise do not use the store."
            )
        case .SQLITE_ERROR where error.extendedResultCode.rawValue == PredicateFunctions.matchingTooLong:
            self.init(.matchingTooLong, "\(operation): \(detail)")
        default:
            self.init(.database, "\(operation): \(detail)")
        }
        underlying = SQLiteFailure(error)
    }

    /// The number of free file descriptors below which the lack of descriptors is taken as the cause of a
    /// failure: those for the database, its log and the log's index, twice, because the failed connection has
    /// already closed its own.
    static let descriptorsOfConnection = 6

    /// Returns the error with a failure of SQLite as its cause.
    func caused(by failure: DatabaseError) -> Self {
        var error = self
        error.underlying = SQLiteFailure(failure)
        return error
    }

    /// Runs `body` and translates its errors to `ObjectStorageError`.
    static func translating<Result>(
        _ operation: @autoclosure () -> String, _ body: () throws -> Result
    ) throws(ObjectStorageError) -> Result {
        do {
            return try body()
        } catch {
            throw ObjectStorageError(error, while: operation())
        }
    }
}

extension ObjectStorageError.SQLiteFailure {
    init(_ error: DatabaseError) {
        self.init(
            resultCode: error.extendedResultCode.rawValue, message: error.message, sql: error.sql)
    }
}
