import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Real libraries, imported, imported again without a write, listed, exported, and imported from the export
/// into an equal store.
///
/// The tests run if the data are in the directory `SECTIONED_FETCH_DATA`, or in `shared/data` beside the
/// checkout. Of each file, the first 300 records are imported, or all with `SECTIONED_FETCH_WHOLE_DATA=1`.
@Suite(.enabled(if: RealLibrary.directory != nil && Python.path != nil, RealLibrary.reason))
struct LibraryImportDataTests {
    @Test(arguments: RealLibrary.all)
    func `an export of a real library is imported into an equal store`(library: RealLibrary) throws {
        let directory = try ScratchDirectory()
        let file = directory.path(library.name)
        let count = try library.write(to: file)
        #expect(count == library.count || !RealLibrary.isWhole && count == RealLibrary.limit)
        let store = directory.path("library.store")

        let arguments = ["--entity", "Item", "--json"] + library.arguments
        #expect(try counts([file, store] + arguments) == LibraryImportCounts(inserted: count))
        let description = try Description(of: directory.file("library.store"))
        if description.hasKey {
            #expect(try counts([file, store] + arguments) == LibraryImportCounts(unchanged: count))
        } else {
            try ToolProcess.run("library-import", [file, store] + arguments + ["--no-key"], timeLimit: 600)
                .expectRefusal(saying: "--again")
        }

        let list = try ToolProcess.run(
            "library-browser", [store, "--entity", "Item", "--rows", "0", "--json"], timeLimit: 600)
        #expect(try list.jsonObject()["numberOfRows"] as? Int == count)

        for format in RealLibrary.isWhole ? ["csv", "tsv", "json", "jsonl"] : library.formats {
            // A word for no value, because CSV has none.
            let word = format.hasPrefix("json") ? [] : ["--no-value", "␀"]
            let (export, copy) = (directory.path("Item.\(format)"), directory.path("\(format).store"))
            let run = try ToolProcess.run(
                executable: URL(filePath: "/bin/sh"),
                [
                    "-c", "exec \"$0\" \"$@\" > \"$EXPORT\"", try ToolProcess.path("library-browser"), store,
                    "--entity", "Item", "--format", format,
                ] + word, environment: ["EXPORT": export], timeLimit: 600)
            try #require(run.status == 0, "\(run)")
            let importing = [export, copy, "--entity", "Item", "--json"] + word + description.options
            #expect(try counts(importing) == LibraryImportCounts(inserted: count))
            #expect(try RealLibrary.difference(between: store, and: copy) == "equal", "\(format)")
        }
    }

    @Test func `a store with one other value is not equal`() throws {
        let directory = try ScratchDirectory()
        let library = try #require(RealLibrary.all.first)
        try library.write(to: directory.path(library.name))
        let (store, other) = (directory.path("library.store"), directory.path("other.store"))
        _ = try counts([directory.path(library.name), store, "--entity", "Item", "--json"])
        try FileManager.default.copyItem(atPath: store, toPath: other)
        #expect(try RealLibrary.difference(between: store, and: other) == "equal")
        try ForeignWriter.run("UPDATE Item SET title = title || ' ' WHERE objectID = 7", on: other)
        #expect(try RealLibrary.difference(between: store, and: other).contains("row 7"))
    }

    private func counts(_ arguments: [String]) throws -> LibraryImportCounts {
        let run = try ToolProcess.run("library-import", arguments, timeLimit: 600)
        try #require(run.status == 0, "\(run)")
        return try JSONDecoder().decode(LibraryImportCounts.self, from: Data(run.output.utf8))
    }

    /// The options with which an export becomes an equal entity: types that texts do not show, such as that
    /// of 2012, which was written as 2012.0.
    private struct Description {
        let options: [String]
        let hasKey: Bool

        init(of store: URL) throws {
            let entity = try PersistentContainer(url: store).model.requireEntity(named: "Item")
            let key = entity.attributes.first(where: \.isUnique)?.name
            hasKey = key != nil
            options =
                entity.attributes.flatMap { ["--type", "\($0.name)=\($0.type.rawValue)"] }
                + (key.map { ["--key", $0] } ?? ["--no-key"])
        }
    }
}
