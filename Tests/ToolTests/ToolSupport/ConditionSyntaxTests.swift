import CheckSupport
import Foundation
import SectionedFetch
import Testing

@testable import ToolSupport

@Suite struct ConditionSyntaxTests {
    private typealias Book = BookStore.Book

    /// A store with its container.
    private struct Sample {
        let store: BookStore
        let container: PersistentContainer

        init(_ books: [Book] = BookStore.sample) throws {
            store = try BookStore(books)
            container = try PersistentContainer(url: URL(filePath: store.path))
        }

        /// Returns the positions of the books for which a condition holds.
        func books(_ condition: String, _ entity: String = "Book") throws -> [Int] {
            let predicate = try ConditionSyntax(condition).predicate(of: entity, in: container)
            let request = FetchRequest<ManagedObject>(
                entityName: entity, predicate: predicate, sortDescriptors: [.ascending("objectID")])
            return try container.newContext().fetch(request).map { Int($0.objectID.primaryKey ?? 0) - 1 }
        }

        func expected(_ isSelected: (Book) -> Bool) -> [Int] {
            store.books.indices.filter { isSelected(store.books[$0]) }
        }

        /// Returns the message with which a condition is refused, before or after the store is known.
        func refusal(_ condition: String) -> String? {
            do {
                _ = try books(condition)
                return nil
            } catch {
                return (error as? SyntaxFailure)?.message ?? (error as? ObjectStorageError)?.message
            }
        }
    }

    private static let days: [(text: String, seconds: Double)] = [
        ("2001-06-01", 151 * 86_400), ("2002-01-01T12:00:00Z", 365.5 * 86_400),
        ("2004-03-01", 1_155 * 86_400),
    ]

