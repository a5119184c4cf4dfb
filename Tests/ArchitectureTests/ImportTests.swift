import Foundation
import Testing

@Suite struct ImportTests {
    @Test func `no module imports what the design does not allow`() throws {
        let files = try Repository.files(below: ["Sources", "Tools"], withEndings: [".swift"])
        #expect(files.count >= ImportRules.allowed.count)
        report(files.flatMap(ImportRules.findings))
    }

    @Test func `every module of the table exists`() throws {
        let files = try Repository.files(below: ["Sources", "Tools"], withEndings: [".swift"])
        #expect(Set(files.map { ImportRules.module(ofFileAt: $0.path) }) == Set(ImportRules.allowed.keys))
    }

    @Test func `the allowed imports form no cycle`() {
        var finished: Set<String> = []
        func visit(_ module: String, from path: [String]) {
            guard !finished.contains(module), let next = ImportRules.allowed[module] else { return }
            #expect(!path.contains(module), "\(path + [module])")
            guard !path.contains(module) else { return }
            for dependency in next.sorted() {
                visit(dependency, from: path + [module])
            }
            finished.insert(module)
        }
        for module in ImportRules.allowed.keys.sorted() {
            visit(module, from: [])
        }
    }

    /// Each text has a forbidden import, written in a way that a careless scanner would miss.
    @Test(arguments: [
        ("Sources/ObjectStorage/Bad.swift", "import LMDB"),
        ("Sources/ObjectStorage/Bad.swift", "public import SectionCaching"),
        ("Sources/SectionCaching/Bad.swift", "@preconcurrency internal import GRDB"),
        ("Sources/SectionCaching/Bad.swift", "@testable import ObjectStorage"),
        ("Sources/SectionedFetch/Bad.swift", "import struct LMDB.Environment"),
        ("Sources/SectionedFetch/Bad.swift", "/* why */ import GRDB // because"),
        ("Sources/LMDB/Bad.swift", "import Foundation; import Crypto"),
        ("Sources/LMDB/Bad.swift", "@_spi(Testing) import SectionCaching"),
        ("Tools/Support/RecordReading/Bad.swift", "import SectionedFetch\r"),
        ("Tools/Programs/LibraryBrowser/Bad.swift", "#if canImport(GRDB)\n  import GRDB.Database\n#endif"),
        ("Tools/Programs/CacheInspector/Bad.swift", "let text = \"\\(a(b: \"x\"))\"\nimport LMDB"),
        ("Sources/Unknown/Bad.swift", "import Foundation"),
    ])
    func `a forbidden import is found`(path: String, text: String) {
        #expect(ImportRules.findings(in: Repository.File(path: path, text: text)).count == 1)
    }

    @Test(arguments: [
        "import GRDB\n@_exported public import Foundation",
        "// import LMDB\n/* import LMDB\n/* nested */ import LMDB */",
        "let text = \"\"\"\n    import LMDB\n    \\(name) \"\\\"\"\n    import LMDB\n    \"\"\"",
        "let text = #\"\\\"#\nlet other = \"import LMDB\"",
        "#if canImport(LMDB)\n#endif",
        "let `import` = 1",
    ])
    func `an allowed import and a mere mention are not reported`(text: String) {
        let file = Repository.File(path: "Sources/ObjectStorage/Good.swift", text: text)
        #expect(ImportRules.findings(in: file) == [])
    }
}
