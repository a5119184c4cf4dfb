package import ObjectModel

/// A request as SQL, with the values to bind and the tables that it reads.
package struct CompiledRequest {
    /// The statement.
    package let sql: String
    /// An equivalent statement in which no index can provide the order, so that SQLite sorts; nil where
    /// sorting would not help.
    package let sortingSQL: String?
    /// The values of `?1`, `?2`, ….
    package let arguments: [StoredValue]
    /// The names of the tables that the statement reads. A change to any other table cannot change its
    /// result.
    ///
    /// Sorted, each name once. An array, because the type of a set of strings would be instantiated at
    /// program start.
    package let tableNames: [String]
    /// The contents of the rows.
    package let columns: RequestColumns
    /// The objects in the predicate that had no row at compilation, and so equal no row. After their save the
    /// request must be compiled again.
    package let unsavedObjects: [ObjectID]
}

extension CompiledRequest {
    /// Whether the predicate contains an object that is still unsaved, so that its result does not depend on
    /// the store alone.
    package var namesUnsavedObjects: Bool { unsavedObjects.contains { $0.primaryKey == nil } }

    /// Returns this request, or a newly compiled one if objects of its predicate may have been saved since.
    package func current(
        _ request: RequestDescription, model: ManagedObjectModel
    ) throws(ObjectStorageError) -> CompiledRequest {
        guard !unsavedObjects.isEmpty else { return self }
        return try RequestCompiler.compile(request, model: model, columns: columns)
    }
}

/// The contents of a compiled request's rows.
package enum RequestColumns {
    /// The number of rows, as a single value.
    case count
    /// The primary key.
    case keys
    /// The primary key, then for an entity with sub-entities the name of the row's entity.
    case identities
    /// The primary key, the name of the row's entity as for ``identities``, then every column of the entity
    /// and its sub-entities.
    case objects
    /// The primary key, the value by which rows are grouped, then the value from which a group's name is
    /// made.
    case groups(key: KeyExpression, name: KeyExpression?)
    /// Selected values, without the primary key.
    case values(ValueColumns)
}
