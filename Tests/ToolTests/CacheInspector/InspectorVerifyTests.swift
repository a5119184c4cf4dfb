import Foundation
import Testing

@Suite struct InspectorVerifyTests {
    private let request = ["--group-by", "language"]

    private func verdict(_ store: BookStore, _ arguments: [String] = []) throws -> (
        state: String, detail: String, status: Int32?
    ) {
        let run = try ToolProcess.run(
            "cache-inspector",
            ["verify", "books", "--store", store.path, "--json", "--cache-directory", store.caches]
                + arguments)
        let verdicts = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]]
        let verdict = try #require(verdicts?.first, "\(run)")
        return (verdict["state"] as? String ?? "", verdict["detail"] as? String ?? "", run.status)
    }

    private func explanation(_ store: BookStore, _ arguments: [String]) throws -> String {
        let run = try ToolProcess.run(
            "cache-inspector",
            [
                "explain", "--cache", "books", "--store", store.path, "--json", "--cache-directory",
                store.caches,
            ] + arguments)
        let value = try run.jsonObject()
        return value["reason"] as? String ?? value["lookup"] as? String ?? ""
    }

    @Test func `a current entry equals the sections computed anew`() throws {
        let store = try BookStore()
        _ = try store.lookUp(request + ["--cache", "books"])
        let (state, detail, status) = try verdict(store, request)
        #expect((state, detail, status) == ("equal", "40 rows in 7 sections", 0))
        #expect(try verdict(store).state == "current")
        #expect(try store.inspect("verify", "books").output.contains("intact"))
        #expect(try explanation(store, request) == "hit")
    }

    @Test func `explain names the part of the request that differs`() throws {
        let store = try BookStore()
        _ = try store.lookUp(request + ["--cache", "books"])
        let differences = [
            (["--limit", "3"], "window"), (["--where", "year>1"], "predicate"),
            (["--sort", "language,title"], "sort"),
            (["--sort", "language:nulls=last"], "sort"),
        ]
        for (option, part) in differences {
            #expect(try explanation(store, request + option) == "the request changed (\(part))", "\(option)")
        }
        #expect(try explanation(store, ["--group-by", "year"]) == "the request changed (sort, section)")
        #expect(try explanation(store, ["--entity", "Author"]).hasPrefix("the request changed (entity"))
        let text = try store.inspect("explain", "--cache", "books", "--store", store.path, "--limit", "3")
        #expect(text.status == 0)
        #expect(text.output.contains("entry    Book by language, in sections by language"))
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `an entry that is out of date is stale, which is no failure`() throws {
        let store = try BookStore()
        _ = try store.lookUp(request + ["--cache", "books"])
        try ForeignWriter.run("UPDATE Book SET language = 'x' WHERE objectID = 1", on: store.path)
        // The other program left the table dirty, and the inspector must not stamp it.
        for arguments in [[], request] {
            let (state, detail, status) = try verdict(store, arguments)
            #expect(state == "stale" && status == 0 && detail.contains("Book"))
        }
        #expect(
            try explanation(store, request)
                == "another program changed the data (Book) after the last fetch of these tables")
        // A fetch of another request stamps the table.
        _ = try store.lookUp(["--cache", "other"])
        for arguments in [[], request] {
            let (state, detail, status) = try verdict(store, arguments)
            #expect((state, detail, status) == ("stale", "the data changed (Book)", 0))
        }
        #expect(try explanation(store, request) == "the data changed (Book)")
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `verify finds an entry whose data changed under a restored version stamp`() throws {
        let store = try BookStore()
        _ = try store.lookUp(request + ["--cache", "books"])
        // The version stamp is restored after the change, which a token cannot detect.
        try ForeignWriter.run(
            """
            CREATE TEMP TABLE kept AS SELECT * FROM sc_gen;
            UPDATE Book SET language = 'Zulu' WHERE objectID = 1;
            UPDATE sc_gen SET seq = (SELECT seq FROM kept WHERE kept.id = sc_gen.id), nonce = (SELECT nonce FROM kept WHERE kept.id = sc_gen.id)
            """, on: store.path)
        #expect(try verdict(store).state == "current")
        let (state, detail, status) = try verdict(store, request)
        #expect(state == "WRONG" && status == 1 && !detail.isEmpty)
    }

    @Test(arguments: ["data.mdb", "lock.mdb", "guard.lock"], ["FIFO", "directory", "link"])
    func `a directory with an irregular file is refused by every command`(name: String, kind: String)
        throws
    {
        let store = try BookStore()
        _ = try store.lookUp(request + ["--cache", "books"])
        let path = store.caches + "/" + name
        for isAlone in [false, true] {
            // Without a data file delete has nothing to do, but the directory is still not safe.
            if isAlone { try? FileManager.default.removeItem(atPath: store.caches + "/data.mdb") }
            try? FileManager.default.removeItem(atPath: path)
            switch kind {
            case "FIFO": #expect(mkfifo(path, 0o600) == 0)
            case "directory":
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            default:
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
            }
            for arguments in [
                ["verify", "books", "--store", store.path, "--json"] + request,
                ["verify", "books", "--store", store.path] + request, ["verify"], ["list"],
                ["delete", "books"], ["delete", "--all"],
            ] {
                try store.inspect(arguments).expectRefusal(
                    saying: "its directory is not safe (\(name) is not a regular file)")
            }
        }
    }

    @Test func `a plain miss is no failure`() throws {
        let store = try BookStore()
        let absent = try verdict(store, request)
        #expect((absent.state, absent.status) == ("absent", 0))
        _ = try store.lookUp(request + ["--cache", "books"])
        let other = try verdict(store, ["--group-by", "year"])
        #expect((other.state, other.status) == ("absent", 0))
    }

    @Test func `an entry of another store is foreign`() throws {
        let store = try BookStore()
        let other = try BookStore()
        _ = try store.lookUp(request + ["--cache", "books"])
        let run = try store.inspect("verify", "books", "--store", other.path)
        #expect(run.status == 0 && run.output.contains("foreign"), "\(run)")
        let explanation = try store.inspect(
            "explain", "--cache", "books", "--store", other.path, "--group-by", "language")
        #expect(explanation.output.contains("miss: the cache was made for another store"))
    }
}
