import Foundation
import Testing

@Suite struct InspectorTests {
    @Test func `a directory without caches is reported, and no command creates one`() throws {
        let store = try BookStore()
        let before = try ScratchDirectory.contents(of: store.directory.url)
        #expect(try store.inspect("list").output == "There are no caches.\n")
        #expect(try store.inspect("list", "--json").json() as? [String] == [])
        #expect(try store.inspect("verify").output == "There are no caches.\n")
        #expect(try store.inspect("stats", "--json").jsonObject()["numberOfCaches"] as? Int == 0)
        #expect(try store.inspect("delete", "--all").output == "There were no caches.\n")
        #expect(try store.inspect("delete", "books").output == "There was no cache “books”.\n")
        try store.inspect("show", "books").expectRefusal(
            saying: "There is no cache “books”", "The directory has no caches.")
        let explanation = try store.inspect("explain", "--cache", "books", "--store", store.path)
        #expect(explanation.output.contains("miss: nothing is cached under this name"))
        #expect(try ScratchDirectory.contents(of: store.directory.url) == before)
    }

    @Test func `caches are listed with their entries, rows and bytes`() throws {
        let store = try BookStore()
        for request in [
            ["--cache", "a"], ["--cache", "a", "--limit", "5"], ["--cache", "b", "--group-by", "year"],
        ] {
            _ = try store.lookUp(request)
        }
        let list = try #require(try store.inspect("list", "--json").json() as? [[String: Any]])
        #expect(list.map { $0["name"] as? String } == ["a", "b"])
        #expect(list.map { $0["numberOfEntries"] as? Int } == [2, 1])
        #expect(list.map { $0["numberOfRows"] as? Int } == [45, 40])
        #expect(
            list.allSatisfy {
                $0["numberOfDamagedEntries"] as? Int == 0 && ($0["byteCount"] as? Int ?? 0) > 0
            })
        let lines = try store.inspect("list").lines
        #expect(lines[0].hasPrefix("cache  entries  rows"))
        #expect(lines[1].split(separator: " ").prefix(3) == ["a", "2", "45"])
    }

    @Test func `statistics contain the sizes of each cache, and sections are plotted`() throws {
        let store = try BookStore()
        for request in [["--cache", "a"], ["--cache", "b", "--group-by", "language"]] {
            _ = try store.lookUp(request)
        }
        let list = try #require(try store.inspect("list", "--json").json() as? [[String: Any]])
        let caches = try #require(
            try store.inspect("stats", "--json").jsonObject()["caches"] as? [[String: Any]])
        #expect(caches as NSArray == list as NSArray)
        #expect(try store.inspect("stats").lines.suffix(3) == store.inspect("list").lines.suffix(3))
        let plot = try store.inspect("show", "b", "--plot")
        let bars = plot.lines.filter { $0.contains("█") }
        #expect(bars.count == Set(store.books.map(\.language)).count, "\(plot)")
        for (language, books) in Dictionary(grouping: store.books, by: \.language) {
            let line = bars.first { $0.contains("  \(books.count)  █") && $0.contains(language ?? "nil") }
            #expect(line != nil || (language ?? "").isEmpty, "\(language ?? "nil") \(plot)")
        }
    }

    @Test func `a watched report is printed again after a change, until a signal or a closed output`() throws
    {
        let store = try BookStore()
        let script = """
            cd -- "$1"
            "$2/cache-inspector" list --watch --cache-directory caches >out &
            until grep -q 'no caches' out; do sleep 0.05; done
            "$2/library-browser" "$3" --cache c --cache-directory caches >list
            until grep -q '^c ' out; do sleep 0.05; done
            kill -TERM $!; wait $!; echo $?
            "$2/cache-inspector" list --watch 9 --cache-directory caches | head -n 1; echo ${PIPESTATUS[0]}
            "$2/cache-inspector" show none --watch --cache-directory caches 2>errors; echo $?
            """
        let run = try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"),
            [
                "bash", "-c", script, "bash", store.directory.url.path, ToolProcess.directory.path,
                store.path,
            ])
        let lines = run.lines
        #expect(lines[0] == "143" && lines[1].hasPrefix("cache  entries") && lines[2] == "0", "\(run)")
        #expect(lines[3] == "2", "\(run)")
        let output = try String(contentsOf: store.directory.file("out"), encoding: .utf8)
        #expect(output.hasPrefix("There are no caches.\n\ncache  entries"), "\(output)")
        #expect(!output.contains("\u{1B}"))
    }

    @Test func `an entry is shown with its request, sections, token and sizes`() throws {
        let store = try BookStore()
        _ = try store.lookUp(["--cache", "books", "--group-by", "author.name", "--where", "year>1900"])
        let selected = store.books.filter { ($0.year ?? 0) > 1900 }
        let entries = try #require(
            try store.inspect("show", "books", "--sections", "--json").json() as? [[String: Any]])
        let entry = try #require(entries.first)
        #expect(
            entry["request"] as? String == "Book where year > 1900 by author.name, in sections by author.name"
        )
        #expect(entry["numberOfRows"] as? Int == selected.count)
        let sections = try #require(entry["sections"] as? [[String: Any]])
        #expect(Set(sections.compactMap { $0["name"] as? String }) == Set(selected.map(\.author.shown)))
        let token = try #require(entry["token"] as? [String: Any])
        let dependencies = try #require(token["dependencies"] as? [[String: String]])
        #expect(dependencies.map { $0["name"] } == ["Author", "Book"])
        let text = try store.inspect("show", "books", "--sections").output
        for part in [
            "Book where year > 1900", "33 in 4 sections", "Ada", "\\u{1B}[31mMallory", "intact", "commit ",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        try store.inspect("show", "bucks").expectRefusal(
            saying: "There is no cache “bucks”", "Available: “books”.")
    }

    @Test func `commands other than delete change neither the store nor the caches`() throws {
        let store = try BookStore()
        _ = try store.lookUp(["--cache", "books", "--group-by", "language"])
        func contents() throws -> [String: Data] {
            // The lock file records readers; no other file may change.
            try ScratchDirectory.contents(of: store.directory.url).filter { !$0.key.hasSuffix("lock.mdb") }
        }
        let before = try contents()
        for arguments in [
            ["list"], ["show", "books", "--sections"], ["stats"], ["verify"],
            ["verify", "books", "--store", store.path],
            ["verify", "books", "--store", store.path, "--group-by", "language"],
            ["explain", "--cache", "books", "--store", store.path, "--group-by", "year"],
            ["explain", "--cache", "other", "--store", store.path],
        ] {
            let run = try ToolProcess.run("cache-inspector", arguments + ["--cache-directory", store.caches])
            #expect(run.status == 0, "\(run)")
            #expect(try contents() == before, "\(arguments)")
        }
    }

    @Test func `deleting one cache leaves the others, and deleting all leaves none`() throws {
        let store = try BookStore()
        for name in ["a", "b", "c"] { _ = try store.lookUp(["--cache", name]) }
        #expect(try store.inspect("delete", "b", "--json").jsonObject()["deleted"] as? [String] == ["b"])
        #expect(try store.lookUp(["--cache", "a"]) == "hit")
        #expect(try store.inspect("delete", "b").output == "There was no cache “b”.\n")
        #expect(try store.inspect("delete", "--all").output == "Deleted 2 caches.\n")
        #expect(try store.inspect("list").output == "There are no caches.\n")
    }

    @Test func `statistics count caches, entries and bytes`() throws {
        let store = try BookStore()
        for name in ["a", "b"] { _ = try store.lookUp(["--cache", name]) }
        let statistics = try store.inspect("stats", "--json").jsonObject()
        #expect(statistics["numberOfCaches"] as? Int == 2)
        #expect(statistics["numberOfEntries"] as? Int == 2)
        let size = try FileManager.default.attributesOfItem(atPath: store.caches + "/data.mdb")[.size] as? Int
        #expect(statistics["fileByteCount"] as? Int == size)
        #expect(statistics["directory"] as? String == store.caches)
        #expect(try store.inspect("stats").output.contains("entries       2"))
    }
}
