import Foundation
import Testing

/// The article “Caches and Validity” has a row for each reason of a miss.
@Suite struct MissReasonArticleTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the names of the cases that a file declares in enumerations at its top level.
    private static func cases(in source: String) -> Set<String> {
        Set(source.matches(of: /\n    case ([a-z][A-Za-z]*)/).map { String($0.output.1) })
    }

    @Test func `each reason has a row with its cause, and each row is a reason`() throws {
        let reasons = Self.cases(in: try Self.text("Sources/SectionCaching/Requests/MissReason.swift"))
        #expect(reasons.count > 20)
        let article = try Self.text("Sources/SectionedFetch/Documentation.docc/CachesAndValidity.md")
        let start = try #require(article.range(of: "\n## Reasons of misses\n")).upperBound
        let section = article[start...].prefix { $0 != "#" }
        let rows = section.matches(of: /\n\| `([a-z][A-Za-z]*)(?:\([^)]*\))?` \| [^|]+ \|/)
        #expect(Set(rows.map { String($0.output.1) }) == reasons)
    }

    @Test func `cases are found, and patterns of a switch are not`() {
        let source = "enum A {\n    case first\n    case second(detail: String)\n}\n        case .third: 3\n"
        #expect(Self.cases(in: source) == ["first", "second"])
    }
}
