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

    /// Called by the argument parser.
    package init() {}

    /// Refuses what is no time.
    package func validate() throws {
        guard busyTimeout >= 0, busyTimeout <= 3_600 else {
            throw ValidationError("--busy-timeout \(busyTimeout) must be between 0 and 3600 seconds.")
        }
    }

    /// Opens a store that is there, for reading and writing where that is allowed and else for reading.
    ///
    /// A tool that only looks needs to write for one thing: to seal tables that a program without this
    /// library changed, without which nothing of them can be cached.
    ///
    /// - Throws: ``ObjectStorageError`` if it cannot be opened at all.
    package func open(_ path: String) throws(ObjectStorageError) -> PersistentContainer {
        do {
            return try open(path, options: StoreOptions(busyTimeout: busyTimeout))
        } catch  where error.code == .storeReadOnly {
            return try open(path, options: StoreOptions(isReadOnly: true, busyTimeout: busyTimeout))
        }
    }
}

extension StoreOpeningOptions {
    /// The memory that SQLite may use for a store of others, in bytes.
    private static let inspectionMemory = 64 << 20

    /// Opens a store that is there and may be anybody's, to be looked at: nothing of it is changed, and what
    /// it says is not trusted.
    ///
    /// - Throws: ``ObjectStorageError``, also for a store of which any page is damaged.
    /// - Complexity: O(*n*) in the pages of the store, which are all checked.
    package func openToInspect(_ path: String) throws(ObjectStorageError) -> PersistentContainer {
        StoreMemory.limit(to: Self.inspectionMemory)
        return try open(path, options: StoreOptions(busyTimeout: busyTimeout, isUntrusted: true))
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
