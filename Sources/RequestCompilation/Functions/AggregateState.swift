import GRDBSQLite
import ObjectModel

/// The state of an SQL aggregate function: an object for each group, whose pointer SQLite stores.
package enum AggregateState {
    /// Returns the state of a running aggregation, which is created for the first row; nil if memory is
    /// short.
    package static func current<State: AnyObject>(of context: OpaquePointer, make: () -> State) -> State? {
        guard let storage = storage(of: context, size: MemoryLayout<UInt>.size) else { return nil }
        if let known = storage.pointee { return Unmanaged<State>.fromOpaque(known).takeUnretainedValue() }
        let state = make()
        storage.pointee = UnsafeRawPointer(Unmanaged.passRetained(state).toOpaque())
        return state
    }

    /// Returns and releases the state at the end; nil if the group had no rows. SQLite calls this once for
    /// each group, also if the statement is aborted, so the state is always released.
    package static func take<State: AnyObject>(_ type: State.Type, of context: OpaquePointer) -> State? {
        storage(of: context, size: 0)?.pointee.map { Unmanaged<State>.fromOpaque($0).takeRetainedValue() }
    }

    private static func storage(
        of context: OpaquePointer, size: Int
    ) -> UnsafeMutablePointer<UnsafeRawPointer?>? {
        sqlite3_aggregate_context(context, Int32(size))?.assumingMemoryBound(to: UnsafeRawPointer?.self)
    }
}
