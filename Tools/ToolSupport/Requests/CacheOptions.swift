package import ArgumentParser
package import Foundation
package import SectionedFetch

/// Where caches are, as browser and inspector take it from the command line.
package struct CacheDirectoryOptions: ParsableArguments {
    /// The program whose caches both tools use unless told otherwise.
    package static let defaultProgram = "library-browser"

    /// The directory.
    @Option(
        help: ArgumentHelp(
            "The directory of the caches. [default: $XDG_CACHE_HOME/library-browser/section-caches, else below ~/.cache]",
            valueName: "directory"))
    package var cacheDirectory: String?

    /// Called by the argument parser.
    package init() {}

    /// The directory's place.
    package var directory: URL {
        cacheDirectory.map(PathArgument.url)
            ?? SectionCacheStore.defaultDirectory(program: Self.defaultProgram)
    }

    /// Refuses what cannot be a path.
    package func validate() throws {
        if cacheDirectory?.isEmpty == true { throw ValidationError("--cache-directory must not be empty.") }
    }
}

/// How a store is opened, as browser and inspector take it from the command line.
package struct StoreOpeningOptions: ParsableArguments {
    /// How long to wait for another program's lock.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to wait for another program's lock.", valueName: "seconds"))
    package var busyTimeout: Double = 5

    /// The processor time of one statement.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The processor time that one statement on the store may take; 0 for any.", valueName: "seconds"))
    package var maxSeconds: Double = 30

    /// The bytes that SQLite may have in memory, and that the rows of one statement may have.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The memory that SQLite may use for the store, and the bytes of the texts that one statement may give; 0 for any.",
            valueName: "bytes"))
    package var maxMemory: Int = 256 << 20

    /// The bytes of one value.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The length of the longest text, blob or row that is read of the store; 0 for any.",
            valueName: "bytes"))
    package var maxValueSize: Int = 16 << 20

    /// The bytes of the key of a section.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The length of the longest key, or name, of a section; 0 for any.", valueName: "bytes"))
    package var maxSectionKey: Int = 1 << 20

    /// Called by the argument parser.
    package init() {}

    /// Refuses what is no time, and no number of bytes.
    package func validate() throws {
        guard busyTimeout >= 0, busyTimeout <= 3_600 else {
            throw ValidationError("--busy-timeout \(busyTimeout) must be between 0 and 3600 seconds.")
        }
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

    /// Opens a store that is there and may be anybody's, for reading, and for sealing where that is allowed.
    ///
    /// A tool that lists needs to write for one thing: to seal tables that a program without this library
    /// changed, without which nothing of them can be cached. Nothing of the file is run meanwhile: see
    /// ``StoreOptions/isSealedAlone``.
    ///
    /// - Throws: ``ObjectStorageError`` if it cannot be opened at all.
    package func open(_ path: String) throws(ObjectStorageError) -> PersistentContainer {
        limitProcess()
        var options = StoreOptions(busyTimeout: busyTimeout, limits: limits)
        options.isSealedAlone = true
        do {
            return try open(path, options: options)
        } catch  where error.code == .storeReadOnly {
            options.isReadOnly = true
            return try open(path, options: options)
        }
    }
}

extension StoreOpeningOptions {
    /// The sentence of `--help` about what of a store is trusted.
    package static let trust = """
        No store is trusted: nothing that is in it is run (triggers, views, constraints that are expressions), and a statement \
        that exceeds a limit (--max-seconds, --max-memory, --max-value-size, --max-section-key) is broken off.
        """

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

    /// Opens a store that is there and may be anybody's, to be looked at: nothing of it is changed, and what
    /// it says is not trusted.
    ///
    /// - Throws: ``ObjectStorageError``, also for a store of which any page is damaged.
    /// - Complexity: O(*n*) in the pages of the store, which are all checked.
    package func openToInspect(_ path: String) throws(ObjectStorageError) -> PersistentContainer {
        limitProcess()
        return try open(
            path, options: StoreOptions(busyTimeout: busyTimeout, isUntrusted: true, limits: limits))
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
}

extension CacheName {
    /// Reads a cache's name from the command line.
    ///
    /// - Throws: `ValidationError` if it cannot be one.
    package init(argument: String) throws(ValidationError) {
        do {
            try self.init(argument)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
