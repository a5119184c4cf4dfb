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
