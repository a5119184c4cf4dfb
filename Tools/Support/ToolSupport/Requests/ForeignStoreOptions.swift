package import ArgumentParser
import Foundation
package import SectionedFetch

/// The command-line options of browser and inspector for opening a store of unknown origin.
package struct ForeignStoreOptions: ParsableArguments {
    /// The sentence of `--help` about the trust in a store.
    package static let trust = """
        No store is trusted: its triggers and expression constraints are not run, nor its views unless an option names them, and \
        a statement that exceeds a limit (--max-seconds, --max-memory, --max-value-size, --max-section-key) is interrupted.
        """

    /// The default limit of SQLite's memory, in bytes.
    package static let standardMemory = 256 << 20

    @OptionGroup var opening: StoreOpeningOptions

    /// The limit of the processor time of one statement, in seconds.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The processor time that one statement on the store may take; 0 for no limit.",
            valueName: "seconds"))
    package var maxSeconds: Double = Self.standardLimits.statementSeconds

    /// The limit of SQLite's memory, and of the rows of one statement, in bytes.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The memory that SQLite may use for the store, and the size of the texts that one statement may return; 0 for no limit.",
            valueName: "bytes"))
    package var maxMemory: Int = Self.standardMemory

    /// The limit of the length of one value, in bytes.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The length of the longest text, blob or row that may be read from the store; 0 for no limit.",
            valueName: "bytes"))
    package var maxValueSize: Int = Self.standardLimits.valueByteCount

    /// The limit of the length of a section's key, in bytes.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The length of the longest key or name of a section; 0 for no limit.", valueName: "bytes"))
    package var maxSectionKey: Int = Self.standardLimits.sectionKeyByteCount

    /// Called by the argument parser.
    package init() {}

    /// Throws a `ValidationError` for a time out of range or a negative size.
    package func validate() throws {
        guard maxSeconds >= 0, maxSeconds <= 1e6 else {
            throw ValidationError("--max-seconds \(maxSeconds) must be between 0 and 1000000 seconds.")
        }
        let sizes = [
            ("--max-memory", maxMemory), ("--max-value-size", maxValueSize),
            ("--max-section-key", maxSectionKey),
        ]
        for (name, size) in sizes where size < 0 {
            throw ValidationError("\(name) \(size) must not be negative.")
        }
    }
}

extension ForeignStoreOptions {
    /// Opens an existing store for reading, and for stamping if the file is writable.
    ///
    /// A listing tool writes only to stamp tables that another program changed; without a stamp, their
    /// sections cannot be cached. Stamping runs no code of the file: see ``StoreOptions/firesNoTriggers``.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be opened.
    package func open(_ path: String) throws(ObjectStorageError) -> PersistentContainer {
        limitProcess()
        var options = StoreOptions(busyTimeout: opening.busyTimeout, limits: limits)
        options.firesNoTriggers = true
        do {
            return try open(path, options: options)
        } catch  where error.code == .storeReadOnly {
            options.isReadOnly = true
            return try open(path, options: options)
        }
    }

    /// Opens an existing store for inspection: checks the whole file first, and does not write to it.
    ///
    /// - Throws: ``ObjectStorageError``, including for a store with any damaged page.
    /// - Complexity: O(*n*) in the pages of the store.
    package func openToInspect(_ path: String) throws(ObjectStorageError) -> PersistentContainer {
        limitProcess()
        return try open(
            path,
            options: StoreOptions(busyTimeout: opening.busyTimeout, isUntrusted: true, limits: limits))
    }

    /// Returns the options for a store of another program, which is only read, and limits the process.
    ///
    /// - Parameter isUntrusted: Whether the whole file is checked first.
    package func readingOptions(isUntrusted: Bool) -> StoreOptions {
        limitProcess()
        var options = StoreOptions(
            isReadOnly: true, busyTimeout: opening.busyTimeout, isUntrusted: isUntrusted, limits: limits)
        options.firesNoTriggers = true
        return options
    }

    private func open(
        _ path: String, options: StoreOptions
    ) throws(ObjectStorageError) -> PersistentContainer {
        try checkPath(path)
        do throws(ObjectStorageError) {
            return try PersistentContainer(url: PathArgument.url(path), options: options)
        } catch  where error.code == .storeMissing {
            // The remedy of the library, a model for a new store, is not one of the tools that read stores.
            throw ObjectStorageError(
                .storeMissing, "There is no store in the file: it is an empty database. Check the path.")
        }
    }

    /// Checks that the path of a store leads to a file.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeMissing``, and the path as it was
    ///   given.
    func checkPath(_ path: String) throws(ObjectStorageError) {
        guard !path.isEmpty else {
            throw ObjectStorageError(
                .storeMissing, "The path of the store is empty. Pass the path of the store's file.")
        }
        guard access(path, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno) else {
            throw ObjectStorageError(.storeMissing, "There is no store at “\(path)”. Check the path.")
        }
    }

    /// The default limits of statements.
    package static let standardLimits = StoreLimits(
        statementSeconds: 30, statementByteCount: standardMemory, valueByteCount: 16 << 20,
        sectionKeyByteCount: 1 << 20)

    /// The limits of each statement.
    var limits: StoreLimits {
        func limit(_ number: Int) -> Int { number == 0 ? Int(Int32.max) : number }
        return StoreLimits(
            statementSeconds: maxSeconds == 0 ? .infinity : maxSeconds,
            statementByteCount: maxMemory == 0 ? .max : maxMemory, valueByteCount: limit(maxValueSize),
            sectionKeyByteCount: limit(maxSectionKey))
    }

    /// Limits the memory and the time of the process.
    func limitProcess() {
        StoreMemory.limit(to: maxMemory)
        if maxSeconds > 0 { StatementWatchdog.begin(seconds: maxSeconds) }
    }
}

extension ObjectStorageError {
    /// The message and, if a limit was exceeded, the option that raises it.
    package var messageWithOption: String {
        guard code == .limitExceeded else { return message }
        let options = [
            ("statementSeconds", "--max-seconds"), ("statementByteCount", "--max-memory"),
            ("valueByteCount", "--max-value-size"), ("sectionKeyByteCount", "--max-section-key"),
        ]
        let named = options.first { message.contains("(\($0.0))") }
        return "\(message) The option \(named?.1 ?? "--max-memory") raises the limit."
    }
}
