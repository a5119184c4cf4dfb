package import ArgumentParser
package import Foundation
package import SectionedFetch

/// The command-line option of browser and inspector for the directory of caches.
package struct CacheDirectoryOptions: ParsableArguments {
    /// The program whose caches both tools use by default.
    package static let defaultProgram = "library-browser"

    /// The path of the directory, or nil for the default directory.
    @Option(
        help: ArgumentHelp(
            "The directory of the caches. [default: $XDG_CACHE_HOME/library-browser/section-caches, or the same below $HOME/.cache, or below $TMPDIR or /tmp]",
            valueName: "directory"), completion: .directory)
    package var cacheDirectory: String?

    /// Called by the argument parser.
    package init() {}

    /// The location of the directory.
    package var directory: URL {
        cacheDirectory.map(PathArgument.url)
            ?? SectionCacheStore.defaultDirectory(program: Self.defaultProgram)
    }

    /// The path of the directory if it does not exist; nil if it does.
    package var missingDirectory: String? {
        FileManager.default.fileExists(atPath: directory.path) ? nil : directory.path
    }

    /// Throws a `ValidationError` if the path is empty.
    package func validate() throws {
        if cacheDirectory?.isEmpty == true { throw ValidationError("--cache-directory must not be empty.") }
    }
}

/// The command-line option of the tools for opening a store.
package struct StoreOpeningOptions: ParsableArguments {
    /// The time to wait for another program's lock unless an option sets it, in seconds.
    package static let defaultBusyTimeout: Double = 5

    /// The longest time to wait for another program's lock, in seconds.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The longest time to wait for another program's lock.", valueName: "seconds"))
    package var busyTimeout: Double = StoreOpeningOptions.defaultBusyTimeout

    /// Called by the argument parser.
    package init() {}

    /// Throws a `ValidationError` if the time is not between 0 and 3,600 seconds.
    package func validate() throws { try Self.validate(busyTimeout) }

    /// Throws a `ValidationError` if a time is not between 0 and 3,600 seconds.
    ///
    /// - Parameter busyTimeout: The value of `--busy-timeout`, in seconds.
    package static func validate(_ busyTimeout: Double) throws {
        guard busyTimeout >= 0, busyTimeout <= 3_600 else {
            throw ValidationError("--busy-timeout \(busyTimeout) must be between 0 and 3600 seconds.")
        }
    }
}

extension CacheName {
    /// Reads a cache's name from the command line.
    ///
    /// - Throws: `ValidationError` if the argument is not a valid name.
    package init(argument: String) throws(ValidationError) {
        do {
            try self.init(argument)
        } catch {
            guard error.reason != .empty else {
                throw ValidationError("The name of the cache is empty. Pass a name.")
            }
            throw ValidationError(error.description)
        }
    }
}
