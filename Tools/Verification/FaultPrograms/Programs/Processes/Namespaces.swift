import Foundation

/// What this system lets us do with `unshare`.
enum Namespaces {
    /// In which a process may mount what it likes, and everything goes with it.
    static let mounting = ["unshare", "--user", "--map-root-user", "--mount", "--ipc"]

    /// - Throws: ``FaultSkipped`` where such a namespace cannot be made.
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

    /// Shows a directory at another path, where it can only be read.
    static func mountReadOnly(_ source: String, at path: String) throws {
        let (bind, remount, readOnly): (UInt, UInt, UInt) = (4_096, 32, 1)
        guard Foundation.mount(source, path, "none", bind, nil) == 0,
            Foundation.mount("none", path, "none", bind | remount | readOnly, nil) == 0
        else { throw FaultFinding("no read-only mount: \(String(cString: strerror(errno)))") }
    }

    /// Takes a file system away as soon as nobody uses it.
    static func unmount(_ path: String) { umount2(path, 2) }

    /// Tries again for some seconds what a process that was killed may hinder until the system has cleared it
    /// away.
    static func wait(_ body: () throws -> Void) throws {
        for _ in 0..<50 {
            do { return try body() } catch { usleep(100_000) }
        }
        try body()
    }
}
