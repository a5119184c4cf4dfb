import Foundation
import Testing

/// The programs that `Tools/build` linked statically, which continuous integration builds before the tests.
enum ReleasedTool {
    static let names = ["library-import", "library-browser", "cache-inspector", "model-tool"]

    static let reason: Comment =
        "SKIPPED: the tools are not built for release and linked statically (Tools/build)."

    /// Whether the tools are there and need no library, loader or other file of the system.
    static let areStatic: Bool = names.allSatisfy { name in
        guard let contents = try? Data(contentsOf: url(name), options: .mappedIfSafe) else { return false }
        return !hasLoader(contents)
    }

    static func url(_ name: String) -> URL { RepositoryFile.url(".build/release/\(name)") }

    /// Returns whether a 64-bit ELF file has a program header that names a dynamic loader.
    private static func hasLoader(_ file: Data) -> Bool {
        func number<Integer: FixedWidthInteger>(_ offset: Int, as type: Integer.Type) -> Int {
            file.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset, as: type)) }
        }
        guard file.prefix(5) == Data([0x7F, 0x45, 0x4C, 0x46, 2]) else { return true }
        let (start, size, count) = (
            number(32, as: UInt64.self), number(54, as: UInt16.self), number(56, as: UInt16.self)
        )
        let interpreter = 3
        return (0..<count).contains { number(start + $0 * size, as: UInt32.self) == interpreter }
    }
}
