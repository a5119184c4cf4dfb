import Foundation

/// The directory that holds the stores.
struct WorkFolder {
    let url: URL
    private let isTemporary: Bool

    /// Makes the directory if it is not there.
    ///
    /// - Parameters:
    ///   - path: The directory, or nil for a new one that is temporary.
    ///   - isKept: Whether a temporary directory stays.
    init(path: String?, isKept: Bool) throws {
        isTemporary = path == nil && !isKept
        url =
            path.map { URL(filePath: $0) }
            ?? FileManager.default.temporaryDirectory
            .appending(path: "cold-start-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func removeIfTemporary() {
        guard isTemporary else { return }
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Progress.note("“\(url.path)” could not be removed: \(error.localizedDescription)")
        }
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Removes a file or directory, if it is there.
    func remove(_ name: String) throws {
        if exists(name) { try FileManager.default.removeItem(atPath: path(name)) }
    }

    /// Removes a database with what SQLite keeps beside it.
    func removeDatabase(_ name: String) throws {
        for ending in ["", "-wal", "-shm", "-journal"] { try remove(name + ending) }
    }
}

/// The programs that are measured, found beside this one.
struct Programs {
    /// One sample of ours, or of what a developer would otherwise write.
    let sample: String
    /// One sample of the C program.
    let floor: String
    /// The import tool; nil if it was not built.
    let importTool: String?

    init() throws {
        guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else {
            throw BenchmarkError("This program cannot tell where it is.")
        }
        func path(_ name: String) -> String? {
            let path = own.deletingLastPathComponent().appending(path: name).path
            return FileManager.default.isExecutableFile(atPath: path) ? path : nil
        }
        guard let sample = path("cold-start-sample"), let floor = path("cold-start-floor") else {
            throw BenchmarkError(
                """
                “cold-start-sample” and “cold-start-floor” are not beside this program. Build all of them: \
                swift build -c release --static-swift-stdlib
                """)
        }
        self.sample = sample
        self.floor = floor
        importTool = path("library-import")
    }
}
