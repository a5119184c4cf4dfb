import BenchmarkSupport
import Foundation

/// The measured programs, which are in this program's directory.
struct Programs {
    /// The program that takes one sample of the library or of an alternative.
    let sample: String
    /// The C program, which takes one sample.
    let floor: String
    /// The import tool; nil if it is not built.
    let importTool: String?

    init() throws {
        guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else {
            throw BenchmarkError("The path of this program is unknown.")
        }
        func path(_ name: String) -> String? {
            let path = own.deletingLastPathComponent().appending(path: name).path
            return FileManager.default.isExecutableFile(atPath: path) ? path : nil
        }
        guard let sample = path("cold-start-sample"), let floor = path("cold-start-floor") else {
            throw BenchmarkError(
                """
                “cold-start-sample” and “cold-start-floor” are not in this program's directory. Build all programs: \
                Tools/build
                """)
        }
        self.sample = sample
        self.floor = floor
        importTool = path("library-import")
    }
}
