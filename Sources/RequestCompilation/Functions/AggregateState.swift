import GRDBSQLite

/// What an aggregate function of ours knows of the rows so far: an object that SQLite keeps a pointer to, one
/// for each group.
enum AggregateState {
    /// The state of a function in progress, made for the first row.
    static func current<State: AnyObject>(of context: OpaquePointer, make: () -> State) -> State? {
        guard let place = place(of: context, size: MemoryLayout<UInt>.size) else { return nil }
        if let known = place.pointee { return Unmanaged<State>.fromOpaque(known).takeUnretainedValue() }
        let state = make()
        place.pointee = UnsafeRawPointer(Unmanaged.passRetained(state).toOpaque())
        return state
    }

    /// The state at the end; nil if there were no rows. SQLite asks once for each group, also when the
    /// statement was given up, so the state is always released.
    static func take<State: AnyObject>(_ type: State.Type, of context: OpaquePointer) -> State? {
        place(of: context, size: 0)?.pointee.map { Unmanaged<State>.fromOpaque($0).takeRetainedValue() }
    }

    private static func place(
        of context: OpaquePointer, size: Int
    ) -> UnsafeMutablePointer<UnsafeRawPointer?>? {
        sqlite3_aggregate_context(context, Int32(size))?.assumingMemoryBound(to: UnsafeRawPointer?.self)
    }
}
