import ObjectStorage

/// The format language of predicates. A parsed predicate must be written so that it is parsed as the same
/// one, and an error must give its location.
struct PredicateTarget: FuzzTarget {
    static let name = "predicate"
    static let summary = "the format language of predicates"
    static let words: [[UInt8]] = [
        " AND ", " OR ", "NOT ", "(", ")", "{", "}", "[cd]", " IN ", " BETWEEN ", " LIKE ", " MATCHES ",
        "ANY ", "ALL ",
        "SUBQUERY(a, $x, ", ".@count", ".@sum.", "@max", "$x", "%@", "%K", "%d", "nil", "TRUEPREDICATE",
        "#in", "x'00'",
        "'", "\"", "\\u00e9", "\\", "1e308", "9223372036854775808", "-", "lowercase:(", "CAST(", "SELF",
        " == ", " != ",
        "<>", "=<", "\n", "\u{301}", "😀", "\0",
    ].map { Array($0.utf8) }
    /// The length of the longest text that is parsed, in bytes.
    private static let maximumLength = 65_536

    func run(_ input: [UInt8]) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let tree: PredicateTree
        do throws(ObjectStorageError) {
            tree = try PredicateTree(format: text)
        } catch {
            try check(error, of: text)
            return false
        }
        let format = tree.format
        // The written format may be longer than the longest text that is parsed.
        guard format.utf8.count <= Self.maximumLength else { return true }
        let again: PredicateTree
        do throws(ObjectStorageError) {
            again = try PredicateTree(format: format)
        } catch {
            throw FuzzFinding("“\(text)” is written as “\(format)”, which is refused: \(error)")
        }
        guard again == tree, Self.encoding(of: again) == Self.encoding(of: tree), again.format == format
        else {
            throw FuzzFinding("“\(text)” is written as “\(format)”, which is another predicate")
        }
        return true
    }

    private static func encoding(of tree: PredicateTree) -> [UInt8] {
        var encoder = CanonicalEncoder()
        tree.encode(into: &encoder)
        return encoder.bytes
    }

    private func check(_ error: ObjectStorageError, of text: String) throws {
        guard error.code == .invalidPredicate else {
            throw FuzzFinding("“\(text)” is refused as \(error.code.rawValue): \(error)")
        }
        if text.utf8.count > Self.maximumLength { return }
        let prefix = "The predicate's line "
        let numbers = error.message.dropFirst(prefix.count).split(separator: ":", maxSplits: 1).first?
            .split(separator: ",").compactMap { Int($0.drop { !$0.isNumber }) }
        guard error.message.hasPrefix(prefix), let numbers, numbers.count == 2 else {
            throw FuzzFinding("“\(text)”: the error has no line and column: \(error)")
        }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.indices.contains(numbers[0] - 1),
            (1...lines[numbers[0] - 1].count + 1).contains(numbers[1])
        else { throw FuzzFinding("“\(text)”: the location of the error is outside the text: \(error)") }
    }

    static func seeds() -> [FuzzSeed] {
        [
            FuzzSeed("comparisons", "year >= 1900 AND NOT (artist.name == nil OR title CONTAINS[cd] 'sea')"),
            FuzzSeed("collections", "ANY artists.born BETWEEN {1800, 1899} AND works.@count > 3"),
            FuzzSeed("subquery", "SUBQUERY(works, $x, $x.year > $since AND $x.title LIKE 'A*?').@count != 0"),
            FuzzSeed("arithmetic", "price * (1 + tax) - -discount / 2 <= 1.5e3 AND abs:(balance) > 0"),
            FuzzSeed(
                "texts",
                "title IN {'it''s', \"a \\\"b\\\"\", 'Zo\\u00eb', '李'} OR title MATCHES '[a-z]+\\\\d*'"),
            FuzzSeed("constants", "TRUEPREDICATE && !FALSEPREDICATE || done == TRUE"),
            FuzzSeed("names", "#in == 1 AND SELF IN %@ AND %K BEGINSWITH[c] 'x'"),
            FuzzSeed("lines", "a == 1\nAND b == 2\n  AND c ==\n"),
            FuzzSeed(
                "nested", String(repeating: "(", count: 45) + "a = 1" + String(repeating: ")", count: 45)),
            FuzzSeed("chain", String(repeating: "a = 1 OR ", count: 60) + "a = 2"),
            FuzzSeed("numbers", "a = 9223372036854775807 OR a = -9223372036854775808 OR a = 1e400 OR a = .5"),
        ]
    }
}
