import Foundation
import Testing

/// Runs a shell script in a separate mount namespace, where it can mount small and read-only file systems.
/// They are unmounted when it ends.
enum MountSandbox {
    static let reason: Comment =
        "SKIPPED: this system does not let the tests mount a file system in a separate namespace (unshare -rm)."

    /// Whether this system permits mounts in a separate namespace.
    static let isAvailable: Bool = {
        do {
            let directory = try ScratchDirectory()
            return try run("mount -t tmpfs -o size=64k none \"$1\"", [directory.url.path]).status == 0
        } catch {
            return false
        }
    }()

    /// Runs a script with arguments.
    static func run(_ script: String, _ arguments: [String]) throws -> ToolRun {
        try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"),
            ["unshare", "-rm", "sh", "-euc", script, "sh"] + arguments, command: script)
    }
}
