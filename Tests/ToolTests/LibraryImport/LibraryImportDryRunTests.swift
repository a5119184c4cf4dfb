import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// `--dry-run`: an import that is rolled back, with examples of its changes.
@Suite struct LibraryImportDryRunTests {
    private static let options = ["--key", "id", "--relationship", "author=Author"]

    /// The contents of the store's files by their names.
    private func contents(_ file: LibraryImportFile) throws -> [String: Data] {
        let folder = URL(filePath: file.storePath).deletingLastPathComponent()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.filter { $0.hasPrefix("library.store") }.map { name in
                (name, try Data(contentsOf: folder.appending(path: name)))
            })
    }

    private func examples(_ run: ToolRun) throws -> [String: [[String: Any]]] {
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        #expect(object?["dryRun"] as? Bool == true)
        return try #require(object?["examples"] as? [String: [[String: Any]]])
    }

    @Test func `a dry run of a new store shows the rows and leaves no file`() throws {
        let file = try LibraryImportFile("id,title,author\n1,One,Ann\n2,Two,\n1,Three,Bob\n")
        let run = try file.run(Self.options + ["--dry-run", "--type", "id=integer64"])
        #expect(run.status == 0, "\(run)")
        #expect(
            run.errors.hasSuffix(
                "first in line 4. If these are different objects, pass another --key, or --no-key.\n"),
            "\(run)")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(
            lines.first?.hasPrefix(
                "Dry run: nothing was written. 2 inserted, 1 updated, 0 unchanged, 0 skipped, 2 related objects created"
            ) == true, "\(run)")
        #expect(
            Array(lines.dropFirst()) == [
                "  insert, line 2: id 1, title “One”, author “Ann”",
                "  insert, line 3: id 2, title “Two”, author nil",
                "  update, line 4, id 1: title “One” → “Three”, author “Ann” → “Bob”",
                "  create Author “Ann”",
                "  create Author “Bob”",
            ])
        #expect(try contents(file).isEmpty)
    }

    @Test(arguments: [["--batch", "7"], ["--atomic"]])
    func `a dry run has the counts and the changes of the import, and changes no byte`(
        options: [String]
    ) throws {
        var random = SeededGenerator(seed: options.count == 1 ? 11 : 12)
        let authors = ["Ann", "Bob", "Cyd", "Dan", ""]
        func row(_ id: Int) -> [String] {
            [
                "\(id)", "T\(Int.random(in: 0..<3, using: &random))",
                authors.randomElement(using: &random) ?? "",
            ]
        }
        let header = "id,title,author\n"
        func csv(_ rows: [[String]]) -> String {
            header + rows.map { $0.joined(separator: ",") + "\n" }.joined()
        }
        let first = (1...60).map(row)
        let second = (30...95).map(row) + [["x", "bad", ""]] + (50...55).map(row)
        let file = try LibraryImportFile(csv(first))
        _ = try file.counts(Self.options)
        let before = try contents(file)
        // The naive import.
        var rows: [String: [String]] = Dictionary(uniqueKeysWithValues: first.map { ($0[0], $0) })
        var names = Set(first.map { $0[2] })
        var expected = LibraryImportCounts(skipped: 1)
        var changes: [[String: [String?]]] = []
        for row in second where row[0] != "x" {
            if !row[2].isEmpty, names.insert(row[2]).inserted { expected.createdRelated += 1 }
            defer { rows[row[0]] = row }
            guard let old = rows[row[0]] else {
                expected.inserted += 1
                continue
            }
            guard old != row else {
                expected.unchanged += 1
                continue
            }
            expected.updated += 1
            var change: [String: [String?]] = [:]
            for (position, name) in ["id", "title", "author"].enumerated()
            where old[position] != row[position] {
                change[name] = [old[position], row[position]].map { $0.isEmpty ? nil : $0 }
            }
            changes.append(change)
        }
        try file.write(csv(second))
        let run = try file.run(Self.options + options + ["--dry-run", "--json"])
        #expect(run.status == 1, "\(run)")
        let counts = try JSONDecoder().decode(LibraryImportCounts.self, from: Data(run.output.utf8))
        #expect(counts == expected)
        #expect(try contents(file) == before)
        let examples = try examples(run)
        let shown = try #require(examples["updated"]).map { row in
            (row["changes"] as? [String: [String: Any]] ?? [:]).mapValues { change in
                [change["old"] as? String, change["new"] as? String]
            }
        }
        #expect(shown == Array(changes.prefix(10)))
        #expect(examples["inserted"]?.count == min(10, expected.inserted))
        #expect(examples["skipped"]?.count == 1)
        #expect(examples["skipped"]?.first?["name"] as? String == "id")
        #expect(try file.counts(Self.options + options, status: 1) == expected)
    }

    @Test func `a dry run of another entity does not add it to the store`() throws {
        let file = try LibraryImportFile("id\n1\n")
        #expect(try file.counts().inserted == 1)
        let before = try contents(file)
        #expect(try file.counts(["--entity", "Other", "--dry-run"]).inserted == 1)
        #expect(try contents(file) == before)
        #expect(try file.openStore().model.entity(named: "Other") == nil)
    }

    @Test func `a dry run that stops at a bad row says so and leaves nothing`() throws {
        let file = try LibraryImportFile("id,year\n1,1\n2,2\n3,x\n")
        let run = try file.run([
            "--type", "year=integer16", "--dry-run", "--on-error", "stop", "--batch", "2",
        ])
        #expect(run.status == 2 && run.errors.contains("“x” is not a valid integer16"), "\(run)")
        #expect(!run.errors.contains("stay"), "\(run)")
        #expect(run.output.hasPrefix("Dry run: nothing was written. 2 inserted"), "\(run)")
        #expect(!file.storeExists)
    }
}
