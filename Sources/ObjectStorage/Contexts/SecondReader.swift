/// Another connection that sees the rows of a snapshot, for a second thread.
///
/// There is one while a transaction of ours that changes none of these rows keeps everybody else from
/// writing: what was committed last is then what both see.
package struct SecondReader: Sendable {
    let connection: ReadConnection

    /// Runs a closure in a transaction that reads. It must not take long: until it ends the store cannot be
    /// used on this connection for anything else.
    ///
    /// - Throws: `DatabaseError`, for instance if a lock stands in the way: that is not waited for.
    package func read(_ compiled: CompiledRows, _ body: (PlaceReader) -> Void) throws {
        try connection.readComputingAtOnce { source in
            // The snapshot is taken by the first statement that reads.
            try SQLiteStatement("SELECT 1 FROM main.sqlite_schema LIMIT 1", in: source).run()
            body(PlaceReader(compiled, in: source))
        }
    }
}
