/// A request as SQL with the values to bind, and what it reads.
package struct CompiledRequest {
    /// The statement.
    package let sql: String
    /// The same statement in other words, in which no index can give the order, so that SQLite sorts; nil
    /// where that would not help.
    package let sortingSQL: String?
    /// The values of `?1`, `?2`, ….
    package let arguments: [StoredValue]
    /// The tables that it reads. A change to any other table cannot change its answer.
    ///
    /// In order, each once. An array, because a set of strings would have its type made when a program
    /// starts.
    package let tableNames: [String]
    /// What the rows hold.
    let columns: RequestColumns
    /// The objects of the predicate that had no row then, and equal none. After their save the request says
    /// something else.
    let unsavedObjects: [ObjectID]
}

extension CompiledRequest {
    /// Whether the predicate names an object that was not saved yet, so that its answer is not about the
    /// store alone.
    package var namesUnsavedObjects: Bool { unsavedObjects.contains { $0.primaryKey == nil } }

    /// The same, or the request compiled again where objects of it may have been saved since.
    func current(
        _ request: RequestDescription, model: ManagedObjectModel
    ) throws(ObjectStorageError) -> CompiledRequest {
        guard !unsavedObjects.isEmpty else { return self }
        return try RequestCompiler.compile(request, model: model, columns: columns)
    }
}

/// What the rows of a compiled request hold.
package enum RequestColumns {
    /// The number of rows alone.
    case count
    /// The primary key.
    case keys
    /// The primary key, then for an entity with sub-entities the name of the row's entity.
    case identities
    /// The same, then every column of the entity and its sub-entities.
    case objects
    /// The primary key, then the value by which rows are grouped, then the value that names a group.
    case groups(key: KeyExpression, name: KeyExpression?)
    /// Chosen values, without the primary key.
    case values(ValueColumns)
}
