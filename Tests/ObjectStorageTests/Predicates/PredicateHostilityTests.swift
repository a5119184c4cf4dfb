import Foundation
import ObjectStorage
import CheckSupport
import Testing

@Suite struct PredicateHostilityTests {
    /// Texts that would be SQL if a statement contained them.
    static let injections = [
        "'; DROP TABLE Painting; --", "\"; DROP TABLE Painting; --", "') OR 1=1 --", "\") OR (\"1\"=\"1",
        "?1", ":a", "@a",
        "$a", "x' OR 'x'='x", "\u{0}'; DROP TABLE Painting", "title\" = title OR \"title", "/* */",
        "\\' OR 1=1 --", "%@ %K",
    ]

    @Test(arguments: injections)
    func `a text in any position is data`(text: String) throws {
        let gallery = try Gallery()
        let painting = Painting(context: gallery.context)
        painting.title = text
        painting.subtitle = "x"
        let other = Painting(context: gallery.context)
        other.title = "other"
        try gallery.context.save()
        let formats: [(String, any PredicateArgument)] = [
            ("title == %@", text), ("title ==[cd] %@", text), ("title BEGINSWITH %@", text),
            ("title CONTAINS[c] %@", text), ("title ENDSWITH[d] %@", text), ("%@ == title", text),
            ("lowercase:(title) == lowercase:(%@)", text), ("title IN %@", [text]),
            ("title BETWEEN %@", [text, text]),
        ]
        for (format, argument) in formats {
            let predicate = try FetchRequest<Painting>.Predicate(format: format, argument)
            let compiled = try gallery.container.compile(
                FetchRequest<Painting>(predicate: predicate).description, columns: .keys)
            #expect(!compiled.sql.contains(text) || text == "?1", "\(compiled.sql)")
            #expect(
                try gallery.context.fetch(FetchRequest<Painting>(predicate: predicate)) == [painting],
                "\(format)")
            // Formatting and parsing the predicate keeps the text.
            #expect(try FetchRequest<Painting>.Predicate(format: predicate.format) == predicate)
        }
        // A key path that the model does not have is refused.
        for format in [
            "%K == 'x'", "ANY %K.title == 'x'", "%K.@count > 0", "painter.paintings.@max.%K == 'x'",
        ] {
            #expect(throws: ObjectStorageError.self) {
                let predicate = try FetchRequest<Painting>.Predicate(format: format, text)
                return try gallery.context.fetch(FetchRequest<Painting>(predicate: predicate))
            }
        }
        #expect(try gallery.context.count(for: FetchRequest<Painting>()) == 2)
    }

    @Test(arguments: [
        String(repeating: "(", count: 60_000), String(repeating: "!", count: 60_000) + "a=1",
        String(repeating: "-", count: 60_000) + "1=1", "a = " + String(repeating: "1+", count: 20_000) + "1",
        String(repeating: "NOT ", count: 15_000) + "a=1", String(repeating: "SUBQUERY(a,$x,", count: 4_000),
        String(repeating: "a.", count: 30_000) + "a = 1", String(repeating: "{", count: 60_000),
        String(repeating: "abs:(", count: 10_000), "a IN {" + String(repeating: "1,", count: 30_000) + "1}",
        String(repeating: "a=1 AND ", count: 8_000) + "a=1", String(repeating: "a", count: 100_000),
        String(repeating: "((a=1) AND ", count: 5_000),
    ])
    func `no format overflows the stack`(format: String) {
        do {
            let predicate = try FetchRequest<Painting>.Predicate(format: format)
            // A long format that is not deep is parsed, and the model refuses it.
            let gallery = try Gallery()
            #expect(throws: ObjectStorageError.self) {
                try gallery.context.fetch(FetchRequest<Painting>(predicate: predicate))
            }
        } catch {
            #expect((error as? ObjectStorageError)?.code == .invalidPredicate)
        }
    }

    @Test(arguments: [
        ("NOT ", "born = 1", "", 30), ("-", "born = 1", "", 20), ("abs:(", "born", ")", 20),
        ("SUBQUERY(paintings, $x%, ", "1 = 1", ").@count = 0", 6),
        ("NOT SUBQUERY(paintings, $x%, ", "1 = 1", ").@count = 0", 5),
        ("NOT (TRUEPREDICATE AND ", "ALL pupils.name ==[cd] lowercase:(name)", ")", 12),
        ("1 = 0 OR (1 = 1 AND ", "name IN[cd] {uppercase:(motto), 'a'}", ")", 8),
        (
            "SUBQUERY(pupils.paintings, $x%, NOT (ANY pupils.name ==[c] 'a' OR ", "1 = 1", ")).@sum.year > 1",
            2
        ),
    ])
    func `nesting that is too deep is a typed error, and other nesting is evaluated`(
        opening: String, body: String, closing: String, least: Int
    ) throws {
        let gallery = try Gallery()
        let painter = Painter(context: gallery.context)
        painter.born = 1
        try gallery.context.save()
        let isExpression = opening == "abs:("
        for depth in 1..<60 {
            let openings = (0..<depth).map { opening.replacing("%", with: "\($0)") }.joined()
            let format =
                openings + body + String(repeating: closing, count: depth) + (isExpression ? " = 1" : "")
            do {
                let predicate = try FetchRequest<ManagedObject>.Predicate(format: format)
                let fetched = try gallery.context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Painter", predicate: predicate))
                let evaluated = try predicate.filtering([painter])
                #expect(evaluated == fetched, "\(depth)")
            } catch {
                #expect(error.code == .invalidPredicate && depth > least, "\(depth): \(error)")
            }
        }
    }

    @Test func `random and damaged formats give a predicate or an error and never crash`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let words = [
            "a", "b.c", "$x", "SUBQUERY", "(", ")", ",", "ANY", "ALL", "NOT", "AND", "OR", "==", "=", "<",
            "IN", "BETWEEN", "{", "}",
            "'x'", "\"y\"", "1", "-", "+", "*", "/", "0x", "1e", "1e5", ".", "@count", "@sum", "%@", "%K",
            "%d", "%f", "[cd]", "[", "]",
            "nil", "TRUE", "#in", "#\"", "x'00'", "x'0", "object", "CAST", "\\", "é", "\u{0}", "\u{301}", " ",
            "\n", "LIKE", "MATCHES",
            "lowercase:", "SELF", "new", "9223372036854775808", "😀",
        ]
        let model = try Gallery.model.get()
        var predicates = PredicateGenerator(
            model: model, objects: model.entities.map { ObjectID(entityName: $0.name, primaryKey: 1) },
            comparesKeys: true, samples: [],
            generator: SeededGenerator(seed: seed))
        var parsed = 0
        for _ in 0..<6_000 {
            var format: String
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                format = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
                    words.randomElement(using: &generator) ?? ""
                }
                .joined(separator: Bool.random(using: &generator) ? " " : "")
            case 1:
                format = String(
                    decoding: generator.bytes(Int.random(in: 0..<40, using: &generator)), as: UTF8.self)
            default:
                var bytes = Array(try predicates.predicate(of: "Painting", depth: 2).format.utf8)
                for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
                    let index = Int.random(in: 0..<bytes.count, using: &generator)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: bytes.remove(at: index)
                    case 1: bytes[index] = UInt8.random(in: 0..<128, using: &generator)
                    default:
                        bytes.insert(
                            contentsOf: (words.randomElement(using: &generator) ?? "").utf8, at: index)
                    }
                }
                format = String(decoding: bytes, as: UTF8.self)
            }
            do {
                let tree = try PredicateTree(format: format, arguments: [])
                parsed += 1
                #expect(try PredicateTree(format: tree.format) == tree, "seed \(seed): \(format)")
            } catch {
                #expect(error.code == .invalidPredicate, "seed \(seed): \(format)")
            }
        }
        #expect(parsed > 100)
    }
}