    /// Returns a random condition in the language, with its meaning as a function.
    private func condition(
        _ depth: Int, _ random: inout SeededGenerator
    ) -> (text: String, holds: (Book) -> Bool) {
        if depth > 0, Int.random(in: 0..<4, using: &random) > 0 {
            let (first, isFirst) = condition(depth - 1, &random)
            let (second, isSecond) = condition(depth - 1, &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let word = ["AND", "and", "&&"].randomElement(using: &random) ?? ""
                return ("(\(first)) \(word) (\(second))", { isFirst($0) && isSecond($0) })
            case 2, 3:
                let word = ["OR", "or", "||"].randomElement(using: &random) ?? ""
                return ("(\(first)) \(word) (\(second))", { isFirst($0) || isSecond($0) })
            default: return ("NOT (\(first))", { !isFirst($0) })
            }
        }
        let year = Int.random(in: 1899...1941, using: &random)
        let quote = ["\"", "'"].randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<11, using: &random) {
        case 0: return ("year < \(year)", { $0.year.map { $0 < year } ?? false })
        case 1: return ("year = nil", { $0.year == nil })
        case 2:
            let language =
                ["German", "Czech", "", "nil", "日本語", "a OR b"].randomElement(using: &random) ?? ""
            return ("language = \(quote)\(language)\(quote)", { $0.language == language })
        case 3: return ("title BEGINSWITH \(quote)Z\(quote)", { $0.title.hasPrefix("Z") })
        case 4:
            return ("rating BETWEEN {1, 2.5}", { $0.rating.map { $0 >= 1 && $0 <= 2.5 } ?? false })
        case 5:
            let day = Self.days.randomElement(using: &random) ?? Self.days[0]
            let mark = ["", "\"", "'"].randomElement(using: &random) ?? ""
            return ("added >= \(mark)\(day.text)\(mark)", { $0.added.map { $0 >= day.seconds } ?? false })
        case 6: return ("isRead == TRUE", { $0.isRead })
        case 7: return ("year IN {\(year), 1914, nil}", { [year, 1_914, nil].contains($0.year) })
        case 8: return ("author.name = \"Ada\"", { $0.author == "Ada" })
        case 9: return ("title LIKE \"*1*\"", { $0.title.contains("1") })
        default: return ("year != \"\(year)\"", { $0.year != year })
        }
    }

    @Test func `random conditions of the language select what a filter selects`() throws {
        let sample = try Sample()
        var random = SeededGenerator(seed: SeededGenerator.newSeed())
        var proper = 0
        for _ in 0..<400 {
            let (text, holds) = condition(3, &random)
            let expected = sample.expected(holds)
            #expect(try sample.books(text) == expected, "\(text)")
            if !expected.isEmpty, expected.count < sample.store.books.count { proper += 1 }
        }
        #expect(proper > 100)
    }

    @Test func `conditions that are joined are never a text`() throws {
        let sample = try Sample()
        #expect(
            try sample.books("language = \"German\" OR language = \"Czech\"")
                == sample.expected { ["German", "Czech"].contains($0.language) })
        #expect(
            try sample.books("added >= \"2002-03-01\" AND year < 1920")
                == sample.expected { ($0.added ?? 0) >= 424 * 86_400 && ($0.year ?? 9_999) < 1_920 })
        #expect(
            try sample.books("added >= 2002-03-01 AND year < 1920")
                == sample.expected { ($0.added ?? 0) >= 424 * 86_400 && ($0.year ?? 9_999) < 1_920 })
        #expect(try sample.books("year=>1920") == sample.expected { ($0.year ?? 0) >= 1_920 })
        #expect(
            try sample.books("title*=9") == sample.expected { $0.title.contains("9") })
        // Names of German and Czech are unknown properties.
        let refused = try #require(sample.refusal("language = German OR language = Czech"))
        #expect(refused.contains("“German”") && refused.contains("in quotes"))
        for (text, column) in [
            ("language = \"German\" OR", 23), ("year < 1900 AND AND year > 3", 17),
            ("language = Rock and Roll", 25), ("NOT year", 9), ("language=\"a\" language=\"b\"", 14),
            ("(year < 1900", 13), ("year IN 3 OR year = 4", 9), ("title = \"Heroes\" live", 18),
        ] {
            let message = try #require(sample.refusal(text), "\(text)")
            #expect(message.contains("line 1, column \(column): "), "\(text): \(message)")
        }
    }

    @Test func `quantifiers, counts and subqueries reach related objects`() throws {
        let sample = try Sample()
        let container = sample.container
        let request = FetchRequest<ManagedObject>(
            entityName: "Author", predicate: nil, sortDescriptors: [.ascending("objectID")])
        let names = try container.newContext().fetch(request).map { try $0.value(forProperty: "name").text }
        func authors(_ holds: ([Book]) -> Bool) -> [Int] {
            names.indices.filter { position in
                holds(sample.store.books.filter { $0.author == names[position] })
            }
        }
        #expect(names.count == 3)
        #expect(
            try sample.books("ANY books.added > 2005-01-01", "Author")
                == authors { $0.contains { ($0.added ?? 0) > 1_461 * 86_400 } })
        #expect(try sample.books("books.@count > 8", "Author") == authors { $0.count > 8 })
        #expect(
            try sample.books("books.@max.added < \"2005-04-01\"", "Author")
                == authors { ($0.compactMap(\.added).max() ?? 1e12) < 1_551 * 86_400 })
        #expect(
            try sample.books(
                "SUBQUERY(books, $b, $b.added < 2001-03-01 AND $b.year != \"1907\").@count > 0", "Author")
                == authors { $0.contains { ($0.added ?? 1e12) < 59 * 86_400 && $0.year != 1_907 } })
        #expect(throws: ObjectStorageError.self) {
            try sample.books("SUBQUERY(books, $b, $b.added < \"spring\").@count > 0", "Author")
        }
    }

    @Test func `a value without quotes keeps its short meaning, or is refused`() throws {
        let titles = ["007", "Ann", "AC/DC", "yes", "x = y", "#tag", "Don't", "2024-03-01", "nil", "null"]
        let sample = try Sample(
            titles.map { title in
                Book(
                    title: title, language: title, year: 7, rating: nil, isRead: true, added: nil, author: nil
                )
            })
        for title in titles where !["nil", "null"].contains(title) {
            #expect(try sample.books("title=\(title)") == sample.expected { $0.title == title }, "\(title)")
        }
        #expect(try sample.books("title=nil") == [])
        #expect(try sample.books("title = #language").count == titles.count)
        #expect(try sample.books("title == SELF.language").count == titles.count)
        let refusals = [
            "title = language": [
                "title = #\"language\" for the property", "title = \"language\" for the text",
            ],
            "title=year": ["two meanings"], "title != author.name": ["title != \"author.name\" for the text"],
            "title=null": ["title = nil for no value", "title = \"null\" for the text"],
            "added > 2024": ["“2024” is not a valid value"],
            "added > 2024 OR year = 3": ["CAST(2024, \"Date\")"],
            "added > \"spring\" OR year = 3": ["“spring” is not a valid value for “added”"],
            "title = 7 OR year = 3": ["the types differ"],
        ]
        for (text, parts) in refusals {
            let message = sample.refusal(text) ?? "accepted"
            for part in parts { #expect(message.contains(part), "\(text): \(message)") }
        }
        // The refusals' own suggestions.
        #expect(try sample.books("title = #\"language\"").count == titles.count)
        #expect(try sample.books("title = \"null\"") == sample.expected { $0.title == "null" })
    }

    @Test func `a name with a number sign is that of a property in every option`() throws {
        let sample = try Sample()
        for operation in ["=", " = ", "==", "^="] {
            let german = sample.expected { $0.language == "German" }
            #expect(try sample.books("#language\(operation)German") == german, "\(operation)")
        }
        #expect(try sample.books("#author.#name=Ada") == sample.expected { $0.author == "Ada" })
        #expect(try sample.books("#year > 1920 AND #isRead = TRUE").count > 0)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "E",
                attributes: ["order", "#tag", "#both", "both"].map {
                    AttributeDescription(name: $0, type: .string)
                })
        ])
        let known = PropertyNames(of: "E", in: model)
        for (written, name) in [("#order", "order"), ("#tag", "#tag"), ("#\"order\"", "order")] {
            #expect(try KeySyntax.expression(written, known) == .path(name))
            #expect(try KeySyntax.expression("folded:" + written, known) == .foldedText(of: name))
            #expect(try SortSyntax.descriptors("-" + written, known) == [.descending(.path(name))])
            #expect(known.paths("both,\(written)") == ["both", name])
            #expect(try ShortCondition(written + "=3").resolved(known).path == name)
        }
        // As in the predicate language.
        #expect(try ShortCondition("#both=3").resolved(known).path == "both")
    }

    @Test(arguments: ["(year > 1900", "year > 1900)", "lower(title) = a", "title BEGINSWITH = 3"])
    func `a text that cannot be parsed is refused as such, also if it begins like a short form`(
        text: String
    ) throws {
        let store = try BookStore()
        try store.browse("--where", text).expectRefusal(status: 64, saying: "line 1, column")
    }

    @Test func `names are quoted by one rule in every option`() throws {
        let names = ["dc:title", "a,b", "year:added", "say \"hi\"", "x=y", "back\\slash"]
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "E",
                attributes: names.map { AttributeDescription(name: $0, type: .string) }
                    + [AttributeDescription(name: "added", type: .date, isOptional: true)])
        ])
        let known = PropertyNames(of: "E", in: model)
        for name in names {
            let written = PropertyNames.written(name)
            #expect(try KeySyntax.expression(written) == .path(name), "\(written)")
            #expect(try KeySyntax.expressions("\(written),added") == [.path(name), "added"], "\(written)")
            #expect(try KeySyntax.expression("folded:\(written)") == .foldedText(of: name), "\(written)")
            #expect(
                try SortSyntax.descriptors("-\(written):nulls=last,added")
                    == [.descending(.path(name), nulls: .last), .ascending("added")], "\(written)")
            #expect(known.paths("added,\(written)") == ["added", name], "\(written)")
            #expect(try ShortCondition("\(written)=3").path == name, "\(written)")
            #expect(
                try FetchRequest<ManagedObject>.Predicate(format: "\(written) = 3").tree
                    == .comparison(.path(name), .equal, .constant(.integer(3))), "\(written)")
        }
        #expect(try KeySyntax.expression("dc:title", known) == "dc:title")
        #expect(
            try KeySyntax.expression("letter:dc:title:sv", known)
                == .firstLetter(of: "dc:title", in: Locale(identifier: "sv")))
        #expect(
            try SortSyntax.descriptors("-dc:title:nocase", known)
                == [.descending("dc:title", order: .caseInsensitive)])
        #expect(try KeySyntax.expression("year:added", known) == "year:added")
        #expect(try KeySyntax.expression("year:added") == .year(of: "added", in: .gmt))
        #expect(throws: SyntaxFailure.self) { try KeySyntax.expression("dc:other", known) }
    }
}
