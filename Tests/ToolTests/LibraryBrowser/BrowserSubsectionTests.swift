import Foundation
import SectionedFetch
import Testing

/// Nested and combined section keys on the command line.
@Suite struct BrowserSubsectionTests {
    private typealias Book = BookStore.Book

    private struct Group: Equatable {
        let name: String
        let count: Int
        var subsections: [Group] = []
        var titles: [String] = []
    }

    /// Returns books grouped by a key, in the order of the keys; nil comes first.
    private func grouped<Key: Comparable & Hashable>(
        _ books: [Book], by key: (Book) -> Key?, _ name: (Key) -> String,
        _ group: (String, [Book]) -> Group
    ) -> [Group] {
        let groups = Dictionary(grouping: books, by: key)
        let keys = groups.keys.sorted { first, second in
            guard let first else { return second != nil }
            return second.map { first < $0 } ?? false
        }
        return keys.map { group($0.map(name) ?? "", groups[$0] ?? []) }
    }

    private func groups(_ values: Any?) -> [Group] {
        (values as? [[String: Any]] ?? []).map { value in
            Group(
                name: value["name"] is NSNull ? "" : value["name"] as? String ?? "?",
                count: value["numberOfRows"] as? Int ?? -1,
                subsections: groups(value["subsections"]),
                titles: (value["rows"] as? [[String: Any]] ?? []).map { $0["title"] as? String ?? "?" })
        }
    }

    /// The authors with their years as sections and subsections of the sample.
    private func authorsAndYears(_ books: [Book], rows: Int) -> [Group] {
        grouped(books, by: { $0.author.map { Array($0.utf8).map(Int.init) }.map(Bytes.init) }, \.text) {
            name, books in
            Group(
                name: name, count: books.count,
                subsections: grouped(books, by: \.year, String.init) { year, books in
                    Group(name: year, count: books.count, titles: books.prefix(rows).map(\.title))
                })
        }
    }

    /// A text in the order of its bytes, which is SQLite's.
    private struct Bytes: Comparable, Hashable {
        let bytes: [Int]
        init(_ bytes: [Int]) { self.bytes = bytes }
        var text: String { String(decoding: bytes.map(UInt8.init), as: UTF8.self) }
        static func < (first: Self, second: Self) -> Bool {
            first.bytes.lexicographicallyPrecedes(second.bytes)
        }
    }

    @Test func `subsections, counts and rows in JSON are those of the data`() throws {
        let store = try BookStore()
        let options = ["--group-by", "author", "--name-by", "author.name", "--subgroup-by", "year"]
        let expected = authorsAndYears(store.books, rows: 2)
        for lookup in ["miss", "hit"] {
            let list = try ToolProcess.run(
                "library-browser",
                [store.path, "--cache-directory", store.caches, "--cache", "nested", "--json", "--rows", "2"]
                    + options
            ).jsonObject()
            #expect(groups(list["sections"]) == expected)
            #expect(list["numberOfSections"] as? Int == expected.count)
            #expect(
                list["numberOfSubsections"] as? Int == expected.reduce(0) { $0 + $1.subsections.count })
            #expect((list["cache"] as? [String: Any])?["lookup"] as? String == lookup)
        }
        let verdict = try store.inspect(
            ["verify", "nested", "--store", store.path, "--json"] + options)
        #expect(verdict.output.contains("\"equal\""), "\(verdict)")
        let explanation = try store.inspect(
            ["explain", "--cache", "nested", "--store", store.path] + options)
        #expect(explanation.output.contains("hit: 40 rows"), "\(explanation)")
    }

    @Test func `the text has subsections below their section, with counts and rows`() throws {
        let store = try BookStore()
        let run = try store.browse(
            "--group-by", "author", "--name-by", "author.name", "--subgroup-by", "year", "--columns", "year")
        var expected = ["        year"]
        for author in authorsAndYears(store.books, rows: 3) {
            expected.append("\(author.name.isEmpty ? "nil" : author.name)  \(author.count)")
            for year in author.subsections {
                let shown = year.name.isEmpty ? "nil" : year.name
                expected.append("    \(shown)  \(year.count)")
                expected += year.titles.map { _ in "        \(shown)" }
            }
        }
        // Numbers are right-aligned in their column.
        let printed = run.lines.map { line in
            line.hasPrefix("        ") ? "        " + line.trimmingPrefix { $0 == " " } : line
        }.filter { !$0.isEmpty && !$0.hasPrefix("Book") && !$0.hasPrefix("First") }
        let escaped = expected.map {
            $0.replacingOccurrences(of: "\u{1B}", with: "\\u{1B}").replacingOccurrences(
                of: "\u{7}", with: "\\u{7}")
        }
        #expect(printed == escaped, "\(run)")
        #expect(run.lines.first?.contains("with subsections by year: 40 rows in 4 sections with") == true)
        let one = try store.browse(
            "--group-by", "author", "--name-by", "author.name", "--subgroup-by", "year", "--section", "Ada",
            "--columns", "year")
        // With the titles of the columns.
        #expect(one.lines.count { $0.hasPrefix("        ") } == 1 + store.books.count { $0.author == "Ada" })
    }

    @Test func `several keys form one section for each combination`() throws {
        let store = try BookStore()
        let list = try store.browse("--group-by", "language,isRead", "--json", "--rows", "40").jsonObject()
        let expected = store.sections { $0.language }.flatMap { language, books in
            [false, true].compactMap { isRead -> Group? in
                let books = books.filter { $0.isRead == isRead }
                guard !books.isEmpty else { return nil }
                return Group(
                    name: "\(language ?? ""), \(isRead ? 1 : 0)", count: books.count,
                    titles: books.map(\.title))
            }
        }
        #expect(groups(list["sections"]) == expected)
        let text = try store.browse("--group-by", "language,isRead")
        for name in ["nil, false", "\"\", false", "\"nil\", false", "German, true"] {
            #expect(text.lines.contains { $0.hasPrefix(name + "  ") }, "\(name) \(text)")
        }
    }

    @Test func `letters, ranges and folded texts as outer keys keep their sections together`() throws {
        func book(_ title: String, _ language: String?, _ year: Int?, _ rating: Double?) -> Book {
            Book(
                title: title, language: language, year: year, rating: rating, isRead: true, added: 0,
                author: nil)
        }
        let store = try BookStore([
            book("Zeit", "Jazz", 1950, 1), book("Adam", "JAZZ", 1949, 12), book("Äther", "jázz", 1950, 3),
            book("abend", "rock", 1949, 15), book("Zoo", "Rock", 1950, 2), book("Berg", "Jazz", 1949, nil),
        ])
        for outer in [
            "letter:title", "letter:title:de:apart", "index:title", "folded:language", "range:rating:step=10",
        ] {
            for inner in ["year", "letter:title", "folded:language", "range:year:step=10"] {
                let run = try store.browse("--group-by", outer, "--subgroup-by", inner, "--json")
                try #require(run.status == 0, "\(outer) \(inner) \(run)")
                let sections = groups(try run.jsonObject()["sections"])
                #expect(sections.reduce(0) { $0 + $1.count } == 6)
                #expect(sections.allSatisfy { $0.count == $0.subsections.reduce(0) { $0 + $1.count } })
                let both = try store.browse("--group-by", "\(outer),\(inner)", "--json")
                #expect(
                    groups(try both.jsonObject()["sections"]).map(\.count)
                        == sections.flatMap(\.subsections).map(\.count), "\(outer) \(inner) \(both)")
            }
        }
    }
}
