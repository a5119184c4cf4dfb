import Foundation
import LMDB
import SectionCaching
import Testing

struct DirectoryRuleTests {
    private static let plain = PlainIndex(sections: [.init(identity: [1], name: "a", title: "a", rowIDs: [5])]
    )

    /// Returns the reason why a store at a path is off.
    private func refusal(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
        let store = SectionCacheStore(directory: URL(filePath: path))
        store.saveNow(Self.plain, for: Sample(), sourceLocation: sourceLocation)
        store.deleteAllCaches()
        #expect(store.waitForWrites(), sourceLocation: sourceLocation)
        guard case .off(let reason) = store.missReason(Sample()) else {
            Issue.record("\(String(describing: store.missReason(Sample())))", sourceLocation: sourceLocation)
            return ""
        }
        return reason.description
    }

    @Test func `a directory and its parents are created with access for the user only`() throws {
        let directory = try CacheFixture()
        let path = directory.root + "/a/b/c"
        SectionCacheStore(directory: URL(filePath: path)).saveNow(Self.plain, for: Sample())
        for path in [path, directory.root + "/a"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
        for file in ["/data.mdb", "/lock.mdb", "/guard.lock"] {
            let mode =
                try FileManager.default.attributesOfItem(atPath: path + file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `a damaged directory with files of other programs is not replaced`() throws {
        for (name, damage) in [("thesis.txt", 5_000), ("store.sqlite", 0), ("photos", 4_096)] {
            let directory = try CacheFixture()
            directory.store().saveNow(Self.plain, for: Sample())
            let file = directory.path + "/" + name
            if name == "photos" {
                try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
                try Data("precious".utf8).write(to: URL(filePath: file + "/one.jpg"))
            } else {
                try Data("precious".utf8).write(to: URL(filePath: file))
            }
            let data = URL(filePath: directory.path + "/data.mdb")
            let noise = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            try (damage == 0 ? noise : Data(contentsOf: data).prefix(damage)).write(to: data)
            let before = try Data(contentsOf: data)
            #expect(refusal(directory.path).contains("“\(name)”"))
            #expect(try Data(contentsOf: data) == before)
            #expect(FileManager.default.fileExists(atPath: file))
            // Once the directory contains only cache files, it is replaced.
            try FileManager.default.moveItem(atPath: file, toPath: directory.root + "/" + name)
            let store = directory.store()
            store.saveNow(Self.plain, for: Sample())
            #expect(store.hit(Sample()) != nil)
        }
    }

    @Test func `a data file of another program is left alone`() throws {
        let directory = try CacheFixture()
        // LMDB uses the same file name in every program.
        for other in [Data("no cache at all".utf8), Data(repeating: 3, count: 50_000)] {
            try FileManager.default.createDirectory(
                atPath: directory.path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let file = directory.path + "/data.mdb"
            try other.write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            for _ in 0..<3 { #expect(refusal(directory.path).contains("data.mdb, which is no cache")) }
            #expect(try Data(contentsOf: URL(filePath: file)) == other)
            try FileManager.default.removeItem(atPath: directory.path)
        }
        // An intact environment with the tables of another program.
        try makeForeignEnvironment(directory.path)
        try FileManager.default.removeItem(atPath: directory.path + "/guard.lock")
        let before = try Data(contentsOf: URL(filePath: directory.path + "/data.mdb"))
        for _ in 0..<3 { #expect(refusal(directory.path).contains("data.mdb, which is no cache")) }
        #expect(try Data(contentsOf: URL(filePath: directory.path + "/data.mdb")) == before)
    }

    private func makeForeignEnvironment(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        let environment = try EnvironmentRegistry.environment(
            path: path, key: try #require(FileStatus(descriptor: descriptor)).identity,
            options: Environment.Options(mapSize: 1 << 20, maximumDatabases: 4, isReadOnly: false))
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.put([1], for: Array("key".utf8), in: try transaction.database(creating: "mine"))
        }
    }

    @Test(arguments: ["", "/"])
    func `a directory that is a link is not followed`(ending: String) throws {
        let directory = try CacheFixture()
        let target = directory.root + "/elsewhere"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: directory.path, withDestinationPath: target)
        #expect(refusal(directory.path + ending).contains("not safe"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: target).isEmpty)
    }

    @Test(arguments: ["data.mdb", "lock.mdb", "guard.lock"])
    func `a file that is a link is not followed, and its target stays as it is`(name: String) throws {
        let directory = try CacheFixture()
        let victim = directory.root + "/victim"
        for contents in ["", "precious"] {
            try FileManager.default.createDirectory(
                atPath: directory.path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Data(contents.utf8).write(to: URL(filePath: victim))
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/" + name, withDestinationPath: victim)
            #expect(refusal(directory.path).contains("not safe"))
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == contents)
            try FileManager.default.removeItem(atPath: directory.path)
        }
    }

    @Test func `a file with a second name is refused`() throws {
        let directory = try CacheFixture()
        do { directory.store().saveNow(Self.plain, for: Sample()) }
        try FileManager.default.linkItem(atPath: directory.dataFile, toPath: directory.root + "/second")
        #expect(refusal(directory.path).contains("not safe"))
    }

    @Test func `a directory can be corrected while the program runs`() throws {
        let directory = try CacheFixture()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.path)
        let store = directory.store()
        let reason = try #require(store.missReason(Sample()))
        if case .off(.unsafe) = reason {} else { Issue.record("\(reason)") }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path)
        store.saveNow(Self.plain, for: Sample())
        #expect(store.lookUp(Sample().request).isHit)
    }

    @Test func `to a read-only store, an empty data file is no cache`() throws {
        let directory = try CacheFixture()
        try directory.replaceContents([])
        #expect(directory.store(.init(isReadOnly: true)).missReason(Sample()) == .absent)
        #expect(try directory.contents().isEmpty)
    }

    @Test(arguments: [0o770, 0o702, 0o777])
    func `a directory that others may write is refused and not changed`(mode: Int) throws {
        let directory = try CacheFixture()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.path)
        #expect(refusal(directory.path).contains("chmod go-w"))
        #expect(
            try FileManager.default.attributesOfItem(atPath: directory.path)[.posixPermissions] as? Int
                == mode)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test func `a file instead of the directory is refused and not changed`() throws {
        let directory = try CacheFixture()
        try Data("precious".utf8).write(to: URL(filePath: directory.path))
        #expect(refusal(directory.path).contains("not a directory"))
        #expect(try String(contentsOfFile: directory.path, encoding: .utf8) == "precious")
    }

    @Test func `a directory or a pipe instead of the data file is refused`() throws {
        let directory = try CacheFixture()
        try FileManager.default.createDirectory(
            atPath: directory.dataFile, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        #expect(refusal(directory.path).contains("not a regular file"))
        try FileManager.default.removeItem(atPath: directory.dataFile)
        #expect(mkfifo(directory.dataFile, 0o600) == 0)
        #expect(refusal(directory.path).contains("not a regular file"))
    }

    @Test func `one directory under two paths is one cache`() throws {
        let directory = try CacheFixture()
        let detour = directory.root + "/./../" + URL(filePath: directory.root).lastPathComponent + "/caches"
        let store = directory.store()
        store.saveNow(Self.plain, for: Sample())
        let other = SectionCacheStore(directory: URL(filePath: detour))
        #expect(other.lookUp(Sample().request).isHit)
        other.deleteAllCaches()
        #expect(other.waitForWrites())
        #expect(!store.lookUp(Sample().request).isHit)
    }
}
