import BenchmarkSupport
import Foundation

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
                Tools/build
                """)
        }
        self.sample = sample
        self.floor = floor
        importTool = path("library-import")
    }
}
