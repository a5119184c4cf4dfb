import Foundation
import Testing

/// `model-tool` as a process.
@Suite struct ModelToolTests {
    private static let resources = RepositoryFile.url("Tests/ModelReadingTests/Resources")
    private static let tour = resources.appending(path: "Tour.xcdatamodeld").path
    private static let compiled = resources.appending(path: "CoreDataPlus/SampleModel.momd").path

    private func run(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("model-tool", arguments)
    }

    @Test func `generated classes equal those that the tests of class binding compile`() throws {
        let scratch = try ScratchDirectory()
        let run = try run("generate", Self.tour, "--output", scratch.path("classes"))
        #expect(run.status == 0, "\(run)")
        let folder = RepositoryFile.url("Tests/ModelReadingTests/Generated")
        let (written, kept) = (
            try ScratchDirectory.contents(of: scratch.file("classes")),
            try ScratchDirectory.contents(of: folder)
        )
        #expect(written.keys.sorted() == kept.keys.sorted() && written.count == 5)
        for (name, data) in written {
            #expect(
                String(decoding: data, as: UTF8.self)
                    == String(decoding: kept[name] ?? Data(), as: UTF8.self),
                "run model-tool generate \(Self.tour) --output \(folder.path)")
        }
        // Names that Swift does not allow are reported.
        for words in [
            "“Set” is called SetObject", "“no swift name” is not a Swift name", "“description”", "“extra”",
        ] {
            #expect(run.errors.contains(words), "\(run)")
        }
        #expect(run.lines.contains("SetObject.swift: entity “Set”, 2 properties"), "\(run)")
    }

    @Test func `files of the tool are replaced, and others only with --force`() throws {
        let scratch = try ScratchDirectory()
        let output = scratch.path("classes")
        #expect(try run("generate", Self.compiled, "--output", output, "--check").status == 1)
        #expect(!FileManager.default.fileExists(atPath: output))
        #expect(try run("generate", Self.compiled, "--output", output).status == 0)
        let first = try ScratchDirectory.contents(of: scratch.file("classes"))
        #expect(
            first.keys.sorted() == ["Car.swift", "ExpensiveSportCar.swift", "Person.swift", "SportCar.swift"])
        #expect(try run("generate", Self.compiled, "--output", output, "--check").status == 0)
        #expect(
            try run("generate", Self.compiled, "--output", output, "--model-version", "SampleModel2").status
                == 0)
        #expect(try ScratchDirectory.contents(of: scratch.file("classes"))["LuxuryCar.swift"] != nil)
        try Data("final class Person {}".utf8).write(to: scratch.file("classes/Person.swift"))
        try run("generate", Self.compiled, "--output", output).expectRefusal(
            saying: "Person.swift” was not written by model-tool", "--force")
        #expect(try run("generate", Self.compiled, "--output", output, "--force").status == 0)
        #expect(
            try ScratchDirectory.contents(of: scratch.file("classes"))["Person.swift"]
                == first["Person.swift"])
    }

    @Test func `options make the classes public and name the imported module`() throws {
        let scratch = try ScratchDirectory()
        let run = try run(
            "generate", Self.compiled, "--output", scratch.url.path, "--public", "--import", "SectionedFetch")
        #expect(run.status == 0, "\(run)")
        let car = try String(contentsOf: scratch.file("Car.swift"), encoding: .utf8)
        #expect(car.contains("public import Foundation\npublic import SectionedFetch\n"))
        #expect(car.contains("open class Car: ManagedObject {\n"))
        #expect(car.contains("    @Attribute(.unique) public var numberPlate: String\n"))
        let wrong = try self.run("generate", Self.compiled, "--import", "no module")
        #expect(wrong.status == 64, "\(wrong)")
    }

    @Test func `a model is shown as text and as JSON`() throws {
        let text = try run("show", Self.compiled, "--model-version", "SampleModel3.mom")
        #expect(text.status == 0, "\(text)")
        #expect(
            text.lines.prefix(2) == [
                "SampleModel.momd, version SampleModel3", "versions: SampleModel, SampleModel2, SampleModel3",
            ])
        #expect(
            text.lines.contains("Maker") && !text.output.contains("does not support"))
        let first = try run("show", Self.compiled)
        #expect(
            first.output.contains("Parts that the library does not support:\n  “Person.id”: "), "\(first)")
        let json = try run("show", Self.tour, "--json").jsonObject()
        let entities = try #require(json["entities"] as? [[String: Any]])
        #expect(entities.map { $0["name"] as? String } == ["Event", "Concert", "Artist", "Piece", "Set"])
        #expect(
            entities.map { $0["class"] as? String } == ["TourEvent", "Concert", "Artist", "Piece", "Set"])
        let attributes = try #require(entities[0]["attributes"] as? [[String: Any]])
        let key = try #require(attributes.first { $0["name"] as? String == "key" })
        #expect(key["derivation"] as? String == "canonical:(title)" && key["isOptional"] as? Bool == true)
        let relationships = try #require(entities[1]["relationships"] as? [[String: Any]])
        #expect(relationships.map { $0["deleteRule"] as? String } == ["nullify", "cascade", "cascade"])
        #expect(json["unsupportedParts"] as? [String] == [])
        let parts = try #require(
            try run("show", Self.resources.appending(path: "CoreDataPlus/SampleModel2.mom").path, "--json")
                .jsonObject()["unsupportedParts"] as? [[String: Any]])
        #expect(
            parts.contains {
                $0["kind"] as? String == "fetchedProperty" && $0["property"] as? String == "feedbacks"
            })
    }

    @Test func `a strict run ends with status 1 if the model has unsupported parts`() throws {
        let run = try run("show", Self.compiled, "--strict")
        #expect(run.status == 1 && run.errors.contains("that the library does not support"), "\(run)")
        #expect(try self.run("show", Self.tour, "--strict").status == 0)
    }

    @Test func `a file that is not a model is refused in one line`() throws {
        let scratch = try ScratchDirectory()
        try run("show", scratch.path("None.xcdatamodeld")).expectRefusal(
            saying: "None.xcdatamodeld", "Check the path")
        try Data("no model".utf8).write(to: scratch.file("Bad.mom"))
        try run("show", scratch.path("Bad.mom")).expectRefusal(saying: "Bad.mom", "not XML")
        try run("generate", Self.compiled, "--model-version", "Third").expectRefusal(
            saying: "no version “Third”", "SampleModel2")
        try run("show", Self.compiled.replacing(".momd", with: ".momd/SampleModel.omo")).expectRefusal(
            saying: "Pass the .mom file")
        #expect(try run("show").status == 64)
        for command in [["--help"], ["show", "--help"], ["generate", "--help"]] {
            let help = try ToolProcess.run("model-tool", command)
            #expect(help.status == 0 && help.output.contains("USAGE"), "\(help)")
        }
    }
}
