import Foundation
import SectionedFetch
import Testing

/// What `verify` and `explain` say of each thing that can be amiss with an entry.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct InspectorReasonTests {
    private static let request = ["--group-by", "language"]

    private let store: BookStore

    /// A store of books with one entry in the cache “books”.
    init() throws {
        store = try BookStore()
        _ = try store.lookUp(Self.request + ["--cache", "books"])
    }

    private var caches: SectionCacheStore { SectionCacheStore(directory: URL(filePath: store.caches)) }

    private func entry() throws -> CacheEntry { try #require(try caches.entries(ofCache: "books").first) }

    /// The store's key, as another program reads it.
    private func key() throws -> [UInt8] {
        let digits = Array(
            try ForeignWriter.run("SELECT hex(mackey) FROM sc_store", on: store.path).utf8.prefix { $0 != 10 }
        )
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    /// Puts the same sections and rows into the cache under another request or key.
    private func replaceEntry(
        key: [UInt8]? = nil, request change: (CanonicalRequest) -> CanonicalRequest = { $0 }
    ) throws {
        let caches = caches
        let entry = try #require(try caches.entries(ofCache: "books").first)
        let index = try #require(entry.index)
        var builder = SectionIndex.Builder()
        for position in 0..<index.numberOfSections {
            let section = index.section(at: position)
            builder.beginSection(
                identity: section.identity, name: section.name, indexTitle: section.indexTitle)
            for row in try #require(index.rowIDs(in: section.rows)) { builder.append(row) }
        }
        let request = SectionCacheRequest(
            name: "books", request: change(try #require(entry.request)), token: try #require(entry.token),
            authenticationKey: try key ?? self.key())
        caches.deleteCache(named: "books")
        caches.save(builder.finish(), for: request)
        #expect(caches.waitForSaves())
    }

    /// Changes bytes of the data file behind each place where some others are.
    private func changeBytes(after pattern: [UInt8], at offset: Int, to value: UInt8) throws {
        let file = URL(filePath: store.caches + "/data.mdb")
        var bytes = try Data(contentsOf: file)
        var start = bytes.startIndex
        while let found = bytes.firstRange(of: Data(pattern), in: start..<bytes.endIndex) {
            bytes[found.upperBound + offset] = value
            start = found.upperBound
        }
        #expect(start > bytes.startIndex)
        try bytes.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// What `verify` says alone, with the store, and with the request; and what `explain` says.
    private func said(_ request: [String] = Self.request) throws -> (verify: [String], explain: String) {
        let with = ["--store", store.path]
        let verdicts = try [[], with, with + request].map { arguments in
            let run = try ToolProcess.run(
                "cache-inspector",
                ["verify", "books", "--json", "--cache-directory", store.caches] + arguments)
            let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]]
            let verdict = try #require(value?.first, "\(run)")
            #expect(run.status == (verdict["isWrong"] as? Bool == true ? 1 : 0), "\(run)")
            return "\(verdict["state"] ?? "") \(verdict["detail"] ?? "")"
        }
        let run = try ToolProcess.run(
            "cache-inspector",
            ["explain", "--cache", "books", "--json", "--cache-directory", store.caches] + with + request)
        let value = try run.jsonObject()
        return (verdicts, value["reason"] as? String ?? value["lookup"] as? String ?? "")
    }

    @Test func `nothing is amiss`() throws {
        let said = try said()
        #expect(
            said.verify == [
                "intact ", "current made for this store, and its data have not changed since",
                "equal 40 rows in 7 sections",
            ])
        #expect(said.explain == "hit")
    }

    @Test func `the libraries are others`() throws {
        try replaceEntry { request in
            CanonicalRequest(
                parts: request.parts.map {
                    .init(name: $0.name, bytes: $0.name == "environment" ? [1, 2, 3] : $0.bytes)
                }, summary: request.summary)
        }
        let said = try said()
        let words = "the libraries that sort and compute have other versions"
        #expect(said.verify.last == "stale \(words)")
        #expect(said.explain == words)
    }

    @Test func `the request is another, in a part with a name that would command a terminal`() throws {
        try replaceEntry { request in
            CanonicalRequest(
                parts: request.parts + [.init(name: "\u{1B}[2J\u{9B}31m", bytes: [1])],
                summary: "\u{202E}sgnos \u{7}")
        }
        #expect(try said().verify.last == "absent the request changed (\u{1B}[2J\u{9B}31m)")
        for arguments in [
            ["explain", "--cache", "books", "--store", store.path] + Self.request,
            ["verify", "books", "--store", store.path] + Self.request,
            ["verify", "books", "--store", store.path], ["show", "books"],
        ] {
            let run = try ToolProcess.run("cache-inspector", arguments + ["--cache-directory", store.caches])
            #expect(run.output.contains("\\u{"), "\(run)")
            let unsafe = run.output.unicodeScalars.filter {
                ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}"
            }
            #expect(unsafe.isEmpty, "\(run)")
        }
    }

    @Test func `the entry is forged`() throws {
        try replaceEntry(key: Array(repeating: 7, count: 32))
        let said = try said()
        let words = "the entry was not made for this store under this name"
        // Nobody but the store can tell.
        #expect(said.verify == ["intact ", "FORGED \(words)", "FORGED \(words)"])
        #expect(said.explain == words)
    }

    @Test func `the entry has another format`() throws {
        try changeBytes(after: Array("SCINDEX\n".utf8), at: 0, to: 9)
        let said = try said()
        let words = "the entry has format 9, not 2"
        #expect(said.verify == ["stale \(words)", "stale \(words)", "stale \(words)"])
        #expect(said.explain == words)
    }

    @Test func `the sections are damaged`() throws {
        try changeBytes(after: Array("Czech".utf8), at: -1, to: 0)
        let said = try said()
        let words = "the cache is damaged (the directory's digest)"
        #expect(said.verify == ["DAMAGED \(words)", "DAMAGED \(words)", "DAMAGED \(words)"])
        #expect(said.explain == words)
    }

    @Test func `the rows are damaged`() throws {
        let entry = try entry()
        let key = entry.fingerprint.bytes + (try #require(entry.token).storeIdentity) + [1, 0, 0, 0, 0]
        // Behind the header of the chunk.
        try changeBytes(after: key, at: 40, to: 0xEE)
        let said = try said()
        let words = "the cache is damaged (some of its rows)"
        #expect(said.verify[0] == "DAMAGED \(words)" && said.verify[1] == "DAMAGED \(words)")
        #expect(said.verify[2] == "DAMAGED the cache is damaged (rows 0..<40 cannot be read)")
        // The sections are right. Rows are checked when they are read, and then computed anew.
        #expect(said.explain == "hit")
    }

    @Test(arguments: ["CREATE TABLE Other (x)", "CREATE INDEX other ON Book (year)", "ANALYZE"])
    func `a change of the schema that touches no table of ours is none to a cache`(statement: String) throws {
        try ForeignWriter.run(statement, on: store.path)
        let said = try said()
        #expect(said.verify.last == "equal 40 rows in 7 sections")
        #expect(said.explain == "hit")
    }

    @Test(arguments: [
        "VACUUM", "ALTER TABLE Book ADD COLUMN more TEXT", "DROP TRIGGER sc_Book_delete",
    ])
    func `the schema changed, or is counted as changed`(statement: String) throws {
        if statement.hasPrefix("DROP") {
            let triggers = try ForeignWriter.run(
                "SELECT name FROM sqlite_schema WHERE type = 'trigger'", on: store.path)
            let name = try #require(triggers.split(separator: "\n").first)
            try ForeignWriter.run("DROP TRIGGER \"\(name)\"", on: store.path)
        } else {
            try ForeignWriter.run(statement, on: store.path)
        }
        let words = MissReason.schemaChanged.description
        let said = try said()
        #expect(said.verify.last == "stale \(words)")
        #expect(said.explain == words)
        let run = try store.inspect(["explain", "--cache", "books", "--store", store.path] + Self.request)
        // It is computed anew, so there is nothing to wait for.
        #expect(!run.output.contains("next "), "\(run)")
    }

    @Test func `another program changed the data`() throws {
        try ForeignWriter.run("UPDATE Book SET year = 1 WHERE objectID = 1", on: store.path)
        let words = "another program changed the data (Book), and no fetch of ours has stamped them since"
        let said = try said()
        #expect(said.verify.last == "stale \(words)")
        #expect(said.explain == words)
        let run = try store.inspect(["explain", "--cache", "books", "--store", store.path] + Self.request)
        #expect(run.output.contains("\nnext     a start that may write the store brings"), "\(run)")
    }

    @Test(arguments: [
        ("none", request, "nothing is cached under this name"),
        ("books", ["--group-by", "year"], "what is cached under this name is of other requests"),
    ])
    func `after another program's change nothing is said of an entry that is not there`(
        name: String, request: [String], reason: String
    ) throws {
        try ForeignWriter.run("UPDATE Book SET year = 1 WHERE objectID = 1", on: store.path)
        let with = ["--store", store.path] + request
        let explained = try store.inspect(["explain", "--cache", name, "--json"] + with).jsonObject()
        #expect(explained["reason"] as? String == reason)
        #expect(explained["next"] is NSNull)
        let text = try store.inspect(["explain", "--cache", name] + with)
        #expect(text.output.contains("miss: \(reason)\n") && !text.output.contains("next "), "\(text)")
        let verified = try store.inspect(["verify", name, "--json"] + with).json() as? [[String: Any]]
        #expect(verified?.first?["state"] as? String == "absent")
        #expect(verified?.first?["detail"] as? String == reason)
    }

    @Test func `what to do next is told in JSON as in the text`() throws {
        try ForeignWriter.run("UPDATE Book SET year = 1 WHERE objectID = 1", on: store.path)
        let arguments = ["explain", "--cache", "books", "--store", store.path] + Self.request
        let next = try #require(
            try store.inspect(arguments + ["--json"]).jsonObject()["next"] as? String)
        #expect(try store.inspect(arguments).output.contains("\nnext     \(next)\n"))
    }

    @Test func `the store is another`() throws {
        try ForeignWriter.run("UPDATE sc_store SET uuid = zeroblob(16)", on: store.path)
        let said = try said()
        let words = "the cache was made for another store"
        #expect(said.verify == ["intact ", "foreign \(words)", "foreign \(words)"])
        #expect(said.explain == words)
    }

    @Test func `the store says otherwise`() throws {
        _ = try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"),
            ["sqlite3", store.path, ".dbconfig enable_trigger off", "DELETE FROM Book WHERE objectID = 1"])
        #expect(try said().verify.last == "WRONG The cache has 40 rows, the store 39.")
    }

    @Test func `the caches are off`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: store.caches)
        let words = "its directory is not safe (others may write it; take that away with chmod go-w)"
        let run = try store.inspect("verify", "books")
        #expect(run.status == 2 && run.errors.contains(words), "\(run)")
        let compared = try ToolProcess.run(
            "cache-inspector",
            ["verify", "books", "--store", store.path, "--cache-directory", store.caches] + Self.request)
        compared.expectRefusal(saying: "the cache is off", words)
        let explained = try store.inspect("explain", "--cache", "books", "--store", store.path)
        #expect(explained.output.contains("miss: the cache is off: \(words)"), "\(explained)")
        // Also where another program's change would be the first thing to say.
        try ForeignWriter.run("UPDATE Book SET year = 1 WHERE objectID = 1", on: store.path)
        let changed = try store.inspect("explain", "--cache", "books", "--store", store.path)
        #expect(changed.output.contains("miss: the cache is off: \(words)"), "\(changed)")
    }
}
