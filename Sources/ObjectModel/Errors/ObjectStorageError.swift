/// Why the data store could not do what was asked: what went wrong, where, and what to do about it.
///
/// ``Code`` is an open set, so that a program compiled today survives the codes of tomorrow.
public struct ObjectStorageError: Error, Hashable, Sendable {
    /// The kind of a failure, to branch on. Compare with the constants; other values may appear later.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the kind, stable between versions.
        public let rawValue: String

        /// Makes a code of a name, for instance one read from a log.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of the failure.
    public let code: Code
    /// One or two sentences for people: what, where, and the remedy.
    public let message: String
    /// The entity concerned, if one was.
    public let entityName: String?
    /// The attribute or relationship concerned, if one was.
    public let propertyName: String?
    /// The object concerned, if one was.
    public let objectID: ObjectID?
    /// With ``Code/conflict``, every object that a save found changed or deleted elsewhere; else empty.
    public let conflicts: [MergeConflict]
    /// All faults that a save found, each with its entity, property and object, where there are several; else
    /// empty. The other properties are those of the first.
    public let faults: [ObjectStorageError]

    /// Makes an error of its parts.
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
    /// No file at the store's place, and no model to make one with.
    public static let storeMissing = Self(rawValue: "storeMissing")
    /// The store's file was replaced, moved or deleted while it was open. It is read still, and nothing is
    /// saved, because nobody would find it.
    public static let storeReplaced = Self(rawValue: "storeReplaced")
    /// A store that is read without locks, because SQLite can make no file beside it, was changed by another
    /// program.
    public static let storeChanged = Self(rawValue: "storeChanged")
    /// What other programs change in the store is not noticed, because there is no thread to be had that
    /// looks for it.
    public static let storeUnwatched = Self(rawValue: "storeUnwatched")
    /// Triggers are switched off on a connection that was handed over, so nobody would notice what it writes.
    public static let triggersDisabled = Self(rawValue: "triggersDisabled")
    /// An object that is told of a save asks for another one.
    public static let alreadySaving = Self(rawValue: "alreadySaving")
    /// The store's place is a directory.
    public static let storeIsDirectory = Self(rawValue: "storeIsDirectory")
    /// The file is not an SQLite database, or a damaged one.
    public static let notADatabase = Self(rawValue: "notADatabase")
    /// An SQLite database that some other application made.
    public static let foreignStore = Self(rawValue: "foreignStore")
    /// A store of a newer format than this library reads.
    public static let newerFormat = Self(rawValue: "newerFormat")
    /// Another connection holds the lock for longer than the busy time-out.
    public static let storeLocked = Self(rawValue: "storeLocked")
    /// The store, or its directory, cannot be written.
    public static let storeReadOnly = Self(rawValue: "storeReadOnly")
    /// The disk is full.
    public static let diskFull = Self(rawValue: "diskFull")
    /// The model contradicts itself.
    public static let invalidModel = Self(rawValue: "invalidModel")
    /// The store was made with a newer version of an entity.
    public static let newerModel = Self(rawValue: "newerModel")
    /// The store was made with another version of an entity, and nothing says how to bring its data into this
    /// one.
    public static let modelMismatch = Self(rawValue: "modelMismatch")
    /// No entity has this name.
    public static let unknownEntity = Self(rawValue: "unknownEntity")
    /// The entity has no property of this name.
    public static let unknownProperty = Self(rawValue: "unknownProperty")
    /// The key path leads through something that cannot be followed, or ends where it may not.
    public static let invalidKeyPath = Self(rawValue: "invalidKeyPath")
    /// The request contradicts itself.
    public static let invalidRequest = Self(rawValue: "invalidRequest")
    /// The text of a predicate does not follow the format language, or its arguments do not fit it.
    public static let invalidPredicate = Self(rawValue: "invalidPredicate")
    /// A regular expression that took more steps than are allowed, or one of a row that is longer than
    /// allowed.
    public static let matchingTooLong = Self(rawValue: "matchingTooLong")
    /// A value of the wrong type, or outside its type's range.
    public static let invalidValue = Self(rawValue: "invalidValue")
    /// A value that must be there is missing.
    public static let missingValue = Self(rawValue: "missingValue")
    /// Two objects with the same value of a unique attribute.
    public static let duplicateValue = Self(rawValue: "duplicateValue")
    /// A rule of the database refuses the change: a constraint or a trigger.
    public static let constraintViolation = Self(rawValue: "constraintViolation")
    /// A table that an entity is mapped on is not there, or not as the model says.
    public static let existingTableMismatch = Self(rawValue: "existingTableMismatch")
    /// A delete rule forbids the deletion.
    public static let deletionDenied = Self(rawValue: "deletionDenied")
    /// The object's row is gone: deleted elsewhere.
    public static let objectMissing = Self(rawValue: "objectMissing")
    /// The rows of some results were in a cache that is gone, and the data changed since.
    public static let rowsLost = Self(rawValue: "rowsLost")
    /// A results controller does not follow changes any more, because its delegate was released.
    public static let delegateReleased = Self(rawValue: "delegateReleased")
    /// The state that a context is pinned to can no longer be read.
    public static let generationLost = Self(rawValue: "generationLost")
    /// The row changed elsewhere since the object was read.
    public static let conflict = Self(rawValue: "conflict")
    /// The object belongs to another context, or to none.
    public static let wrongContext = Self(rawValue: "wrongContext")
    /// Whatever else SQLite reported.
    public static let database = Self(rawValue: "database")
}

extension ObjectStorageError {
    /// The same error with the path of the store in its message, if it is not there yet.
    func naming(_ path: String) -> ObjectStorageError {
        guard !message.contains(path) else { return self }
        return ObjectStorageError(
            code, "“\(path)”: \(message)", entityName: entityName, propertyName: propertyName,
            objectID: objectID, conflicts: conflicts, faults: faults)
    }
}

extension ObjectStorageError {
    /// The error of a held state whose transaction SQLite has ended.
    static var generationLost: ObjectStorageError {
        ObjectStorageError(
            .generationLost,
            "The state that the context is pinned to is lost: SQLite ended its transaction after an earlier error. Set the query generation to .current."
        )
    }
}

extension ObjectStorageError: CustomStringConvertible {
    /// The message, which already names what, where and the remedy.
    public var description: String { message }
}
