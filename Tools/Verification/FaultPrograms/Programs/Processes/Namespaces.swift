import Foundation

/// The namespaces that this system creates with `unshare`.
enum Namespaces {
    /// The command for a namespace in which a process may mount file systems, which are unmounted at its end.
    static let mounting = ["unshare", "--user", "--map-root-user", "--mount", "--ipc"]

    /// Checks that a command for a namespace works.
    ///
    /// - Throws: ``FaultSkipped`` if it does not.
    static func require(_ launcher: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = launcher + ["true"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw FaultSkipped("this system does not allow \(launcher.joined(separator: " "))")
        }
    }

    /// Mounts a file system.
    static func mount(_ kind: String, at path: String, options: String = "") throws {
        guard Foundation.mount("none", path, kind, 0, options) == 0 else {
            throw FaultFinding("\(kind) cannot be mounted: \(String(cString: strerror(errno)))")
        }
    }

    /// Mounts a directory read-only at another path.
    static func mountReadOnly(_ source: String, at path: String) throws {
        let (bind, remount, readOnly): (UInt, UInt, UInt) = (4_096, 32, 1)
        guard Foundation.mount(source, path, "none", bind, nil) == 0,
            Foundation.mount("none", path, "none", bind | remount | readOnly, nil) == 0
        else { throw FaultFinding("cannot mount read-only: \(String(cString: strerror(errno)))") }
    }

    /// Unmounts a file system as soon as it is unused.
    static func unmount(_ path: String) { umount2(path, 2) }

    /// Runs a check again for up to five seconds, because a killed process can make it fail until the system
    /// has released the process's resources.
    static func wait(_ body: () throws -> Void) throws {
        for _ in 0..<50 {
            do { return try body() } catch { usleep(100_000) }
        }
        try body()
    }
}
