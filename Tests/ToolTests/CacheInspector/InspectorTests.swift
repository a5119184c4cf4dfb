import Foundation
import Testing

@Suite struct InspectorTests {
    @Test func `a directory without caches is reported, and no command creates one`() throws {
        let store = try BookStore()
        let before = try ScratchDirectory.contents(of: store.directory.url)
        let none = "There are no caches: the directory “\(store.caches)” does not exist.\n"
        #expect(try store.inspect("list").output == none)
        #expect(try store.inspect("list", "--json").json() as? [String] == [])
        #expect(try store.inspect("verify").output == none)
        #expect(try store.inspect("stats", "--json").jsonObject()["numberOfCaches"] as? Int == 0)
        #expect(try store.inspect("delete", "--all").output == "There were no caches.\n")
        #expect(try store.inspect("delete", "books").output == "There was no cache “books”.\n")
        try store.inspect("show", "books").expectRefusal(
            saying:
                "There is no cache “books” in “\(store.caches)”, which does not exist. Check --cache-directory."
        )
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
            "$2/cache-inspector" show none --cache-directory caches 2>errors; echo $?
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
        #expect(output.hasPrefix("There are no caches") && output.contains("\n\ncache  entries"), "\(output)")
        #expect(!output.contains("\u{1B}"))
    }

    @Test(arguments: [["show"], ["verify"], ["show", "--json"]])
    func `a watched cache that does not exist is awaited`(command: [String]) throws {
        let store = try BookStore()
        let script = """
            cd -- "$1"
            "$2/cache-inspector" $4 c $5 --watch --cache-directory caches >out &
            until [ -s out ]; do sleep 0.05; done
            cp out first
            "$2/library-browser" "$3" --cache c --cache-directory caches >list
            until grep -Eq '40 in 1 section|intact|numberOfRows' out; do sleep 0.05; done
            kill -TERM $!; wait $!; echo $?
            """
        let run = try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"),
            [
                "bash", "-c", script, "bash", store.directory.url.path, ToolProcess.directory.path,
                store.path, command[0], command.dropFirst().first ?? "",
            ])
        #expect(run.lines[0] == "143", "\(run)")
        let first = try String(contentsOf: store.directory.file("first"), encoding: .utf8)
        #expect(
            command.contains("--json") ? first == "[]\n" : first.hasPrefix("There is no cache “c” in “"),
            "\(first)")
    }

    @Test func `no value, the empty text and the text nil are different sections`() throws {
        let store = try BookStore()
        let requests = [
            ["--group-by", "language"], ["--group-by", "language,author.name"],
            ["--group-by", "language", "--subgroup-by", "author.name"],
        ]
        for request in requests {
            let grouping = request + ["--where", "year>1900"]
            let list = try store.browse("--rows", "0", "--cache", "c")
            #expect(list.status == 0)
            let browsed = try ToolProcess.run(
                "library-browser",
                [store.path, "--cache-directory", store.caches, "--cache", "c", "--json"] + grouping
            ).jsonObject()
            let outer = try #require(browsed["sections"] as? [[String: Any]])
            let expected = outer.flatMap { section -> [[String?]] in
                let inner = section["subsections"] as? [[String: Any]]
                return inner?.map { [section["name"] as? String, $0["name"] as? String] }
                    ?? [[section["name"] as? String]]
            }
            let run = try store.inspect("show", "c", "--sections", "--json").json() as? [[String: Any]]
            let sections = try #require(run?.first?["sections"] as? [[String: Any]])
            let names = sections.map { section -> [String?] in
                let name = section["name"] as? String
                return section.keys.contains("outerName") ? [section["outerName"] as? String, name] : [name]
            }
            #expect(names == expected, "\(request)")
            for option in ["--sections", "--plot"] {
                let text = try store.inspect("show", "c", option).output
                for name in ["nil", "\"\"", "\"nil\""] where request.count == 2 {
                    #expect(text.contains(name), "\(name) in \(text)")
                }
            }
            _ = try store.inspect("delete", "c")
        }
        // The texts of one key are those of the browser.
        _ = try store.browse("--group-by", "language", "--cache", "c")
        let headings = try store.browse("--group-by", "language", "--rows", "0").lines.filter {
            $0.contains("  ") && !$0.hasPrefix(" ")
        }
        let shown = try store.inspect("show", "c", "--sections").lines
        for heading in headings {
            let parts = heading.components(separatedBy: "  ")
            #expect(
                shown.contains { $0.hasPrefix("    ") && $0.hasSuffix("  " + parts[0]) },
                "\(heading) \(shown)")
        }
    }

    @Test(arguments: [["books"], ["other"], ["--all"]])
    func `deleting from a damaged file reports that all caches were deleted`(arguments: [String]) throws {
        let store = try BookStore()
        for format in [[], ["--json"]] {
            for name in ["books", "more"] { _ = try store.lookUp(["--cache", name]) }
            let file = store.caches + "/data.mdb"
            #expect(truncate(file, 5_000) == 0)
            let run = try store.inspect(["delete"] + arguments + format)
            #expect(run.status == 1, "\(run)")
            #expect(run.errors.contains("were damaged, and all of them were deleted"), "\(run)")
            if format.isEmpty {
                #expect(run.output == "Deleted all caches.\n", "\(run)")
            } else {
                let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
                #expect((value?["damage"] as? String)?.isEmpty == false, "\(run)")
            }
            #expect(try store.inspect("list").output == "There are no caches.\n")
            let whole = try store.inspect("delete", "--all", "--json").jsonObject()
            #expect(whole["damage"] is NSNull)
        }
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
        #expect(Set(sections.map { $0["name"] as? String }) == Set(selected.map(\.author)))
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
