import Foundation
import CheckSupport

/// A small file system that can be filled up.
enum FaultDisk {
    /// A file system in memory, which every user may mount in a separate namespace.
    case memory(kibibytes: Int)
    /// A copy-on-write file system in a file. A change needs free space, because it is written to a new
    /// location.
    case copying(Copying)

    enum Copying: CaseIterable {
        /// btrfs with separate data and metadata, its default.
        case apart
        /// btrfs with both mixed, as is usual on small media.
        case mixed
        /// The first kind with a quota far below its size.
        case quota
    }

    /// Whether the file system has room for all saves of a trial.
    var isLarge: Bool {
        if case .memory(let kibibytes) = self { kibibytes >= 1_024 } else { true }
    }

    static func random(using generator: inout SeededGenerator) -> FaultDisk {
        .memory(
            kibibytes: [8, 12, 16, 20, 28, 40, 64, 1_024, 1_024, 1_024].randomElement(using: &generator) ?? 8)
    }

    /// The command that starts a process with copy-on-write file systems, in a namespace that only root can
    /// create.
    static let copyingLauncher = ["unshare", "--mount", "--ipc"]

    /// Checks that this system can create and mount a copy-on-write file system.
    ///
    /// - Throws: ``FaultSkipped`` if it cannot.
    static func requireCopying(in folder: URL) throws {
        guard geteuid() == 0 else { throw FaultSkipped("only root can mount btrfs") }
        let image = folder.appending(path: "trial.image")
        defer { unlink(image.path) }
        do {
            try makeImage(.mixed, at: image.path)
            try run(copyingLauncher + ["mount", "-o", "loop", image.path, folder.path])
        } catch {
            throw FaultSkipped("btrfs cannot be created or mounted: \(error)")
        }
    }

    /// Runs a closure while the file system is mounted.
    ///
    /// - Parameter path: An empty directory.
    func mounted<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        switch self {
        case .memory(let kibibytes):
            try Namespaces.mount("tmpfs", at: path, options: "size=\(kibibytes)k,mode=700")
        case .copying(let kind):
            let image = path + ".image"
            try Self.makeImage(kind, at: image)
            defer { unlink(image) }
            try Self.run(["mount", "-o", "loop", image, path])
            if kind == .quota {
                try Self.run(["btrfs", "quota", "enable", path])
                try Self.run(["btrfs", "qgroup", "limit", "24M", path])
            }
            chmod(path, 0o700)
        }
        defer { Namespaces.unmount(path) }
        return try body()
    }

    private static func makeImage(_ kind: Copying, at path: String) throws {
        try Data().write(to: URL(filePath: path))
        let mebibytes = kind == .mixed ? 64 : 128
        guard truncate(path, off_t(mebibytes << 20)) == 0 else {
            throw FaultFinding("cannot create an image: errno \(errno)")
        }
        try run(["mkfs.btrfs", "-q"] + (kind == .mixed ? ["--mixed"] : []) + [path])
    }

    private static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging([
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"
        ]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw FaultFinding("“\(command.joined(separator: " "))” failed")
        }
    }

    /// Writes a file until the file system is full, and then shortens the file by some pages.
    func fill(_ path: String, leaving pages: Int) {
        let descriptor = open(path + "/filler", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4_096)
        var size = 0
        while pwrite(descriptor, page, page.count, off_t(size)) == page.count { size += page.count }
        if case .copying = self {
            // Allocates the pending writes, so that all later writes need new space.
            sync()
            while pwrite(descriptor, page, page.count, off_t(size)) == page.count { size += page.count }
        }
        ftruncate(descriptor, off_t(max(0, size - pages * page.count)))
    }

    /// Removes that file, and waits until its space can be used.
    func empty(_ path: String) {
        unlink(path + "/filler")
        if case .copying = self { sync() }
    }
}
