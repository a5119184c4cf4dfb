import Foundation
import Testing

/// Text files in place of a store.
@Suite struct TextFileTests {
    private func browse(_ path: String, _ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-browser", [path] + arguments)
    }

    @Test func `a text file is refused with the import that makes a store of it`() throws {
        let file = try LibraryImportFile("wines.csv", "name,price\nA,1.50\n")
        let remedy = "Import it first: library-import \(file.path) \(file.directory.path("wines.store"))"
        try browse(file.path).expectRefusal(saying: "is not an SQLite database but a text file", remedy)
        try ToolProcess.run("cache-inspector", ["verify", "--store", file.path]).expectRefusal(saying: remedy)
        for arguments in [["adopt", file.path, "--tracked"], ["--from", file.path, file.storePath]] {
            try ToolProcess.run("library-import", arguments).expectRefusal(saying: remedy)
        }
        try ToolProcess.run("library-import", [file.path, file.path]).expectRefusal(
            saying: "The store is the last argument")
        // UTF-16, and bytes that are no text.
        try Data("name\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).write(
            to: file.directory.file("none"))
        try (Data([0xFF, 0xFE]) + Data("n\0\n\0".utf8)).write(to: file.directory.file("wide.csv"))
        try browse(file.directory.path("wide.csv")).expectRefusal(saying: "but a text file")
        try browse(file.directory.path("none")).expectRefusal(saying: "is damaged")
        #expect(!file.storeExists)
    }
}
