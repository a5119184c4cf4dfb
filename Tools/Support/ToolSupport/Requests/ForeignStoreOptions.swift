package import ArgumentParser
import Foundation
package import SectionedFetch

/// How browser and inspector open a store of unknown origin, as they take it from the command line.
package struct ForeignStoreOptions: ParsableArguments {
    /// The sentence of `--help` about how far a store is trusted.
    package static let trust = """
        No store is trusted: nothing that is in it is run (triggers, views, constraints that are expressions), and a statement \
        that exceeds a limit (--max-seconds, --max-memory, --max-value-size, --max-section-key) is broken off.
        """

    /// The bytes that SQLite may have in memory where nothing else is said.
    package static let standardMemory = 256 << 20

    @OptionGroup var opening: StoreOpeningOptions

    /// The processor time of one statement.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The processor time that one statement on the store may take; 0 for any.", valueName: "seconds"))
    package var maxSeconds: Double = Self.standardLimits.statementSeconds

    /// The bytes that SQLite may have in memory, and that the rows of one statement may have.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The memory that SQLite may use for the store, and the bytes of the texts that one statement may give; 0 for any.",
            valueName: "bytes"))
    package var maxMemory: Int = Self.standardMemory

    /// The bytes of one value.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The length of the longest text, blob or row that is read of the store; 0 for any.",
            valueName: "bytes"))
    package var maxValueSize: Int = Self.standardLimits.valueByteCount

    /// The bytes of the key of a section.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The length of the longest key, or name, of a section; 0 for any.", valueName: "bytes"))
    package var maxSectionKey: Int = Self.standardLimits.sectionKeyByteCount

    /// Called by the argument parser.
    package init() {}

    /// Refuses what is no time, and no number of bytes.
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
    /// Opens a store that is there, for reading, and for stamping where that is allowed.
    ///
    /// A tool that lists needs to write for one thing: to stamp tables that a program without this library
    /// changed, without which nothing of them can be cached. Nothing of the file is run meanwhile: see
    /// ``StoreOptions/isStampedAlone``.
    ///
    /// - Throws: ``ObjectStorageError`` if it cannot be opened at all.
    package func open(_ path: String) throws(ObjectStorageError) -> PersistentContainer {
        limitProcess()
        var options = StoreOptions(busyTimeout: opening.busyTimeout, limits: limits)
        options.isStampedAlone = true
        do {
            return try open(path, options: options)
        } catch  where error.code == .storeReadOnly {
            options.isReadOnly = true
            return try open(path, options: options)
        }
    }

    /// Opens a store that is there to be looked at: all of its file is checked first, and nothing is changed.
    ///
    /// - Throws: ``ObjectStorageError``, also for a store of which any page is damaged.
    /// - Complexity: O(*n*) in the pages of the store, which are all checked.
    package func openToInspect(_ path: String) throws(ObjectStorageError) -> PersistentContainer {
        limitProcess()
        return try open(
            path,
            options: StoreOptions(busyTimeout: opening.busyTimeout, isUntrusted: true, limits: limits))
    }

    private func open(
        _ path: String, options: StoreOptions
    ) throws(ObjectStorageError) -> PersistentContainer {
        guard !path.isEmpty else {
            throw ObjectStorageError(
                .storeMissing, "The path of the store is empty. Give the path of the store's file.")
        }
        do {
            return try PersistentContainer(url: PathArgument.url(path), options: options)
        } catch  where error.code == .storeMissing && access(path, F_OK) != 0 {
            throw ObjectStorageError(.storeMissing, "There is no store at “\(path)”. Check the path.")
        }
    }

    /// The limits of statements where nothing else is said.
    package static let standardLimits = StoreLimits(
        statementSeconds: 30, statementByteCount: standardMemory, valueByteCount: 16 << 20,
        sectionKeyByteCount: 1 << 20)

    private var limits: StoreLimits {
        func limit(_ number: Int) -> Int { number == 0 ? Int(Int32.max) : number }
        return StoreLimits(
            statementSeconds: maxSeconds == 0 ? .infinity : maxSeconds,
            statementByteCount: maxMemory == 0 ? .max : maxMemory, valueByteCount: limit(maxValueSize),
            sectionKeyByteCount: limit(maxSectionKey))
    }

    private func limitProcess() {
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
        return "\(message) The option \(named?.1 ?? "--max-memory") raises it."
    }
}
