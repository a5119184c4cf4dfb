import Foundation
import Testing

/// The import of an exported store in which a file was replaced by a pipe.
@Suite struct StoreExportPipeTests {
    @Test(.timeLimit(.minutes(2)), arguments: ["Book.csv", "export.json", "model.json"])
    func `a pipe in place of a file is refused at once`(name: String) throws {
        let file = try LibraryImportFile("id,title\n1,One\n")
        #expect(try file.run().status == 0)
        let files = file.directory.path("files")
        #expect(try ToolProcess.run("library-import", ["export", file.storePath, files]).status == 0)
        try FileManager.default.removeItem(atPath: "\(files)/\(name)")
        try #require(mkfifo("\(files)/\(name)", 0o600) == 0)
        for options in [[], ["--edited"]] {
            try ToolProcess.run("library-import", ["--from", files, file.directory.path("new")] + options)
                .expectRefusal(saying: "\(name)” is not a regular file")
        }
    }
}
