import Foundation
import Testing

/// The program of the article “Getting Started”, whose source is `Tests/GettingStarted/main.swift`.
@Suite struct GettingStartedTests {
    private static let article = "Sources/SectionedFetch/Documentation.docc/GettingStarted.md"

    /// Returns the contents of the article's listings in a language, in their order.
    private static func listings(in language: String) throws -> [String] {
        try RepositoryFile.text(article).components(separatedBy: "```")
            .filter { $0.hasPrefix(language + "\n") }
            .map { String($0.dropFirst(language.count + 1)) }
    }

    @Test func `the listings of the article are the program that is compiled`() throws {
        let listings = try Self.listings(in: "swift")
        #expect(listings.count > 5)
        let program = try RepositoryFile.text("Tests/GettingStarted/main.swift")
        #expect(listings.joined(separator: "\n") == program)
    }

    @Test func `two starts of the program print the lines in the article, the second one a hit`() throws {
        let outputs = try Self.listings(in: "text").suffix(2)
        let scratch = try ScratchDirectory()
        let program = try URL(filePath: ToolProcess.path("GettingStarted"))
        let runs = try outputs.map { _ in
            try ToolProcess.run(executable: program, [], directory: scratch.url)
        }
        for (run, output) in zip(runs, outputs) {
            #expect(run.status == 0 && run.errors == "", "\(run)")
            #expect(run.output == output, "\(run)")
        }
        let answers = runs.map { $0.lines.last { !$0.isEmpty } ?? "" }
        #expect(answers[0].hasPrefix("computed: ") && answers[1].hasPrefix("hit"), "\(answers)")
    }
}
