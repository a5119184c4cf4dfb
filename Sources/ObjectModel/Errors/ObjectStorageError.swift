/// An error of the object store: the cause, the object or property concerned, and the remedy.
///
/// ``Code`` is an open set, so a program must also handle codes that it does not know.
public struct ObjectStorageError: Error, Hashable, Sendable {
    /// The kind of a failure, for branching. Compare with the constants; later versions may add others.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the kind, which does not change between versions.
        public let rawValue: String

        /// Creates a code from its name, for example one read from a log.
        ///
        /// - Parameter rawValue: The name of the kind.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of the failure.
    public let code: Code
    /// One or two sentences of readable text: the cause, the location and the remedy.
    public let message: String
    /// The name of the entity concerned, if any.
    public let entityName: String?
    /// The name of the attribute or relationship concerned, if any.
    public let propertyName: String?
    /// The object concerned, if any.
    public let objectID: ObjectID?
    /// For ``Code/conflict``, every object that the save found changed or deleted elsewhere; empty otherwise.
    public let conflicts: [MergeConflict]
    /// All faults that a save found, each with its entity, property and object, if it found several; empty
    /// otherwise. The other properties are those of the first fault.
    public let faults: [ObjectStorageError]
    /// The failure of SQLite that caused the error; nil if SQLite reported none.
    public package(set) var underlying: SQLiteFailure?

    /// A failure that SQLite reported.
    public struct SQLiteFailure: Hashable, Sendable {
        /// SQLite's extended result code. Source: "Result and Error Codes", sqlite.org/rescode.html.
        public let resultCode: Int32
        /// SQLite's description of the failure, if any.
        public let message: String?
        /// The statement that failed, without the values of its parameters, if it is known.
        public let sql: String?

        /// Creates a failure.
        ///
        /// - Parameters:
        ///   - resultCode: SQLite's extended result code.
        ///   - message: SQLite's description of the failure; nil for none.
        ///   - sql: The statement that failed, without the values of its parameters; nil if it is unknown.
        public init(resultCode: Int32, message: String?, sql: String?) {
            self.resultCode = resultCode
            self.message = message
            self.sql = sql
        }

