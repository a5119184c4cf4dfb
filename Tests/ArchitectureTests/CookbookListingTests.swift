import Foundation
import Testing

@Suite struct CookbookListingTests {
    /// The lines of an article's listings that no line of a source file is equal to, leading space apart.
    static func missingLines(of article: String, in source: String) -> [String] {
        func trimmed(_ line: Substring) -> String { line.trimmingCharacters(in: .whitespaces) }
        let known = Set(source.split(separator: "\n").map(trimmed))
        var isListing = false
        var missing: [String] = []
        for line in article.split(separator: "\n") {
            if line.hasPrefix("```") {
                isListing = line == "```swift"
            } else if isListing, !known.contains(trimmed(line)) {
                missing.append(String(line))
            }
        }
        return missing
    }

    @Test func `the cookbook's listings are lines of its tests`() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: Repository.root.appendingPathComponent(path), encoding: .utf8)
        }
        let article = try text("Sources/SectionedFetch/Documentation.docc/Cookbook.md")
        let tests = try text("Tests/CookbookTests/CookbookTests.swift")
        #expect(Self.missingLines(of: article, in: tests) == [])
        #expect(article.split(separator: "```swift").count > 5)
    }

    @Test func `a listing that is not in the tests is found`() {
        let article = "# A\n```swift\nlet a = 1\nlet b = 2\n```\nlet c = 3\n"
        #expect(Self.missingLines(of: article, in: "    let a = 1\n") == ["let b = 2"])
    }
}
