import Foundation
import SectionCaching

extension DirectoryScene {
    /// An item beside a cache directory that has the name of a discarded one.
    private enum Neighbour: CaseIterable {
        case link, linkToCache, environment, otherFiles, writable, innerLink, file, pipe
    }

    /// Replaces a damaged directory beside items of other programs with the names of discarded caches, and
    /// checks that those did not change.
    func expectNeighboursStay() throws {
        try empty()
        try location.fill(location.store())
        var kept: [String] = []
        for neighbour in Neighbour.allCases { kept.append(try make(neighbour)) }
        let before = try kept.map(contents)
        let noise = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try noise.write(to: URL(filePath: location.path + "/data.mdb"))
        chmod(location.path + "/data.mdb", 0o600)
        let store = location.store()
        store.save(location.sample.index, for: location.sample.request)
        guard store.waitForWrites(upTo: 30) else { throw FaultFinding("a save to the cache does not end") }
        try location.expectHit(store)
        for (path, previous) in zip(kept, before) where try contents(path) != previous {
            throw FaultFinding("a neighbour was changed: \(path)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard names.filter({ $0.contains(".discarded-") }).count == Neighbour.allCases.count else {
            throw FaultFinding("the discarded directory still exists, or a neighbour is gone: \(names)")
        }
    }

    /// Creates a neighbour, and returns the path of the item that must not change.
    private func make(_ neighbour: Neighbour) throws -> String {
        let path = location.path + ".discarded-" + UUID().uuidString
        let target = folder.path + "/target-\(neighbour)"
        switch neighbour {
        case .link, .linkToCache:
            try makeFolder(target, ["data.mdb", "lock.mdb"] + (neighbour == .link ? [] : ["guard.lock"]))
            try succeed(symlink(target, path))
            return target
        case .environment: try makeFolder(path, ["data.mdb", "lock.mdb"])
        case .otherFiles: try makeFolder(path, ["data.mdb", "guard.lock", "thesis.txt"])
        case .writable:
            try makeFolder(path, ["data.mdb", "guard.lock"])
            try succeed(chmod(path, 0o777))
        case .innerLink:
            try makeFolder(target, ["data.mdb"])
            try makeFolder(path, ["guard.lock"])
            try succeed(symlink(target + "/data.mdb", path + "/data.mdb"))
        case .file: try Data("precious".utf8).write(to: URL(filePath: path))
        case .pipe: try succeed(mkfifo(path, 0o600))
        }
        return path
    }

    private func makeFolder(_ path: String, _ files: [String]) throws {
        try succeed(mkdir(path, 0o700))
        for file in files {
            try Data("precious".utf8).write(to: URL(filePath: path + "/" + file))
            try succeed(chmod(path + "/" + file, 0o600))
        }
    }

    private func succeed(_ status: Int32) throws {
        guard status == 0 else {
            throw FaultFinding("cannot create a neighbour: \(String(cString: strerror(errno)))")
        }
    }

    /// Returns the kind and size of an item or, for a directory, the names, kinds and sizes of its items.
    private func contents(_ path: String) throws -> [String] {
        var status = stat()
        guard lstat(path, &status) == 0 else { return ["absent"] }
        guard status.st_mode & S_IFMT == S_IFDIR else { return ["\(status.st_mode), \(status.st_size)"] }
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { name in
            lstat(path + "/" + name, &status)
            return "\(name): \(status.st_mode), \(status.st_size)"
        }
    }
}
