import Foundation
import SectionCaching
import Testing

/// Cache directories in a parent directory that other users may write to.
@Suite struct SharedParentTests {
    private static let plain = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [5])]
    )
    private let directory: CacheFixture

    init() throws {
        directory = try CacheFixture()
        directory.store().saveNow(Self.plain, for: Sample())
    }

    /// A new path of the form that a directory gets when it is moved aside.
    private var discardedPath: String { directory.path + ".discarded-" + UUID().uuidString }

    private func makeDirectory(_ path: String, files: [String], mode: Int = 0o700) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for file in files {
            try Data("precious".utf8).write(to: URL(filePath: path + "/" + file))
            chmod(path + "/" + file, 0o600)
        }
        chmod(path, mode_t(mode))
    }

    /// Damages the data file and saves, so that the directory is replaced.
    private func replace(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try Data(repeating: 7, count: 20_000).write(to: URL(filePath: directory.dataFile))
        chmod(directory.dataFile, 0o600)
        let store = directory.store()
        store.saveNow(Self.plain, for: Sample(), sourceLocation: sourceLocation)
        #expect(store.hit(Sample()) != nil, sourceLocation: sourceLocation)
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test func `a directory that was moved aside is removed at the next replacement`() throws {
        let previous = discardedPath
        let empty = discardedPath
        try makeDirectory(previous, files: ["data.mdb", "lock.mdb", "guard.lock"])
        try makeDirectory(empty, files: [])
        try replace()
        #expect(try names(directory.root) == ["caches", "caches.guard"])
    }

    @Test(arguments: [["data.mdb", "lock.mdb"], ["data.mdb", "lock.mdb", "guard.lock"], ["guard.lock"]])
    func `a link with the name of a discarded directory is not followed`(files: [String]) throws {
        let victim = directory.root + "/victim"
        try makeDirectory(victim, files: files)
        let link = discardedPath
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: victim)
        try replace()
        #expect(try names(victim) == files.sorted())
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == victim)
    }

    @Test(arguments: [
        // LMDB's files without the guard of a cache.
        ["data.mdb", "lock.mdb"], ["data.mdb"], ["lock.mdb"],
        ["data.mdb", "guard.lock", "lock.mdb", "thesis.txt"],
    ])
    func `another program's directory with the name of a discarded one stays`(files: [String]) throws {
        let other = discardedPath
        try makeDirectory(other, files: files)
        try replace()
        #expect(try names(other) == files)
    }

    @Test func `a discarded directory that others may write to stays`() throws {
        let other = discardedPath
        try makeDirectory(other, files: ["data.mdb", "guard.lock"], mode: 0o777)
        try replace()
        #expect(try names(other) == ["data.mdb", "guard.lock"])
    }

    @Test(arguments: ["link", "second name", "pipe", "directory"])
    func `a discarded directory with an irregular file stays, and so does the file's target`(kind: String)
        throws
    {
        let victim = directory.root + "/victim"
        try Data("precious".utf8).write(to: URL(filePath: victim))
        let other = discardedPath
        try makeDirectory(other, files: ["guard.lock", "lock.mdb"])
        let file = other + "/data.mdb"
        switch kind {
        case "link": #expect(symlink(victim, file) == 0)
        case "second name": #expect(link(victim, file) == 0)
        case "pipe": #expect(mkfifo(file, 0o600) == 0)
        default: #expect(mkdir(file, 0o700) == 0)
        }
        try replace()
        #expect(try names(other) == ["data.mdb", "guard.lock", "lock.mdb"])
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    }

    @Test(.enabled(if: geteuid() == 0, "Only root can change the owner of a file."))
    func `a discarded directory of another user stays`() throws {
        let other = discardedPath
        try makeDirectory(other, files: ["data.mdb", "guard.lock", "lock.mdb"])
        #expect(chown(other, 65_534, 65_534) == 0)
        try replace()
        #expect(try names(other).count == 3)
    }

    @Test func `files, pipes and dangling links with the name of a discarded directory stay`() throws {
        let (file, pipe, link) = (discardedPath, discardedPath, discardedPath)
        try Data("precious".utf8).write(to: URL(filePath: file))
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(symlink("/nowhere", link) == 0)
        try replace()
        let left = try names(directory.root).map { directory.root + "/" + $0 }
        for path in [file, pipe, link] { #expect(left.contains(path)) }
    }

    @Test(arguments: ["link", "second name", "writable", "pipe"])
    func `a directory beside a lock file that others share is not replaced`(kind: String) throws {
        let victim = directory.root + "/victim"
        try Data("precious".utf8).write(to: URL(filePath: victim))
        chmod(victim, 0o600)
        let lock = directory.path + ".guard"
        switch kind {
        case "link": #expect(symlink(victim, lock) == 0)
        case "second name": #expect(link(victim, lock) == 0)
        case "pipe": #expect(mkfifo(lock, 0o600) == 0)
        default:
            try Data().write(to: URL(filePath: lock))
            chmod(lock, 0o666)
        }
        let noise = Data(repeating: 7, count: 20_000)
        try noise.write(to: URL(filePath: directory.dataFile))
        chmod(directory.dataFile, 0o600)
        let reason = directory.store().missReason(Sample())
        guard case .off(.unsafe(let detail)) = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
        #expect(detail.contains("caches.guard"))
        #expect(try Data(contentsOf: URL(filePath: directory.dataFile)) == noise)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    }

    @Test func `a directory whose parent is reached through a link is replaced`() throws {
        let detour = directory.root + "-detour"
        try FileManager.default.createSymbolicLink(atPath: detour, withDestinationPath: directory.root)
        defer { unlink(detour) }
        try Data(repeating: 7, count: 20_000).write(to: URL(filePath: directory.dataFile))
        chmod(directory.dataFile, 0o600)
        let store = SectionCacheStore(directory: URL(filePath: detour + "/caches"))
        store.saveNow(Self.plain, for: Sample())
        #expect(store.hit(Sample()) != nil)
        #expect(try names(directory.root) == ["caches", "caches.guard"])
    }
}