        /// The primary result code, for example 5 for `SQLITE_BUSY`: the low byte of ``resultCode``.
        public var primaryResultCode: Int32 { resultCode & 0xFF }
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the failure.
    ///   - message: One or two sentences of readable text: the cause, the location and the remedy.
    ///   - entityName: The name of the entity concerned; nil for none.
    ///   - propertyName: The name of the attribute or relationship concerned; nil for none.
    ///   - objectID: The object concerned; nil for none.
    ///   - conflicts: For ``Code/conflict``, the objects that a save found changed or deleted elsewhere.
    ///   - faults: The faults that a save found, if it found several.
    public init(
        _ code: Code, _ message: String, entityName: String? = nil, propertyName: String? = nil,
        objectID: ObjectID? = nil, conflicts: [MergeConflict] = [], faults: [ObjectStorageError] = []
    ) {
        self.code = code
        self.message = message
        self.entityName = entityName
        self.propertyName = propertyName
        self.objectID = objectID
        self.conflicts = conflicts
        self.faults = faults
    }
}

extension ObjectStorageError.Code {
    /// The store's location has no file, and no model was given to make one.
    public static let storeMissing = Self(rawValue: "storeMissing")
    /// The store's file was replaced, moved or deleted while it was open. Reading still works; saving is
    /// refused, because a save would write to a file that cannot be opened again.
    public static let storeReplaced = Self(rawValue: "storeReplaced")
    /// The store is read without locks, because SQLite cannot create files beside it, and another program
    /// changed it.
    public static let storeChanged = Self(rawValue: "storeChanged")
    /// External changes of the store are not detected, because the monitor's thread could not be started.
    public static let storeUnwatched = Self(rawValue: "storeUnwatched")
    /// Triggers are disabled on a connection that was passed in, so its writes could not be detected.
    public static let triggersDisabled = Self(rawValue: "triggersDisabled")
    /// A callback that runs during a save requested another save.
    public static let alreadySaving = Self(rawValue: "alreadySaving")
    /// The store's location is a directory.
    public static let storeIsDirectory = Self(rawValue: "storeIsDirectory")
    /// The file is not an SQLite database, or it is damaged.
    public static let notADatabase = Self(rawValue: "notADatabase")
    /// The file is an SQLite database of another application.
    public static let foreignStore = Self(rawValue: "foreignStore")
    /// The store has a newer format than this library reads.
    public static let newerFormat = Self(rawValue: "newerFormat")
    /// Another connection held the lock for longer than the busy timeout.
    public static let storeLocked = Self(rawValue: "storeLocked")
    /// Another process has a store of Core Data open, and would not notice the changes of a save.
    public static let storeInUse = Self(rawValue: "storeInUse")
    /// The store, or its directory, cannot be written.
    public static let storeReadOnly = Self(rawValue: "storeReadOnly")
    /// The disk is full.
    public static let diskFull = Self(rawValue: "diskFull")
    /// The model is inconsistent.
    public static let invalidModel = Self(rawValue: "invalidModel")
    /// The store was made with a newer version of an entity.
    public static let newerModel = Self(rawValue: "newerModel")
    /// The store was made with another version of an entity, and no rule describes how to migrate its data.
    public static let modelMismatch = Self(rawValue: "modelMismatch")
    /// No entity has this name.
    public static let unknownEntity = Self(rawValue: "unknownEntity")
    /// The entity has no property of this name.
    public static let unknownProperty = Self(rawValue: "unknownProperty")
    /// The key path leads through a property that cannot be followed, or ends in one that is not allowed
    /// there.
    public static let invalidKeyPath = Self(rawValue: "invalidKeyPath")
    /// The request is inconsistent.
    public static let invalidRequest = Self(rawValue: "invalidRequest")
    /// The text of a predicate does not conform to the format language, or its arguments do not match it.
    public static let invalidPredicate = Self(rawValue: "invalidPredicate")
    /// Matching a regular expression exceeded the limit of steps, or an expression read from a row exceeded
    /// the limit of length.
    public static let matchingTooLong = Self(rawValue: "matchingTooLong")
    /// A value has the wrong type, or is outside its type's range.
    public static let invalidValue = Self(rawValue: "invalidValue")
    /// A required value is missing.
    public static let missingValue = Self(rawValue: "missingValue")
    /// Two objects have the same value of a unique attribute.
    public static let duplicateValue = Self(rawValue: "duplicateValue")
    /// A constraint or a trigger of the database refused the change.
    public static let constraintViolation = Self(rawValue: "constraintViolation")
    /// An external table that an entity is mapped to is missing, or does not match the model.
    public static let existingTableMismatch = Self(rawValue: "existingTableMismatch")
    /// A delete rule refused the deletion.
    public static let deletionDenied = Self(rawValue: "deletionDenied")
    /// The object's row does not exist any more: it was deleted elsewhere.
    public static let objectMissing = Self(rawValue: "objectMissing")
    /// A results controller stopped following changes, because its delegate was released.
    public static let delegateReleased = Self(rawValue: "delegateReleased")
    /// The state to which a context is pinned can no longer be read.
    public static let generationLost = Self(rawValue: "generationLost")
    /// The row was changed elsewhere after the object was read.
    public static let conflict = Self(rawValue: "conflict")
    /// The object belongs to another context, or to none.
    public static let wrongContext = Self(rawValue: "wrongContext")
    /// Any other error that SQLite reported.
    public static let database = Self(rawValue: "database")
}

extension ObjectStorageError {
    /// Returns the error with the path of the store in its message, unless the message already contains it.
    package func naming(_ path: String) -> ObjectStorageError {
        message.contains(path) ? self : replacing(message: "“\(path)”: \(message)")
    }

    /// Returns the error with another message, and with an entity and an object if it names none. Its code,
    /// its cause and everything else are kept.
    package func replacing(
        message: String, entityName: String? = nil, objectID: ObjectID? = nil
    ) -> ObjectStorageError {
        var error = ObjectStorageError(
            code, message, entityName: self.entityName ?? entityName, propertyName: propertyName,
            objectID: self.objectID ?? objectID, conflicts: conflicts, faults: faults)
        error.underlying = underlying
        return error
    }
}

extension ObjectStorageError {
    /// The error for a pinned context whose read transaction SQLite ended.
    package static var generationLost: ObjectStorageError {
        ObjectStorageError(
            .generationLost,
            "The state that the context is pinned to is lost: SQLite ended its transaction after an earlier error. Set the query generation to .current."
        )
    }
}

extension ObjectStorageError.Code {
    /// Returns whether an error is an ``ObjectStorageError`` with a code, for `catch` clauses.
    ///
    /// ```swift
    /// do {
    ///     try context.save()
    /// } catch ObjectStorageError.Code.storeLocked {
    ///     retry()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - error: Any error.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? ObjectStorageError)?.code == code
    }
}

extension ObjectStorageError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
