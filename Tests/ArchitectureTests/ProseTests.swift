import Foundation
import Testing

@Suite struct ProseTests {
    /// The prose of the package. The words of the catalogue generator are data.
    private static func lines() throws -> [ProseRules.Line] {
        var files = try Repository.files(
            below: ["Sources", "Tools", "Tests"], withEndings: [".swift", ".md"])
        files.removeAll { $0.path.hasSuffix("CatalogueGenerator/Vocabulary.swift") }
        let readme = try String(
            contentsOf: Repository.root.appendingPathComponent("README.md"), encoding: .utf8)
        files.append(Repository.File(path: "README.md", text: readme))
        return files.flatMap(ProseRules.lines)
    }

    @Test func `comments, messages, test titles and documents are plain technical English`() throws {
        let lines = try Self.lines()
        #expect(lines.count > 10_000)
        report(ProseRules.findings(in: lines))
    }

    @Test func `vague phrases are rare`() throws {
        let (rate, uses) = ProseRules.rate(in: try Self.lines())
        #expect(rate <= ProseRules.maximumRate, "\(uses.map(\.description).joined(separator: "\n"))")
    }

    private static func findings(_ text: String, path: String = "Sources/A.swift") -> [Finding] {
        ProseRules.findings(in: ProseRules.lines(of: Repository.File(path: path, text: text)))
    }

    @Test(arguments: [
        "/// Some" + "body waits.", "    // A lock that no" + "body holds.",
        "/// Reads. What" + " is read is kept.", "/// What" + " a row holds.", "/// The" + " same.",
        "throw Failure(\"some" + "body else has the file\")", "/// " + String(repeating: "long ", count: 25),
    ])
    func `prose against the rules is found`(text: String) {
        #expect(Self.findings(text).count == 1)
    }

    @Test(arguments: ["# What" + " was tried", "Text. What" + " it means.", "- Who" + "ever asks."])
    func `a document against the rules is found`(text: String) {
        #expect(Self.findings(text, path: "A.md").count == 1)
    }

    @Test(arguments: [
        "/// Returns the row.", "let some" + "body = 1", "/// What" + " happens then?",
        "let address = \"https://example.org\" // a link",
    ])
    func `plain prose and code are not reported`(text: String) {
        #expect(Self.findings(text) == [])
    }

    @Test func `the rate counts phrases for each ten thousand words`() {
        let text = "/// It is" + " told.\n" + String(repeating: "/// one two three four\n", count: 25)
        let lines = ProseRules.lines(of: Repository.File(path: "Sources/A.swift", text: text))
        #expect(ProseRules.rate(in: lines).uses.count == 1)
        #expect(abs(ProseRules.rate(in: lines).perTenThousand - 10_000 / 103) < 0.5)
    }
}
