import Foundation
import CheckSupport
import Testing

/// Caches that cannot be used give the correct listing and a reason.
@Suite struct BadCacheTests {
    private static let request = [
        "--group-by", "language", "--cache", "books", "--rows", "100", "--columns", "title",
    ]

    /// Runs the browser, and checks that every section and row is correct for any state of the cache.
    ///
    /// - Returns: The reason of a miss, or the result of the look-up.
    private func browse(
        _ store: BookStore, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let run = try ToolProcess.run(
            "library-browser", [store.path, "--cache-directory", store.caches, "--json"] + Self.request)
        let list = try run.jsonObject(sourceLocation: sourceLocation)
        let expected = store.sections { $0.language }
        let sections = try #require(
            list["sections"] as? [[String: Any]], comment, sourceLocation: sourceLocation)
        let titles = sections.map { ($0["rows"] as? [[String: String]])?.map { $0["title"] } }
        #expect(titles == expected.map { $0.books.map(\.title) }, comment, sourceLocation: sourceLocation)
        #expect(
            sections.map { $0["name"] as? String } == expected.map(\.name), comment,
            sourceLocation: sourceLocation)
        let cache = list["cache"] as? [String: Any]
        return cache?["reason"] as? String ?? cache?["lookup"] as? String ?? "no cache"
    }

    @Test func `a data file full of garbage is replaced`() throws {
        let store = try BookStore()
        try FileManager.default.createDirectory(
            atPath: store.caches, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for size in [0, 1, 100, 4_096, 100_000] {
            let garbage = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
            try garbage.write(to: URL(filePath: store.caches + "/data.mdb"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: store.caches + "/data.mdb")
            let reason =
                size == 0 ? "nothing is cached under this name" : "the cache is damaged (MDB_INVALID: "
            let found = try browse(store)
            #expect(found.hasPrefix(reason), "\(size) bytes: \(found)")
            #expect(try browse(store) == "hit", "\(size) bytes")
        }
    }

    @Test func `damage anywhere in the data file causes no crash and no wrong row`() throws {
        let store = try BookStore()
        _ = try browse(store)
        let file = URL(filePath: store.caches + "/data.mdb")
        let whole = try Data(contentsOf: file)
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<24 {
            var bytes = whole
            switch round % 3 {
            case 0:
                let start = Int(random.next() % UInt64(bytes.count - 64))
                for position in start..<start + 64 {
                    bytes[position] = UInt8(truncatingIfNeeded: random.next())
                }
            case 1: bytes = bytes.prefix(Int(random.next() % UInt64(bytes.count)))
            default: bytes[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 << (random.next() % 8))
            }
            try bytes.write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            // Two commands for each kind of damage, so that each command meets each kind.
            let commands = [
                ["list"], ["show", "books", "--sections"], ["verify"], ["verify", "--store", store.path],
                ["stats"],
            ]
            for number in 0..<2 {
                let arguments = commands[(round / 3 * 2 + number) % commands.count]
                let run = try ToolProcess.run(
                    "cache-inspector", arguments + ["--cache-directory", store.caches])
                #expect(
                    run.status.map { [0, 1, 2].contains($0) } ?? false, "seed \(seed), round \(round): \(run)"
                )
            }
            _ = try browse(store, "seed \(seed), round \(round)")
        }
    }

    @Test func `verify finds an entry with a changed byte`() throws {
        let store = try BookStore()
        _ = try browse(store)
        let file = URL(filePath: store.caches + "/data.mdb")
        var bytes = try Data(contentsOf: file)
        let found = try #require(bytes.firstRange(of: Data("Czech".utf8)))
        bytes[found.lowerBound] = UInt8(ascii: "X")
        try bytes.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let run = try store.inspect("verify")
        #expect(run.status == 1 && run.output.contains("DAMAGED"), "\(run)")
        #expect(run.errors == "cache-inspector: 1 entry is damaged or wrong.\n")
        #expect(try browse(store).hasPrefix("the cache is damaged"))
        #expect(try browse(store) == "hit")
        #expect(try store.inspect("verify").status == 0)
    }

    @Test func `a file, a link or a directory that others may write to is not used`() throws {
        let store = try BookStore()
        try Data().write(to: URL(filePath: store.caches))
        #expect(try browse(store).contains("is a link or not a directory"))
        try FileManager.default.removeItem(atPath: store.caches)
        try FileManager.default.createSymbolicLink(
            atPath: store.caches, withDestinationPath: store.directory.url.path)
        #expect(try browse(store).contains("is a link or not a directory"))
        try FileManager.default.removeItem(atPath: store.caches)
        try FileManager.default.createDirectory(atPath: store.caches, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: store.caches)
        #expect(try browse(store).contains("others may write to it"))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: store.caches)
        _ = try browse(store)
        #expect(try browse(store) == "hit")
    }

    @Test func `deleting from a path that is not a cache directory is refused`() throws {
        let store = try BookStore()
        let manager = FileManager.default
        func expectRefusal(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            for name in ["books", "--all"] {
                let run = try store.inspect("delete", name)
                run.expectRefusal(saying: words, sourceLocation: sourceLocation)
            }
            try manager.removeItem(atPath: store.caches)
        }
        try Data().write(to: URL(filePath: store.caches))
        try expectRefusal("is a link or not a directory")
        #expect(mkfifo(store.caches, 0o600) == 0)
        try expectRefusal("is a link or not a directory")
        try manager.createSymbolicLink(
            atPath: store.caches, withDestinationPath: store.directory.url.path)
        try expectRefusal("is a link or not a directory")
        try manager.createDirectory(atPath: store.caches, withIntermediateDirectories: false)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: store.caches)
        try expectRefusal("others may write to it")
        try manager.createDirectory(atPath: store.caches, withIntermediateDirectories: false)
        #expect(try store.inspect("delete", "--all").output == "There were no caches.\n")
        #expect(try manager.contentsOfDirectory(atPath: store.caches) == [])
    }

    @Test(.enabled(if: MountSandbox.isAvailable, MountSandbox.reason))
    func `a read-only cache directory is reported and the listing is correct`() throws {
        let store = try BookStore()
        _ = try browse(store)
        let script = """
            mount --bind "$4" "$4"; mount -o remount,bind,ro "$4"
            "$1" "$3" --cache-directory "$4" --group-by language --cache books --json > "$5"
            "$2" list --cache-directory "$4"
            "$2" delete books --cache-directory "$4" || echo "delete: $?"
            """
        let output = store.directory.path("listing.json")
        let run = try MountSandbox.run(
            script,
            [
                try ToolProcess.path("library-browser"), try ToolProcess.path("cache-inspector"), store.path,
                store.caches, output,
            ])
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("books") && run.output.contains("delete: 2"), "\(run)")
        #expect(run.errors.contains("cannot be written"), "\(run)")
        let list =
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: output))) as? [String: Any]
        #expect(list?["numberOfRows"] as? Int == store.books.count)
        let cache = list?["cache"] as? [String: Any]
        #expect(
            cache?["lookup"] as? String == "hit"
                || (cache?["reason"] as? String)?.contains("cannot be written") == true)
    }

    @Test(
        .enabled(if: MountSandbox.isAvailable, MountSandbox.reason),
        arguments: [4, 8, 12, 16, 20, 24, 28, 32])
    func `on a full disk the listing is correct and no entry is wrong`(kibibytes: Int) throws {
        let store = try BookStore()
        let script = """
            mkdir -m 700 "$4"; mount -t tmpfs -o size=\(kibibytes)k,mode=700 none "$4"
            for start in 1 2; do
                "$1" "$3" --cache-directory "$4" --group-by language --cache books --json > "$5.$start"
            done
            "$2" verify --cache-directory "$4" || echo "verify: $?"
            """
        let run = try MountSandbox.run(
            script,
            [
                try ToolProcess.path("library-browser"), try ToolProcess.path("cache-inspector"), store.path,
                store.caches, store.directory.path("listing"),
            ])
        #expect(run.status == 0, "\(run)")
        #expect(!run.output.contains("verify: 1"), "\(run)")
        for start in 1...2 {
            let data = try Data(contentsOf: store.directory.file("listing.\(start)"))
            let list = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            #expect(list?["numberOfRows"] as? Int == store.books.count)
            let cache = list?["cache"] as? [String: Any]
            let said =
                cache?["lookup"] as? String == "hit" || cache?["isSaved"] as? Bool == true
                || cache?["notSavedBecause"] != nil
            #expect(said, "\(String(describing: cache))")
        }
    }
}
