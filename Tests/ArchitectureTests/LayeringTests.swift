import Testing

@Suite struct LayeringTests {
    @Test func `no folder of ObjectStorage uses a type of a floor above it`() throws {
        let files = try Repository.files(below: ["Sources/ObjectStorage"], withEndings: [".swift"])
        #expect(
            Set(files.map { LayeringRules.folder(ofFileAt: $0.path) }) == Set(LayeringRules.floors + [""]))
        #expect(LayeringRules.arrows(in: files).count > 500)
        report(LayeringRules.upwardFindings(in: files))
    }

    @Test(arguments: ["SectionCaching", "SectionedFetch"])
    func `the folders of a module form no cycle`(module: String) throws {
        let files = try Repository.files(below: ["Sources/" + module], withEndings: [".swift"])
        let arrows = LayeringRules.arrows(in: files)
        #expect(arrows.count > 20)
        guard let cycle = LayeringRules.cycle(among: arrows) else { return }
        let steps = zip(cycle, cycle.dropFirst()).flatMap { from, to in
            arrows.filter { ($0.source, $0.target) == (from, to) }.prefix(3)
        }
        Issue.record(
            "\(cycle.joined(separator: " → ")). Move one of these uses or its type: \(steps.map { "\($0.path):\($0.line) \($0.type)" })"
        )
    }

    private static func file(_ folder: String, _ text: String) -> Repository.File {
        Repository.File(path: "Sources/ObjectStorage/\(folder)/\(text.hashValue).swift", text: text)
    }

    @Test(arguments: [
        "struct Row { let snapshot: StoreSnapshot }",
        "extension SQLiteStatement {\n    func rows(of snapshot: StoreSnapshot) {}\n}",
        "let text = \"\\(StoreSnapshot.self)\"",
        "/// About rows.\nfinal class Reader: StoreSnapshot {}",
        "let snapshots: [StoreSnapshot?] = []",
    ])
    func `an upward use is found, and the message names both floors`(text: String) throws {
        let files = [Self.file("SQLite", text), Self.file("Contexts", "package struct StoreSnapshot {}")]
        let finding = try #require(LayeringRules.upwardFindings(in: files).first)
        #expect(finding.message.hasPrefix("SQLite uses StoreSnapshot of Contexts, a floor above it."))
        // The arrow in the other direction is allowed.
        let reversed = [Self.file("Contexts", text), Self.file("SQLite", "package struct StoreSnapshot {}")]
        #expect(LayeringRules.upwardFindings(in: reversed) == [])
    }

    @Test(arguments: [
        "/// Used by ``StoreSnapshot``.\nstruct Row {}",
        "let text = \"StoreSnapshot\"",
        "let kind = Kind.StoreSnapshot",
        "enum Outer {\n    struct StoreSnapshot {}\n    let value = StoreSnapshot()\n}",
        "let storeSnapshot = 1",
    ])
    func `a mention that is not a use is not reported`(text: String) {
        let files = [Self.file("SQLite", text), Self.file("Contexts", "package struct StoreSnapshot {}")]
        #expect(LayeringRules.upwardFindings(in: files) == [])
    }

    @Test func `a cycle is found along several folders`() {
        func arrow(_ source: String, _ target: String) -> LayeringRules.Arrow {
            LayeringRules.Arrow(path: "", line: 1, type: "T", source: source, target: target)
        }
        let line = [arrow("a", "b"), arrow("b", "c"), arrow("a", "c")]
        #expect(LayeringRules.cycle(among: line) == nil)
        #expect(LayeringRules.cycle(among: line + [arrow("c", "a")]) == ["a", "b", "c", "a"])
    }
}
