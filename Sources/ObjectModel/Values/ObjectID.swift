/// The identity of an object: its entity and its key in the store.
///
/// The entity is that of the object, not one from which it inherits. An identity with the name of a parent
/// entity also finds the object, and is not equal to the object's own identity.
///
/// An object that was inserted and not yet saved has a temporary identity, which its save, or
/// `obtainPermanentIDs(for:)` of its context, replaces by the permanent one. The two are not equal; the
/// temporary one leads to the object until the program ends, also in predicates. A key is never reused for
/// another object, even after a deletion; in an external table another program or SQLite may reuse it.
public struct ObjectID: Hashable, Sendable {
    /// The key of an object, without the entity.
    package enum Key: Hashable, Sendable {
        /// The primary key of a row, or the number of an unsaved object.
        case permanent(Int64)
        case temporary(UInt64)

        /// Creates a key from its ``parts``.
        package init(_ number: UInt64, isTemporary: Bool) {
            self = isTemporary ? .temporary(number) : .permanent(Int64(bitPattern: number))
        }

        /// Creates a key from a row that a child context reads: the unsaved objects of its parent are rows as
        /// well.
        package init(inChild key: Int64) {
            self =
                key < ObjectID.firstUnsavedKey
                ? .permanent(key) : .temporary(UInt64(key - ObjectID.firstUnsavedKey))
        }

        /// The key that represents an unsaved object in child contexts.
        package var unsavedKey: Int64 {
            switch self {
            case .permanent(let key): key
            case .temporary(let number): ObjectID.firstUnsavedKey + Int64(truncatingIfNeeded: number)
            }
        }

        /// The number, and whether it is temporary.
        package var parts: (number: UInt64, isTemporary: Bool) {
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

    /// Creates the identity of the row of `entityName` with this primary key.
    ///
    /// - Parameters:
    ///   - entityName: The name of the object's entity, or of one from which it inherits.
    ///   - primaryKey: The integer key of the row. The row need not exist.
    public init(entityName: String, primaryKey: Int64) {
        self.entityName = entityName
        form = .permanent(primaryKey)
    }

    /// Creates an identity with a key.
    ///
    /// - Parameter identities: The container's temporary identities; nil for a temporary key without a
    ///   container.
    package init(entityName: String, key: Key, of identities: TemporaryIdentities?) {
        self.entityName = entityName
        form =
            switch key {
            case .permanent(let key): .permanent(key)
            case .temporary(let number):
                .temporary(
                    identities?.identity(number) ?? TemporaryIdentity(number: number, of: nil))
            }
    }

    /// Creates the identity of the same row under the name of another entity.
    package init(_ objectID: ObjectID, ofEntityNamed entityName: String) {
        self.entityName = entityName
        form = objectID.form
    }

    /// Creates the identity from a row with the columns of ``EntityDescription/identityColumns(_:)``.
    package init?(_ row: [StoredValue], of entity: EntityDescription) {
        guard case .integer(let key)? = row.first else { return nil }
        self.init(entityName: row.count > 1 ? row[1].text ?? entity.name : entity.name, primaryKey: key)
    }

    /// The key without the entity. The key of a temporary identity stays temporary after the save.
    package var key: Key {
        switch form {
        case .permanent(let key): .permanent(key)
        case .temporary(let identity): .temporary(identity.number)
        }
    }

    /// The value of the column `objectID`, or of the key of an ``ExistingTable``; nil before the first save,
    /// unless the key was reserved.
    public var primaryKey: Int64? {
        switch form {
        case .permanent(let key): key
        case .temporary(let identity): identity.primaryKey
        }
    }

    /// The current identity of the object: the permanent one if it has been saved.
    package var current: ObjectID {
        primaryKey.map { ObjectID(entityName: entityName, primaryKey: $0) } ?? self
    }

    /// The key that represents an unsaved object in child contexts, larger than any key in a store. Child
    /// contexts read through a transaction in which the parent's new objects are rows with these keys.
    package var unsavedKey: Int64 { key.unsavedKey }

    /// The smallest key of an unsaved object.
    package static let firstUnsavedKey: Int64 = 1 << 62

    /// Whether the identity was given to a new object before it got a permanent one.
    public var isTemporary: Bool { if case .temporary = form { true } else { false } }
}

extension ObjectID {
    /// Returns whether two identities are equal. The keys, which usually differ, are compared first.
    ///
    /// - Parameters:
    ///   - first: An identity.
    ///   - second: Another identity.
    public static func == (first: ObjectID, second: ObjectID) -> Bool {
        first.key == second.key && first.entityName == second.entityName
    }

    /// Hashes the number of the key only, which is rarely the same for two objects of one entity.
    ///
    /// - Parameter hasher: The hasher, which receives the key.
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
