extension ManagedObjectContext {
    /// Writes version stamps of tables that a foreign write made dirty, and runs `body` in the same
    /// transaction with a snapshot of the tables that a request reads. Only for a context that has no unsaved
    /// changes to these tables.
    ///
    /// If `body` returns a result, another thread commits, so that the caller does not wait for the disk. No
    /// other connection can write to the store until then, so `body` must be fast. If `body` returns nil, the
    /// tables are stamped when this method returns.
    ///
    /// - Returns: The result of `body`, which is valid only if the commit succeeds; nil if `body` returned
    ///   nil.
    /// - Throws: ``ObjectStorageError`` if the store cannot be written now, or if `body` throws; nothing is
    ///   stamped then.
    package func withStampedSnapshot<Result>(
        of request: RequestDescription, _ compiled: CompiledRequest, stamping tableNames: [String],
        _ body: (StoreSnapshot) throws -> Result?
    ) throws(ObjectStorageError) -> (result: Result, commit: DeferredCommit)? {
        let compiled = try compiled.current(request, model: container.model)
        return try ObjectStorageError.translating("Stamping the store") {
            try container.repairTracking(of: tableNames) { database in
                try body(StoreSnapshot(of: request, compiled, in: database, container))
            }
        }
    }
}
