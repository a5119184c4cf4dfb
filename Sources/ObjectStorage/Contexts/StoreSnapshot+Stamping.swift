extension ManagedObjectContext {
    /// Stamps tables that a program without this library changed, and runs `body` in the same transaction,
    /// with a snapshot of what a request reads. For a context that shows no unsaved changes to it.
    ///
    /// Where `body` has a result, another thread commits, so that the caller does not wait for the disk.
    /// Until then nobody else can write the store, so `body` must not take long. Where it has none, the
    /// tables are stamped when this returns.
    ///
    /// - Returns: What `body` returned, which is of use if the commit succeeds; nil if it returned nil.
    /// - Throws: ``ObjectStorageError`` if the store cannot be written now, or of `body`; then nothing is
    ///   stamped.
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
