import ArgumentParser
import SectionedFetch
import ToolSupport

/// The command-line option of an import for its wait for other programs.
struct WaitingOptions: ParsableArguments {
    @Option(
        name: .customLong("busy-timeout"), parsing: .unconditional,
        help: ArgumentHelp(
            "The longest time to wait for another program's lock. If omitted, ten minutes for a turn to write, and otherwise 5 seconds.",
            valueName: "seconds"))
    private var time: Double?

    /// The time to wait for a lock, in seconds.
    var busyTimeout: Double { time ?? StoreOpeningOptions.defaultBusyTimeout }

    /// The time for which an import waits for its turn to write, besides ``busyTimeout``: ten minutes,
    /// because another import may hold the lock for all its rows; none if an option sets the time.
    var patience: Duration { time == nil ? .seconds(600) : .zero }

    /// Throws a `ValidationError` if the time is not between 0 and 3,600 seconds.
    func validate() throws {
        if let time { try StoreOpeningOptions.validate(time) }
    }
}
