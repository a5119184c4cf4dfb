import Foundation
import LMDB
import CheckSupport
import Testing

struct StructureTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `every environment that liblmdb writes passes the structure check`(seed: UInt64) throws {
        print("seed \(seed)")
        let directory = try TemporaryDirectory()
        var generator = SeededGenerator(seed: seed)
        var shadow = Shadow()
        let environment = try directory.environment()
        for _ in 0..<100 {
            try shadow.change(environment, using: &generator)
            try environment.checkStructure(forWriting: false)
            try environment.checkStructure(forWriting: true)
        }
        #expect(
            try Shadow(readingAll: environment).databases.filter { !$0.value.isEmpty }
                == shadow.databases.filter { !$0.value.isEmpty })
    }

    @Test func `an environment written while an old snapshot is open passes the structure check`() throws {
        // The pinned snapshot keeps pages from being reused, so the lists of free pages grow beyond a page.
        let directory = try TemporaryDirectory()
        let environment = try directory.environment(mapSize: 256 << 20)
        var generator = SeededGenerator(seed: 5)
        var shadow = Shadow()
        try shadow.change(environment, using: &generator)
        try environment.read { (_) throws(LMDBError) in
            for _ in 0..<100 {
                try shadow.change(environment, using: &generator)
                try environment.checkStructure(forWriting: true)
            }
        }
        for _ in 0..<50 {
            try shadow.change(environment, using: &generator)
            try environment.checkStructure(forWriting: true)
        }
    }

    @Test func `deep trees and long lists of free pages pass the structure check`() throws {
        let directory = try TemporaryDirectory()
        let environment = try directory.environment(mapSize: 512 << 20)
        for round in 0..<4 {
            try environment.write { (transaction) throws(LMDBError) in
                let database = try transaction.database(creating: "deep")
                for number in 0..<3_000 {
                    // Long keys give branches few children, so that the tree becomes deep.
                    let key =
                        Array("\(1_000_000 + number * 7 % 3_000)".utf8) + [UInt8](repeating: 9, count: 490)
                    try transaction.put(
                        [UInt8](repeating: UInt8(round), count: 8_000), for: key, in: database)
                }
            }
            try environment.checkStructure(forWriting: true)
            try environment.write { (transaction) throws(LMDBError) in
                let database = try transaction.database(creating: "deep")
                if round % 2 == 1 { try transaction.removeAll(in: database) }
            }
            try environment.checkStructure(forWriting: true)
        }
    }

    @Test func `an absent or empty data file opens as a new environment`() throws {
        let directory = try TemporaryDirectory()
        _ = try directory.environment()
        try directory.replaceContents([])
        let environment = try directory.environment()
        #expect(try environment.databaseNames() == [])
    }

    @Test(arguments: [1, 100, 4_095, 4_096, 8_191])
    func `a file shorter than its two meta pages is damage`(count: Int) throws {
        let directory = try TemporaryDirectory()
        try directory.replaceContents([UInt8](repeating: 0, count: count))
        let error = try #require(throws: LMDBError.self) { _ = try directory.environment() }
        #expect(error.isDamage)
    }

    @Test func `a file longer than any cache is damage, even if it is sparse`() throws {
        let directory = try TemporaryDirectory()
        do {
            _ = try directory.environment().databaseNames()
        }
        #expect(truncate(directory.dataFile, off_t(1) << 38 + 4_096) == 0)
        let error = try #require(throws: LMDBError.self) { _ = try directory.environment() }
        #expect(error.isDamage && error.operation == .validate, "\(error)")
    }

    @Test func `a data file that is a symbolic link is refused, and its target is unchanged`() throws {
        let directory = try TemporaryDirectory()
        let victim = directory.path + "/victim"
        try Data().write(to: URL(filePath: victim))
        try FileManager.default.createSymbolicLink(atPath: directory.dataFile, withDestinationPath: victim)
        #expect(throws: LMDBError.self) { _ = try directory.environment() }
        #expect(try Data(contentsOf: URL(filePath: victim)).isEmpty)
    }

    @Test func `a data file that is a named pipe is refused without blocking`() throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory.dataFile, 0o600) == 0)
        let error = try #require(throws: LMDBError.self) { _ = try directory.environment() }
        #expect(error.isDamage)
    }
}
