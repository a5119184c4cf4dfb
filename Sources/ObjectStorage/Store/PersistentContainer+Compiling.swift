extension PersistentContainer {
    /// Compiles a request without running it, to determine what it would read, or its error.
    package func compile(
        _ request: RequestDescription, columns: RequestColumns
    ) throws(ObjectStorageError) -> CompiledRequest {
        try RequestCompiler.compile(request, model: model, columns: columns)
    }
}
