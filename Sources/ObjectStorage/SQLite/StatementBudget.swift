import Foundation
import GRDB
import GRDBSQLite
import InternalUtilities
import Mutants
import Synchronization

/// Aborts statements of one connection that exceed ``StoreLimits``.
///
/// SQLite calls back when a statement begins, returns a row and ends (`sqlite3_trace_v2`), and after every
/// few virtual machine steps (`sqlite3_progress_handler`), so all statements are included, also GRDB's own.
/// The time is the processor time of the thread, so a busy machine or another program's lock does not reduce
/// it.
///
/// SAFETY: `state` is written by the thread that uses the connection; only one thread does so at a time.
final class StatementBudget: @unchecked Sendable {
    /// The usage of the running statement, including nested statements.
    private struct State {
        let nanoseconds: UInt64
        let byteLimit: Int64
        /// The number of statements that have begun and not ended.
        var depth = 0
        var bytes: Int64 = 0
        var thread = pthread_self()
        /// The start in processor time of `thread`.
        var start: UInt64 = 0
        /// The start by a clock that is faster to read and never behind processor time.
        var wallStart: UInt64 = 0
        var exceeded = Exceeded.nothing
    }

    /// The limit that the last statement exceeded.
    private enum Exceeded { case nothing, time, bytes }

    private let limits: StoreLimits
    private let state: UnsafeMutablePointer<State>
    private let connection: OpaquePointer?

    /// The number of virtual machine steps between two readings of the clock.
    private static let stepsBetweenLooks: CInt = 100

