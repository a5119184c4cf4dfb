import Foundation
import SectionedFetch
import Testing

/// `model-tool` on databases of other programs.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct ModelToolDatabaseTests {
    private let directory: ScratchDirectory
    private var path: String { directory.path("shop.sqlite") }

    init() throws {
        directory = try ScratchDirectory()
        try ForeignWriter.run(
            RepositoryFile.text("Tests/ModelReadingTests/GeneratedFromDatabase/shop.sql"), on: path)
    }

    private func run(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("model-tool", arguments)
    }

    @Test func `the classes for a database equal those that tests compile and use`() throws {
        let run = try run("generate", path, "--output", directory.path("classes"))
        #expect(run.status == 0, "\(run)")
        let folder = RepositoryFile.url("Tests/ModelReadingTests/GeneratedFromDatabase")
        let written = try ScratchDirectory.contents(of: directory.file("classes"))
        let kept = try ScratchDirectory.contents(of: folder).filter { $0.key.hasSuffix(".swift") }
        #expect(written.keys.sorted() == kept.keys.sorted() && written.count == 3)
        for (name, data) in written {
            #expect(
                String(decoding: data, as: UTF8.self)
                    == String(decoding: kept[name] ?? Data(), as: UTF8.self),
                "run model-tool generate on the database of \(folder.path)/shop.sql")
        }
        #expect(run.errors.contains("table “words”: its key “word” is of type TEXT"), "\(run)")
    }

    @Test func `the JSON is a model of the database, and show describes it`() throws {
        let bytes = FileManager.default.contents(atPath: path)
        let text = try run("json", path).output
        let model = try ManagedObjectModel(jsonText: text)
        #expect(model.entities.map(\.name) == ["customers", "orders", "Product"])
        #expect(
            try model.versionDigest
                == ManagedObjectModel(inferredFrom: directory.file("shop.sqlite"), for: .writing)
                .versionDigest)
        let container = try PersistentContainer(
            url: directory.file("shop.sqlite"), model: model,
            options: StoreOptions(existingTables: .untracked))
        #expect(try container.newContext().count(for: FetchRequest<ManagedObject>(entityName: "orders")) == 3)
        let show = try run("show", path)
        #expect(
            show.lines.contains {
                $0.contains("customer") && $0.contains("to one customers, from “CustomerID”")
            }, "\(show)")
        let value = try run("show", path, "--json").jsonObject()
        #expect((value["tables"] as? [[String: Any]])?.count == 5)
        #expect(try run("show", path, "--strict").status == 1)
        #expect(try run("json", path, "--read-only").output.contains("\"words\""))
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }

    @Test func `a model of Core Data's tools is printed as JSON as well`() throws {
        let tour = RepositoryFile.url("Tests/ModelReadingTests/Resources/Tour.xcdatamodeld").path
        let run = try run("json", tour)
        #expect(run.status == 0, "\(run)")
        #expect(try !ManagedObjectModel(jsonText: run.output).entities.isEmpty)
    }

    @Test(.enabled(if: CoreDataSamples.folder != nil, CoreDataSamples.reason))
    func `the model in a Core Data store is shown, printed and written as classes`() throws {
        #expect(CoreDataSamples.paths.count >= 13)
        for sample in CoreDataSamples.paths {
            let place = try ScratchDirectory()
            let path = try CoreDataSamples.copy(sample, to: place)
            let before = try ScratchDirectory.contents(of: place.url)
            let (show, json) = (try run("show", path, "--json"), try run("json", path))
            let classes = try run("generate", path, "--output", directory.path(sample))
            #expect([show.status, json.status, classes.status] == [0, 0, 0], "\(show)\(json)\(classes)")
            #expect(try ScratchDirectory.contents(of: place.url) == before)
            let names = try ForeignWriter.run(
                "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1", on: path
            ).split(separator: "\n").map(String.init)
            // A migration renamed the entity, and the table of numbers keeps its earlier name.
            let expected = names.map {
                sample.contains("SampleModel_V2") && $0 == "ExpensiveSportCar" ? "LuxuryCar" : $0
            }
            let model = try ManagedObjectModel(jsonText: json.output)
            #expect(Set(model.entities.map(\.name)) == Set(expected), "\(sample)")
            #expect(model.entities.allSatisfy { $0.existingTable == nil })
            let files = try ScratchDirectory.contents(of: directory.file(sample))
            #expect(files.keys.count { $0.hasSuffix(".swift") } >= model.entities.count, "\(files.keys)")
        }
    }

    @Test func `the model in a store is read from the store, not from its tables`() throws {
        let store = try BookStore()
        let tracked = directory.path("tracked.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: tracked)
        #expect(try ToolProcess.run("library-import", ["adopt", tracked, "--tracked"]).status == 0)
        for path in [store.path, tracked] {
            let other = try ScratchDirectory()
            try FileManager.default.copyItem(atPath: path, toPath: other.path("copy"))
            let folder = URL(filePath: path).deletingLastPathComponent()
            let before = try ScratchDirectory.contents(of: folder)
            let model = try PersistentContainer(
                url: other.file("copy"), options: StoreOptions(isReadOnly: true)
            )
            .model
            let json = try run("json", path)
            #expect(json.status == 0 && json.errors == "", "\(json)")
            #expect(try ManagedObjectModel(jsonText: json.output).versionDigest == model.versionDigest)
            let show = try run("show", path, "--strict")
            #expect(show.status == 0 && !show.output.contains("sc_"), "\(show)")
            for line in model.description.split(separator: "\n") {
                #expect(show.lines.contains(String(line)), "\(line) in \(show)")
            }
            let shown = try run("show", path, "--json").jsonObject()["entities"] as? [[String: Any]]
            #expect(shown?.map { $0["name"] as? String } == model.entities.map(\.name))
            #expect(try ScratchDirectory.contents(of: folder) == before)
            let classes = try ScratchDirectory()
            let generated = try run("generate", path, "--output", classes.url.path)
            #expect(generated.status == 0 && !generated.output.contains("sc_"), "\(generated)")
            let files = try ScratchDirectory.contents(of: classes.url)
            #expect(files.count == model.entities.count && !model.entities.isEmpty)
        }
        let show = try run("show", store.path)
        #expect(show.output.contains("isRead: boolean") && show.output.contains("added: date?"), "\(show)")
    }

    @Test func `a table with one name of a control table does not hide the other tables`() throws {
        try ForeignWriter.run("CREATE TABLE sc_log (id INTEGER PRIMARY KEY, text TEXT)", on: path)
        let list = try ToolProcess.run("library-browser", [path, "--entity", "customers", "--json"])
        let count = try ForeignWriter.run("SELECT count(*) FROM customers", on: path)
        #expect(try list.jsonObject()["numberOfRows"] as? Int == Int(count.dropLast()))
        let tables = try ToolProcess.run("library-browser", [path])
        #expect(tables.output.contains("sc_log") && tables.output.contains("reserved"), "\(tables)")
    }
}
