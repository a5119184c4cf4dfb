/// The identity of an object: its entity and its key in the store.
///
/// The entity is that of the object, not one that it inherits from. An identity that names a parent finds the
/// object as well, and is not equal to the object's own.
///
/// An object that was inserted and not yet saved has a temporary identity, which its save replaces by the
/// permanent one. The two are not equal; whoever holds the temporary one is led to the object by it as long
/// as the program runs, also in predicates. A key is never given to another object again, also after a
/// deletion; that of somebody else's table may be, by its owner or by SQLite.
public struct ObjectID: Hashable, Sendable {
    enum Key: Hashable, Sendable {
        case permanent(Int64)
        case temporary(UInt64)

        /// Puts together what ``parts`` took apart.
        init(_ number: UInt64, isTemporary: Bool) {
            self = isTemporary ? .temporary(number) : .permanent(Int64(bitPattern: number))
        }

        /// The key of a row as a child context reads it: the unsaved objects of its parent are rows as well.
        init(inChild key: Int64) {
            self =
                key < ObjectID.firstUnsavedKey
                ? .permanent(key) : .temporary(UInt64(key - ObjectID.firstUnsavedKey))
        }

        /// The key that stands for an unsaved object in child contexts.
        var unsavedKey: Int64 {
            switch self {
            case .permanent(let key): key
            case .temporary(let number): ObjectID.firstUnsavedKey + Int64(truncatingIfNeeded: number)
            }
        }

        /// The number, and what it is.
        var parts: (number: UInt64, isTemporary: Bool) {
            switch self {
            case .permanent(let key): (UInt64(bitPattern: key), false)
            case .temporary(let number): (number, true)
            }
        }
    }

    /// The name of the object's entity.
    public let entityName: String
    private let form: Form

    private enum Form: Sendable {
        case permanent(Int64)
        case temporary(TemporaryIdentity)
    }

    /// The identity of the row of `entityName` with this primary key.
    public init(entityName: String, primaryKey: Int64) {
        self.entityName = entityName
        form = .permanent(primaryKey)
    }

    /// The identity with a key.
    ///
    /// - Parameter identities: Those of the container; nil for a temporary key that belongs to none.
    init(entityName: String, key: Key, of identities: TemporaryIdentities?) {
        self.entityName = entityName
        form =
            switch key {
            case .permanent(let key): .permanent(key)
            case .temporary(let number):
                .temporary(
                    identities?.identity(number) ?? TemporaryIdentity(number: number, of: nil))
            }
    }

    /// The identity of the same row under the name of another entity.
    init(_ objectID: ObjectID, ofEntityNamed entityName: String) {
        self.entityName = entityName
        form = objectID.form
    }

    /// The identity of a row of ``EntityDescription/identityColumns(_:)``.
    init?(_ row: [StoredValue], of entity: EntityDescription) {
        guard case .integer(let key)? = row.first else { return nil }
        self.init(entityName: row.count > 1 ? row[1].text ?? entity.name : entity.name, primaryKey: key)
    }

    /// The key without the entity. That of a temporary identity stays what it is.
    var key: Key {
        switch form {
        case .permanent(let key): .permanent(key)
        case .temporary(let identity): .temporary(identity.number)
        }
    }

    /// The value of the column `objectID`, or of the key of an ``ExistingTable``; nil before the first save.
    public var primaryKey: Int64? {
        switch form {
        case .permanent(let key): key
        case .temporary(let identity): identity.primaryKey
        }
    }

    /// The identity that the object has by now: the permanent one if it was saved since.
    var current: ObjectID {
        primaryKey.map { ObjectID(entityName: entityName, primaryKey: $0) } ?? self
    }

    /// The key that stands for an unsaved object in child contexts, above all that a store gives. They read
    /// through a transaction in which the parent's new objects are rows with these keys.
    package var unsavedKey: Int64 { key.unsavedKey }

    /// The least of those keys.
    package static let firstUnsavedKey: Int64 = 1 << 62

    /// Whether the identity is one that the object had before its first save.
    public var isTemporary: Bool { if case .temporary = form { true } else { false } }
}

extension ObjectID {
    /// Compares the keys first, which mostly differ.
    public static func == (first: ObjectID, second: ObjectID) -> Bool {
        first.key == second.key && first.entityName == second.entityName
    }

    /// Hashes the key alone: few entities have an object with the same.
    public func hash(into hasher: inout Hasher) { hasher.combine(key.parts.number) }
}

extension ObjectID: CustomStringConvertible {
    /// `Artwork/17`, or `Artwork/new 3` before the first save.
    public var description: String {
        switch key {
        case .permanent(let key): "\(entityName)/\(key)"
        case .temporary(let number): "\(entityName)/new \(number)"
        }
    }
}
