import Foundation
import SectionCaching
import Mutants

/// Directories of other users, or that others can write; directories behind links; and directories that
/// cannot be written.
enum DirectoryFaults: FaultProgram {
    static let name = "directories"
    static let rows = ["A-18"]
    static let summary =
        "uses directories and files of other owners, modes, kinds and file systems, and neighbours with the names of discarded caches"
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
        let location = CacheLocation(arguments[1], number: 3)
        switch arguments[0] {
        case "unwritable":
            // Root can write everywhere, so the process changes to another user, who owns the directory.
            if geteuid() == 0 {
                guard chown(location.path, 65_534, 65_534) == 0, setuid(65_534) == 0 else {
                    throw FaultFinding("cannot become another user")
                }
            }
            chmod(location.path, 0o500)
            try location.expectOff(.readOnly, location.store())
        case "read-only":
            try location.fill(location.store())
            try Namespaces.mountReadOnly(location.path, at: location.path)
            try location.expectOff(.readOnly, location.store())
            // A read-only store writes nothing.
            try location.expectHit(
                SectionCacheStore(directory: URL(filePath: location.path), options: .init(isReadOnly: true)))
        case "mounted" where arguments.count == 4:
            try Namespaces.mount(arguments[2], at: location.path)
            chmod(location.path, 0o700)
            try expectUnsupported(arguments[3], at: location)
        case "file-system" where arguments.count == 3:
            try expectUnsupported(arguments[2], at: location)
        default: throw FaultFinding("\(arguments)")
        }
    }

    private static func expectUnsupported(_ type: String, at location: CacheLocation) throws {
        let store = location.store()
        store.save(location.sample.index, for: location.sample.request)
        guard store.waitForWrites(upTo: 10) else { throw FaultFinding("a save to the cache does not end") }
        let lookup = store.lookUp(location.sample.request)
        guard case .miss(.unsupportedFileSystem(type)) = lookup else {
            throw FaultFinding("the cache is used on a file system of type \(type): \(lookup)")
        }
        guard try FileManager.default.contentsOfDirectory(atPath: location.path).isEmpty else {
            throw FaultFinding("the cache wrote to a file system of type \(type)")
        }
    }

    /// File systems that every user may mount in a separate namespace, and on which LMDB must not be used.
    private static let mountable = [
        (name: "mqueue", type: "0x19800202"), (name: "ramfs", type: "0x858458f6"),
    ]

    /// The types of other file systems, which a preloaded library reports for a directory: NFS, SMB 1 to 3,
    /// FUSE (also virtiofs), 9p, vboxsf, ecryptfs, exFAT, FAT, NTFS, AFS, Ceph, Lustre, GFS2, OCFS2.
    private static let fileSystems = [
        "0x6969", "0x517b", "0xff534d42", "0xfe534d42", "0x65735546", "0x1021997", "0x786f4256", "0xf15f",
        "0x2011bab0", "0x4d44", "0x5346544e", "0x5346414f", "0xc36400", "0xbd00bd0", "0x1161970",
        "0x7461636f",
    ]

    private static func library(in folder: URL) throws -> URL? {
        do {
            return try FaultLibrary.make(in: folder)
        } catch let skipped as FaultSkipped {
            print("\(name): without file systems that cannot be mounted: \(skipped)")
            return nil
        }
    }

    private static func canMount() throws -> Bool {
        do {
            try Namespaces.require(Namespaces.mounting)
            return true
        } catch let skipped as FaultSkipped {
            print("\(name): without read-only and unsupported file systems: \(skipped)")
            return false
        }
    }

    /// Creates a folder through which other users may pass.
    private static func subfolder(_ name: String, of folder: URL) throws -> URL {
        let subfolder = folder.appending(path: name)
        try FileManager.default.createDirectory(at: subfolder, withIntermediateDirectories: true)
        for url in [folder, subfolder] { chmod(url.path, 0o711) }
        return subfolder
    }
}

extension FaultRun {
    /// Runs a check of a new directory in another process.
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
