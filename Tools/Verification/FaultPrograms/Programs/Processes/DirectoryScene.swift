import Foundation
import SectionCaching

/// A folder in which a directory of caches is spoilt in one way after the other.
struct DirectoryScene {
    let folder: URL
    let place: CacheLocation
    /// A file that must stay as it is, whatever leads to it.
    private let victim: String

    init(_ folder: URL) {
        self.folder = folder
        place = CacheLocation(folder.path + "/caches", number: 2)
        victim = folder.path + "/victim"
    }

    /// One way to spoil a directory that holds a cache.
    struct Fault {
        let name: String
        let spoil: (DirectoryScene) throws -> Void
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
                let target = scene.place.path + "-target"
                try FileManager.default.moveItem(atPath: scene.place.path, toPath: target)
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
                try scene.replace(file) { symlink(scene.victim, $0) }
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
            Fault(name: "\(file) is somebody else's second name") { scene in
                try scene.replace(file) { link(scene.victim, $0) }
            },
            Fault(name: "\(file) may be written by others") { scene in
                try scene.change { chmod($0 + "/" + file, 0o620) }
            },
            Fault(name: "\(file) is another user's") { scene in
                try scene.changeAsRoot { chown($0 + "/" + file, 65_534, 65_534) }
            },
        ]
    }

    /// Spoils the directory, and finds the cache off because it is not safe, and the victim as it was.
    func expectOff(_ fault: Fault) throws {
        try empty()
        try Data("precious".utf8).write(to: URL(filePath: victim))
        chmod(victim, 0o600)
        try place.fill(place.store())
        try fault.spoil(self)
        let store = place.store()
        // A pipe must not be waited for.
        let lookup = try within(30, fault.name) { [place] in
            store.save(place.sample.index, for: place.sample.request)
            store.deleteAllCaches()
            _ = store.waitForSaves(upTo: 10)
            return store.lookUp(place.sample.request)
        }
        guard case .miss(.off(.unsafe)) = lookup else { throw FaultFinding("\(fault.name): \(lookup)") }
        guard try Data(contentsOf: URL(filePath: victim)) == Data("precious".utf8) else {
            throw FaultFinding("\(fault.name): the victim was changed")
        }
    }

    /// Removes all that earlier faults left.
    func empty() throws {
        for item in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.removeItem(atPath: folder.path + "/" + item)
        }
    }

    private func change(_ call: (String) -> Int32) throws {
        guard call(place.path) == 0 else {
            throw FaultFinding("a directory cannot be spoilt: \(String(cString: strerror(errno)))")
        }
    }

    /// Users that are not root cannot give files away; for them the directory becomes writable for others
    /// instead.
    private func changeAsRoot(_ call: (String) -> Int32) throws {
        try change(geteuid() == 0 ? call : { chmod($0, 0o777) })
    }

    private func replace(_ file: String, _ call: (String) -> Int32) throws {
        try FileManager.default.removeItem(atPath: place.path + "/" + file)
        try change { call($0 + "/" + file) }
    }
}
