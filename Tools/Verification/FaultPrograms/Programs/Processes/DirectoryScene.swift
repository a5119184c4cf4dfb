import Foundation
import SectionCaching

/// A folder in which a cache directory is made unsafe in one way after the other.
struct DirectoryScene {
    let folder: URL
    let location: CacheLocation
    /// A file to which links lead, and which must not change.
    private let linkTarget: String

    init(_ folder: URL) {
        self.folder = folder
        location = CacheLocation(folder.path + "/caches", number: 2)
        linkTarget = folder.path + "/victim"
    }

    /// A way to make a directory with a cache unsafe.
    struct Fault {
        let name: String
        let apply: (DirectoryScene) throws -> Void
    }

    static var faults: [Fault] {
        var faults = [0o720, 0o702, 0o777].map { mode in
            Fault(name: "mode \(String(mode, radix: 8))") { scene in
                try scene.change { chmod($0, mode_t(mode)) }
            }
        }
        faults.append(
            Fault(name: "a directory of another user") { scene in
                try scene.changeAsRoot { chown($0, 65_534, 65_534) }
            })
        faults.append(
            Fault(name: "a link to the directory") { scene in
                let target = scene.location.path + "-target"
                try FileManager.default.moveItem(atPath: scene.location.path, toPath: target)
                try scene.change { symlink(target, $0) }
            })
        for file in ["data.mdb", "lock.mdb", "guard.lock"] {
            faults += faultsOfKind(file) + faultsOfOwner(file)
        }
        return faults
    }

    private static func faultsOfKind(_ file: String) -> [Fault] {
        [
            Fault(name: "\(file) is a link") { scene in
                try scene.replace(file) { symlink(scene.linkTarget, $0) }
            },
            Fault(name: "\(file) is a pipe") { scene in try scene.replace(file) { mkfifo($0, 0o600) } },
            Fault(name: "\(file) is a directory") { scene in try scene.replace(file) { mkdir($0, 0o700) } },
        ]
    }

    private static func faultsOfOwner(_ file: String) -> [Fault] {
        [
            Fault(name: "\(file) has a second name") { scene in
                try scene.change { link($0 + "/" + file, scene.folder.path + "/second") }
            },
            Fault(name: "\(file) is a second name of another file") { scene in
                try scene.replace(file) { link(scene.linkTarget, $0) }
            },
            Fault(name: "\(file) may be written by others") { scene in
                try scene.change { chmod($0 + "/" + file, 0o620) }
            },
            Fault(name: "\(file) belongs to another user") { scene in
                try scene.changeAsRoot { chown($0 + "/" + file, 65_534, 65_534) }
            },
        ]
    }

    /// Applies a fault, and checks that the cache is off because it is unsafe, and that the target of links
    /// did not change.
    func expectOff(_ fault: Fault) throws {
        try empty()
        try Data("precious".utf8).write(to: URL(filePath: linkTarget))
        chmod(linkTarget, 0o600)
        try location.fill(location.store())
        try fault.apply(self)
        let store = location.store()
        // Opening a pipe must not block.
        let lookup = try within(30, fault.name) { [location] in
            store.save(location.sample.index, for: location.sample.request)
            store.deleteAllCaches()
            _ = store.waitForWrites(upTo: 10)
            return store.lookUp(location.sample.request)
        }
        guard case .miss(.off(.unsafe)) = lookup else { throw FaultFinding("\(fault.name): \(lookup)") }
        guard try Data(contentsOf: URL(filePath: linkTarget)) == Data("precious".utf8) else {
            throw FaultFinding("\(fault.name): the target of a link was changed")
        }
    }

    /// Removes everything that earlier faults left behind.
    func empty() throws {
        for item in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.removeItem(atPath: folder.path + "/" + item)
        }
    }

    private func change(_ call: (String) -> Int32) throws {
        guard call(location.path) == 0 else {
            throw FaultFinding("cannot apply a fault to a directory: \(String(cString: strerror(errno)))")
        }
    }

    /// Changes the directory as root. Other users cannot give files away; for them the directory becomes
    /// writable for others instead.
    private func changeAsRoot(_ call: (String) -> Int32) throws {
        try change(geteuid() == 0 ? call : { chmod($0, 0o777) })
    }

    private func replace(_ file: String, _ call: (String) -> Int32) throws {
        try FileManager.default.removeItem(atPath: location.path + "/" + file)
        try change { call($0 + "/" + file) }
    }
}