    /// Starts to limit a connection's statements. The budget must exist for as long as the connection is
    /// open.
    init(_ limits: StoreLimits, on connection: OpaquePointer?) {
        self.limits = limits
        self.connection = connection
        let isPlanted = Mutant.unlimitedStatements.isPlanted
        let nanoseconds = isPlanted ? 1e18 : min(max(limits.statementSeconds, 0) * 1e9, 1e18)
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(
                nanoseconds: UInt64(nanoseconds), byteLimit: Int64(max(0, limits.statementByteCount))))
        let entry = Registered(limits: limits, state: UInt(bitPattern: state))
        Self.registered.withLock { $0[UInt(bitPattern: connection)] = entry }
        if !isPlanted {
            sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(clamping: limits.valueByteCount))
        }
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW)
        sqlite3_trace_v2(connection, events, Self.trace, state)
        sqlite3_progress_handler(connection, Self.stepsBetweenLooks, Self.progress, state)
    }

    deinit {
        let entry = Registered(limits: limits, state: UInt(bitPattern: state))
        Self.registered.withLock { registered in
            // A connection that was opened later may have the same address.
            let address = UInt(bitPattern: connection)
            if registered[address] == entry { registered[address] = nil }
        }
        state.deallocate()
    }

    // MARK: Callbacks

    private static let trace:
        @convention(c) (UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?)
            -> Int32 = { event, context, statement, text in
                guard let state = context?.assumingMemoryBound(to: State.self) else { return 0 }
                let handle = statement.map { OpaquePointer($0) }
                switch event {
                case UInt32(SQLITE_TRACE_STMT):
                    // For a trigger that fires, the text is a comment with its name.
                    let start = text?.assumingMemoryBound(to: UInt8.self)
                    if start?[0] == 0x2D, start?[1] == 0x2D { return 0 }
                    if state.pointee.depth == 0 || !StatementBudget.isInside(handle) {
                        StatementBudget.begin(state)
                    }
                    state.pointee.depth += 1
                case UInt32(SQLITE_TRACE_ROW): StatementBudget.count(handle, state)
                default:
                    state.pointee.depth = max(0, state.pointee.depth - 1)
                }
                StatementPulse.beat(isRunning: state.pointee.depth > 0)
                return 0
            }

    private static let progress: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
        guard let state = context?.assumingMemoryBound(to: State.self) else { return 0 }
        StatementPulse.beat(isRunning: state.pointee.depth > 0)
        // Newer versions of SQLite also call back while a statement is compiled.
        guard state.pointee.depth > 0 else { return 0 }
        if StatementBudget.now(CLOCK_MONOTONIC) &- state.pointee.wallStart < state.pointee.nanoseconds {
            return 0
        }
        if pthread_equal(pthread_self(), state.pointee.thread) == 0 {
            // Several threads read the rows of one statement; their processor times are not comparable.
            StatementBudget.restartClocks(state)
            return 0
        }
        let used = StatementBudget.now(CLOCK_THREAD_CPUTIME_ID) &- state.pointee.start
        guard used >= state.pointee.nanoseconds else { return 0 }
        state.pointee.exceeded = .time
        return 1
    }

    private static func begin(_ state: UnsafeMutablePointer<State>) {
        state.pointee.depth = 0
        state.pointee.bytes = 0
        state.pointee.exceeded = .nothing
        restartClocks(state)
    }

    private static func restartClocks(_ state: UnsafeMutablePointer<State>) {
        state.pointee.thread = pthread_self()
        state.pointee.start = now(CLOCK_THREAD_CPUTIME_ID)
        state.pointee.wallStart = now(CLOCK_MONOTONIC)
    }

    /// Returns whether a statement that begins is nested in another one whose rows are being read.
    private static func isInside(_ beginning: OpaquePointer?) -> Bool {
        let connection = sqlite3_db_handle(beginning)
        var other = sqlite3_next_stmt(connection, nil)
        while let statement = other {
            if statement != beginning, sqlite3_stmt_busy(statement) != 0 { return true }
            other = sqlite3_next_stmt(connection, statement)
        }
        return false
    }

    /// Counts the texts and blobs of a row, and interrupts the statement before the next row if they exceed
    /// the limit.
    private static func count(_ handle: OpaquePointer?, _ state: UnsafeMutablePointer<State>) {
        for column in 0..<sqlite3_data_count(handle) {
            switch sqlite3_column_type(handle, column) {
            case SQLITE_TEXT, SQLITE_BLOB:
                state.pointee.bytes += Int64(sqlite3_column_bytes(handle, column))
            default: break
            }
        }
        guard state.pointee.bytes > state.pointee.byteLimit else { return }
        state.pointee.exceeded = .bytes
        sqlite3_interrupt(sqlite3_db_handle(handle))
    }

    private static func now(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    // MARK: By connection

    private struct Registered: Equatable {
        let limits: StoreLimits
        /// The address of the state, because a mutex cannot hold a pointer. The address is valid while it is
        /// registered.
        let state: UInt
    }

    private static let registered = Mutex<[UInt: Registered]>([:])

    /// Returns the limits of a connection's statements; nil for no limits.
    static func limits(of connection: OpaquePointer?) -> StoreLimits? {
        registered.withLock { $0[UInt(bitPattern: connection)]?.limits }
    }

    /// Installs the budget's progress handler again, after another handler replaced it. The caller keeps the
    /// connection open.
    static func watchProgress(on connection: OpaquePointer?) {
        let address = registered.withLock { $0[UInt(bitPattern: connection)]?.state }
        guard let state = address.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) else { return }
        sqlite3_progress_handler(connection, stepsBetweenLooks, progress, state)
    }

    /// Describes the limit that a statement of a connection exceeded; nil if it failed for another reason.
    /// The caller keeps the connection open.
    static func words(for code: ResultCode, on connection: OpaquePointer?) -> String? {
        guard [.SQLITE_INTERRUPT, .SQLITE_TOOBIG].contains(code.primaryResultCode),
            let entry = registered.withLock({ $0[UInt(bitPattern: connection)] })
        else { return nil }
        let limits = entry.limits
        if code.primaryResultCode == .SQLITE_TOOBIG {
            let count = limits.valueByteCount
            return "a value, a row or a statement is longer than \(count) bytes (valueByteCount)"
        }
        return switch UnsafePointer<State>(bitPattern: entry.state)?.pointee.exceeded {
        case .time: "it took more than \(limits.statementSeconds) s of processor time (statementSeconds)"
        case .bytes: "its rows have more than \(limits.statementByteCount) bytes (statementByteCount)"
        case .nothing, nil: nil
        }
    }
}

/// Progress information about statements on connections with ``StoreLimits``, for a watchdog that may be a
/// signal handler.
package enum StatementPulse {
    /// A number that changes after each row, and after some virtual machine steps.
    package static var beats: Int { beatCount.load(ordering: .relaxed) }
    /// Whether a statement is running.
    package static var isRunning: Bool { running.load(ordering: .relaxed) }

    private static let beatCount = Atomic<Int>(0)
    private static let running = Atomic<Bool>(false)

    fileprivate static func beat(isRunning: Bool) {
        beatCount.add(1, ordering: .relaxed)
        running.store(isRunning, ordering: .relaxed)
    }
}

extension StoreLimits {
    /// Checks that the key and the name of a section do not exceed the limit.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/limitExceeded``.
    func checkSection(_ statement: SQLiteStatement, columns: Range<Int>) throws(ObjectStorageError) {
        for column in columns {
            let count = statement.byteCount(column)
            guard count > sectionKeyByteCount, !Mutant.unlimitedStatements.isPlanted else { continue }
            throw ObjectStorageError(
                .limitExceeded,
                "The key of a section has \(count) bytes, more than the \(sectionKeyByteCount) that the store's limits allow (sectionKeyByteCount). Group by a shorter value, such as a first letter, or raise the limit if the store is trusted."
            )
        }
    }
}
