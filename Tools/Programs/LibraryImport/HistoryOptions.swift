import ArgumentParser
import SectionedFetch

/// The options of an import about its record in the store.
struct HistoryOptions: ParsableArguments {
    @Flag(
        help:
            "Keep no record of the import in the store: it is not in the history, cannot be undone, and its file is not recognized."
    )
    var noHistory = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The size of the undo data of all imports that the store keeps. Those of the oldest imports are dropped first; 0 keeps none.",
            valueName: "bytes"))
    var undoSpace = BatchWriter.undoDataLimit

    func validate() throws {
        if undoSpace < 0 { throw ValidationError("--undo-space \(undoSpace) must not be negative.") }
    }

    /// The size of the undo data that the store keeps, in bytes; nil if the import is not recorded.
    var limit: Int? { noHistory ? nil : undoSpace }
}
