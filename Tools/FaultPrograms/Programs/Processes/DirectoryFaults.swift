import Foundation
import SectionCaching
import SeededBugs

/// Directories that are not ours alone, that lead elsewhere, or that cannot be written.
enum DirectoryFaults: FaultProgram {
    static let name = "directories"
    static let rows = ["A-18"]
    static let summary =
        "gives the cache directories and files of other owners, modes, kinds and file systems"
    static let releaseCount = 200
    static let bugs: [SeededBug] = [.noDirectoryRules]
    static let huntCount = 1

    static func run(_ run: inout FaultRun) throws {
        let canMount = try canMount()
        for trial in 0..<run.count {
            let scene = DirectoryScene(try subfolder("\(trial)", of: run.folder))
            for fault in DirectoryScene.faults { try scene.expectOff(fault) }
            try run.expectElsewhere("unwritable", scene)
            guard canMount else {
                run.note(.off)
                continue
            }
            try run.expectElsewhere("read-only", scene, launcher: Namespaces.mounting)
            try run.expectElsewhere("mqueue", scene, launcher: Namespaces.mounting)
            run.note(.off)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 2 else { throw FaultFinding("\(arguments)") }
        let place = CachePlace(arguments[1], number: 3)
        switch arguments[0] {
        case "unwritable":
            // Root may write everything, so it becomes somebody else, who owns the directory.
            if geteuid() == 0 {
                guard chown(place.path, 65_534, 65_534) == 0, setuid(65_534) == 0 else {
                    throw FaultFinding("cannot become another user")
                }
            }
            chmod(place.path, 0o500)
            try place.expectOff(.readOnly, place.store())
        case "read-only":
            try place.fill(place.store())
            try Namespaces.mountReadOnly(place.path, at: place.path)
            try place.expectOff(.readOnly, place.store())
            // Whoever only looks needs to write nothing.
            try place.expectHit(
                SectionCacheStore(directory: URL(filePath: place.path), options: .init(isReadOnly: true)))
        case "mqueue":
            try Namespaces.mount("mqueue", at: place.path)
            chmod(place.path, 0o700)
            let lookup = place.store().lookUp(place.sample.request)
            guard case .miss(.unsupportedFileSystem("0x19800202")) = lookup else {
                throw FaultFinding("a file system that is not allowed: \(lookup)")
            }
        default: throw FaultFinding("\(arguments)")
        }
    }

    private static func canMount() throws -> Bool {
        do {
            try Namespaces.require(Namespaces.mounting)
            return true
        } catch let skipped as FaultSkipped {
            print("\(name): without read-only and odd file systems, \(skipped)")
            return false
        }
    }

    /// A folder that other users may pass through.
    private static func subfolder(_ name: String, of folder: URL) throws -> URL {
        let subfolder = folder.appending(path: name)
        try FileManager.default.createDirectory(at: subfolder, withIntermediateDirectories: true)
        for url in [folder, subfolder] { chmod(url.path, 0o711) }
        return subfolder
    }
}

extension FaultRun {
    /// Lets another process try a directory of its own.
    fileprivate func expectElsewhere(
        _ kind: String, _ scene: DirectoryScene, launcher: [String] = []
    ) throws {
        let path = scene.folder.path + "/" + kind
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let end = try child([kind, path], launcher: launcher)
        guard end.status == 0 else { throw FaultFinding("\(kind): \(end)") }
    }
}
