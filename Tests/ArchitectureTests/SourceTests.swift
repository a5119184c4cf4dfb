import Foundation
import Testing

@Suite struct SourceTests {
    @Test func `no Swift file is longer than 400 lines`() throws {
        let files = try Repository.files(below: ["Sources", "Tools", "Tests"], withEndings: [".swift"])
        #expect(!files.isEmpty)
        report(files.flatMap(SourceRules.lengthFindings))
    }

    @Test func `every declaration for other modules is documented`() throws {
        let files = try Repository.files(below: ["Sources"], withEndings: [".swift"])
        #expect(!files.isEmpty)
        report(files.flatMap(SourceRules.documentationFindings))
    }

    @Test func `no file names a path of one machine`() throws {
        let files = try Repository.files(
            below: ["Sources", "Tools", "Tests"], withEndings: [".swift", ".c", ".h", ".sh", ".md", ".json"])
        #expect(!files.isEmpty)
        report(files.flatMap(SourceRules.pathFindings))
    }

    @Test func `every file that the README names exists`() throws {
        let file = Repository.root.appendingPathComponent("README.md")
        let readme = try String(contentsOf: file, encoding: .utf8)
        let paths = readme.matches(of: /(Sources|Tests|Tools)\/[A-Za-z0-9.\/]+/).map { String($0.output.0) }
        #expect(paths.count > 10)
        for path in paths {
            let named = Repository.root.appendingPathComponent(path)
            #expect(FileManager.default.fileExists(atPath: named.path), "\(path)")
        }
    }

    @Test func `the README is not longer than ten kibibytes`() throws {
        let size = try Data(contentsOf: Repository.root.appending(path: "README.md")).count
        #expect(size <= 10_240, "Move details into an article.")
    }

    @Test(arguments: [(400, 0), (401, 1), (1_000, 1)])
    func `a file of more than 400 lines is found`(numberOfLines: Int, findings: Int) {
        let text = String(repeating: "// a line\n", count: numberOfLines)
        #expect(SourceRules.lengthFindings(in: file(text)).count == findings)
        #expect(SourceRules.lengthFindings(in: file(String(text.dropLast()))).count == findings)
    }

    @Test(arguments: [
        "public func open() {}",
        "// not a documentation comment\npublic struct Store {}",
        "/// About something else.\n\npublic let value = 1",
        "/// About `a`.\npublic var a = 1\npublic var b = 2",
        "    package private(set) var count = 0",
        "@inlinable public init() {}",
        "@available(*, deprecated, renamed: \"new\")\npublic func old() {}",
        "public static func == (lhs: Self, rhs: Self) -> Bool { true }",
        "public nonisolated(unsafe) static var shared = 1",
        "public final class Store {\n}",
        "open class Store {\n}",
        "public extension Store {\n}",
        "/// About `a`.\nfunc a(\n    b: Int\n) {}\npublic func c() {}",
    ])
    func `an undocumented declaration is found`(text: String) {
        #expect(SourceRules.documentationFindings(in: file(text)).count == 1)
    }

    @Test(arguments: [
        "/// Opens it.\npublic func open() {}",
        "/// Opens it.\n@inlinable\n@discardableResult\npublic func open() -> Int { 1 }",
        "/// Opens it.\n@available(\n    *, deprecated,\n    renamed: \"new\"\n)\npublic func old() {}",
        "/**\n Opens it.\n */\npublic func open() {}",
        "func open() {}\nprivate struct Public {}",
        "public import Foundation\npackage import GRDB",
        "let text = \"\"\"\n    public func open() {}\n    \"\"\"",
        "print(\"public func\", publicName)",
    ])
    func `a documented or inner declaration is not reported`(text: String) {
        #expect(SourceRules.documentationFindings(in: file(text)) == [])
    }

    @Test(arguments: ["root", "home", "Users", "work", "tmp", "opt"])
    func `a path of one machine is found`(directory: String) {
        let path = "/" + directory + "/library.store"
        #expect(SourceRules.pathFindings(in: file("let file = \"\(path)\"")).count == 1)
        #expect(SourceRules.pathFindings(in: file("\(path)\n    \(path)")).count == 2)
        #expect(SourceRules.pathFindings(in: file("a\(path) $HOME~\(path) https://example.org\(path)")) == [])
    }

    private func file(_ text: String) -> Repository.File {
        Repository.File(path: "Sources/ObjectStorage/Example.swift", text: text)
    }
}
