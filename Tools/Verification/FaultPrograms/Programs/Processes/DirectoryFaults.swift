import Foundation
import SectionCaching
import Mutants

/// Directories that are not ours alone, that lead elsewhere, or that cannot be written.
enum DirectoryFaults: FaultProgram {
    static let name = "directories"
    static let rows = ["A-18"]
    static let summary =
        "gives the cache directories and files of other owners, modes, kinds and file systems, and neighbours with the names of discarded caches"
    static let releaseCount = 200
    static let mutants: [Mutant] = [.noDirectoryRules, .discardedLinkFollowed]
    static let huntCount = 1

    static func run(_ run: inout FaultRun) throws {
        let canMount = try canMount()
        let library = try library(in: run.folder)
        for trial in 0..<run.count {
            let scene = DirectoryScene(try subfolder("\(trial)", of: run.folder))
            for fault in DirectoryScene.faults { try scene.expectOff(fault) }
            try scene.expectNeighboursStay()
            try run.expectElsewhere("unwritable", scene)
            if let library {
                let kind = fileSystems[trial % fileSystems.count]
                try run.expectElsewhere(
                    "file-system", scene, [kind],
                    environment: FaultLibrary.environment(library, ["FILE_SYSTEM": kind]))
            }
            guard canMount else {
                run.note(.off)
                continue
            }
            try run.expectElsewhere("read-only", scene, launcher: Namespaces.mounting)
            for kind in mountable {
                try run.expectElsewhere(
                    "mounted", scene, [kind.name, kind.type], launcher: Namespaces.mounting)
            }
            run.note(.off)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count >= 2 else { throw FaultFinding("\(arguments)") }
        let place = CacheLocation(arguments[1], number: 3)
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
        case "mounted" where arguments.count == 4:
            try Namespaces.mount(arguments[2], at: place.path)
            chmod(place.path, 0o700)
            try expectUnsupported(arguments[3], at: place)
        case "file-system" where arguments.count == 3:
            try expectUnsupported(arguments[2], at: place)
        default: throw FaultFinding("\(arguments)")
        }
    }

    private static func expectUnsupported(_ type: String, at place: CacheLocation) throws {
        let store = place.store()
        store.save(place.sample.index, for: place.sample.request)
        guard store.waitForSaves(upTo: 10) else { throw FaultFinding("a save does not end") }
        let lookup = store.lookUp(place.sample.request)
        guard case .miss(.unsupportedFileSystem(type)) = lookup else {
            throw FaultFinding("a file system of type \(type): \(lookup)")
        }
        guard try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty else {
            throw FaultFinding("something was made on a file system of type \(type)")
        }
    }

    /// What anybody may mount, and LMDB must not be used on.
    private static let mountable = [
        (name: "mqueue", type: "0x19800202"), (name: "ramfs", type: "0x858458f6"),
    ]

    /// The types of others, which the system only says that it has: NFS, SMB 1 to 3, FUSE (also virtiofs), 9p,
    /// vboxsf, ecryptfs, exFAT, FAT, NTFS, AFS, Ceph, Lustre, GFS2, OCFS2.
    private static let fileSystems = [
        "0x6969", "0x517b", "0xff534d42", "0xfe534d42", "0x65735546", "0x1021997", "0x786f4256", "0xf15f",
        "0x2011bab0", "0x4d44", "0x5346544e", "0x5346414f", "0xc36400", "0xbd00bd0", "0x1161970",
        "0x7461636f",
    ]

    private static func library(in folder: URL) throws -> URL? {
        do {
            return try FaultLibrary.make(in: folder)
        } catch let skipped as FaultSkipped {
            print("\(name): without file systems that cannot be mounted, \(skipped)")
            return nil
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
        _ kind: String, _ scene: DirectoryScene, _ details: [String] = [],
        environment: [String: String?] = [:], launcher: [String] = []
    ) throws {
        let path = ([scene.folder.path + "/" + kind] + details).joined(separator: "-")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let end = try child([kind, path] + details, environment: environment, launcher: launcher)
        guard end.status == 0 else { throw FaultFinding("\(kind) \(details): \(end)") }
    }
}
