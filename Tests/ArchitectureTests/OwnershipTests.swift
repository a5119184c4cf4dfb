import Testing

@Suite struct OwnershipTests {
    @Test func `at least half of a file belongs to the type that it is named for`() throws {
        let files = try Repository.files(below: ["Sources"], withEndings: [".swift"])
        #expect(files.count > 300)
        report(files.flatMap(OwnershipRules.findings))
    }

    private static let row = "/// A row.\nstruct Row {\n    let a = 1\n}\n"

    @Test(arguments: [
        "Row.swift", "Row+Reading.swift",
    ])
    func `a file of another type is found`(name: String) throws {
        let text =
            Self.row + "\n/// A table.\nstruct Table {\n    let a = 1\n    let b = 2\n    let c = 3\n}\n"
        #expect(OwnershipRules.findings(in: .init(path: "Sources/M/" + name, text: text)).count == 1)
        #expect(OwnershipRules.findings(in: .init(path: "Sources/M/Table.swift", text: text)) == [])
    }

    @Test(arguments: [
        "extension Row {\n    var b: Int { 2 }\n    var c: Int { 3 }\n}\n",
        "private struct Helper {\n    let a = 1\n    let b = 2\n    let c = 3\n}\n",
        "extension Array where Element == Row {\n    var b: Int { 2 }\n    var c: Int { 3 }\n}\n",
    ])
    func `extensions, helpers and conformances belong to the type`(text: String) {
        #expect(OwnershipRules.findings(in: .init(path: "Sources/M/Row.swift", text: Self.row + text)) == [])
    }
}
