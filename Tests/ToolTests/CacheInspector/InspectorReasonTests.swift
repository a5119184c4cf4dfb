import Foundation
import SectionedFetch
import Testing

/// The output of `verify` and `explain` for each problem that an entry can have.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct InspectorReasonTests {
    private static let request = ["--group-by", "language"]

    private let store: BookStore

    /// Makes a store of books with one entry in the cache “books”.
    init() throws {
        store = try BookStore()
        _ = try store.lookUp(Self.request + ["--cache", "books"])
    }

    private var caches: SectionCacheStore { SectionCacheStore(directory: URL(filePath: store.caches)) }

    private func entry() throws -> CacheEntry { try #require(try caches.entries(ofCache: "books").first) }

    /// Returns the store's authentication key, read by another program.
    private func key() throws -> [UInt8] {
        let digits = Array(
            try ForeignWriter.run("SELECT hex(mackey) FROM sc_store", on: store.path).utf8.prefix { $0 != 10 }
        )
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    /// Replaces the entry by one with the same sections and rows under another request or key.
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
        #expect(caches.waitForWrites())
    }

    /// Changes the byte at an offset after each occurrence of a pattern in the data file.
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

    /// Returns the verdicts of `verify` without the store, with it, and with it and the request, and the
    /// answer of `explain`.
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

    @Test func `an entry without a problem is equal and a hit`() throws {
        let said = try said()
        #expect(
            said.verify == [
                "intact ", "current saved for this store, whose data has not changed since",
                "equal 40 rows in 7 sections",
            ])
        #expect(said.explain == "hit")
    }

    @Test func `other versions of the libraries make the entry stale`() throws {
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

    @Test func `another request makes the entry absent, and control characters of its parts are escaped`()
        throws
    {
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

    @Test func `an entry with another key is forged`() throws {
        try replaceEntry(key: Array(repeating: 7, count: 32))
        let said = try said()
        let words = "the entry was not made for this store under this name"
        // Only the store has the key.
        #expect(said.verify == ["intact ", "FORGED \(words)", "FORGED \(words)"])
        #expect(said.explain == words)
    }

    @Test func `an entry of another format is stale`() throws {
        try changeBytes(after: Array("SCINDEX\n".utf8), at: 0, to: 9)
        let said = try said()
        let words = "the entry has format 9, not 2"
        #expect(said.verify == ["stale \(words)", "stale \(words)", "stale \(words)"])
        #expect(said.explain == words)
    }

    @Test func `damaged sections are reported`() throws {
        try changeBytes(after: Array("Czech".utf8), at: -1, to: 0)
        let said = try said()
        let words = "the cache is damaged (the directory does not match its digest)"
        #expect(said.verify == ["DAMAGED \(words)", "DAMAGED \(words)", "DAMAGED \(words)"])
        #expect(said.explain == words)
    }

    @Test func `damaged rows are reported`() throws {
        let entry = try entry()
        let key = entry.fingerprint.bytes + (try #require(entry.token).storeIdentity) + [1, 0, 0, 0, 0]
        // The byte is after the header of the chunk.
        try changeBytes(after: key, at: 40, to: 0xEE)
        let said = try said()
        let words = "the cache is damaged (some of its rows do not match their digest)"
        #expect(said.verify[0] == "DAMAGED \(words)" && said.verify[1] == "DAMAGED \(words)")
        #expect(said.verify[2] == "DAMAGED the cache is damaged (rows 0..<40 cannot be read)")
        // The sections are correct. Rows are checked when they are read, and then computed again.
        #expect(said.explain == "hit")
    }

    @Test(arguments: ["CREATE TABLE Other (x)", "CREATE INDEX other ON Book (year)", "ANALYZE"])
    func `a schema change that does not affect the rows of the request leaves a hit`(statement: String) throws
    {
        try ForeignWriter.run(statement, on: store.path)
        let said = try said()
        #expect(said.verify.last == "equal 40 rows in 7 sections")
        #expect(said.explain == "hit")
    }

    @Test(arguments: [
        "VACUUM", "ALTER TABLE Book ADD COLUMN more TEXT", "DROP TRIGGER sc_Book_delete",
    ])
    func `a schema change or a vacuum makes the entry stale`(statement: String) throws {
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
        // The next start computes the sections again, so `explain` names no next step.
        #expect(!run.output.contains("next "), "\(run)")
    }

    @Test func `a change by another program makes the entry stale, and explain names the next step`() throws {
        try ForeignWriter.run("UPDATE Book SET year = 1 WHERE objectID = 1", on: store.path)
        let words = "another program changed the data (Book) after the last fetch of these tables"
        let said = try said()
        #expect(said.verify.last == "stale \(words)")
        #expect(said.explain == words)
        let run = try store.inspect(["explain", "--cache", "books", "--store", store.path] + Self.request)
        #expect(run.output.contains("\nnext     the next start advances"), "\(run)")
    }

    @Test(arguments: [
        ("none", request, "nothing is cached under this name"),
        ("books", ["--group-by", "year"], "the request changed (sort, section)"),
    ])
    func `after another program's change an absent entry has its own reason and no next step`(
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

    @Test func `the next step is the same in JSON and in the text`() throws {
        try ForeignWriter.run("UPDATE Book SET year = 1 WHERE objectID = 1", on: store.path)
        let arguments = ["explain", "--cache", "books", "--store", store.path] + Self.request
        let next = try #require(
            try store.inspect(arguments + ["--json"]).jsonObject()["next"] as? String)
        #expect(try store.inspect(arguments).output.contains("\nnext     \(next)\n"))
    }

    @Test func `an entry of another store is foreign`() throws {
        try ForeignWriter.run("UPDATE sc_store SET uuid = zeroblob(16)", on: store.path)
        let said = try said()
        let words = "the cache was made for another store"
        #expect(said.verify == ["intact ", "foreign \(words)", "foreign \(words)"])
        #expect(said.explain == words)
    }

    @Test func `an entry that contradicts the store is wrong`() throws {
        _ = try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"),
            ["sqlite3", store.path, ".dbconfig enable_trigger off", "DELETE FROM Book WHERE objectID = 1"])
        #expect(try said().verify.last == "WRONG The cache has 40 rows, the store 39.")
    }

    @Test func `an unsafe cache directory is reported by verify and explain`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: store.caches)
        let words = "its directory is not safe (others may write to it; use chmod go-w)"
        let run = try store.inspect("verify", "books")
        #expect(run.status == 2 && run.errors.contains(words), "\(run)")
        let compared = try ToolProcess.run(
            "cache-inspector",
            ["verify", "books", "--store", store.path, "--cache-directory", store.caches] + Self.request)
        compared.expectRefusal(saying: "the cache is off", words)
        let explained = try store.inspect("explain", "--cache", "books", "--store", store.path)
        #expect(explained.output.contains("miss: the cache is off: \(words)"), "\(explained)")
        // The directory takes precedence over another program's change.
        try ForeignWriter.run("UPDATE Book SET year = 1 WHERE objectID = 1", on: store.path)
        let changed = try store.inspect("explain", "--cache", "books", "--store", store.path)
        #expect(changed.output.contains("miss: the cache is off: \(words)"), "\(changed)")
    }
}
