import Foundation
import Testing

@testable import LibraryImport

/// The reports of an import: `--quiet`, `--verbose`, and the progress of several passes.
@Suite struct LibraryImportReportTests {
    @Test func `a quiet import prints bad rows and errors only`() throws {
        let file = try LibraryImportFile("id,year\n1,1\n2,x\n2,2\n")
        let run = try file.run(["--quiet", "--type", "year=integer16"])
        #expect(run.status == 1 && run.output == "", "\(run)")
        #expect(run.errors == "\(file.path):3: column 2 (year): “x” is not a valid integer16\n")
        let json = try file.run(["--quiet", "--json", "--type", "year=integer16", "--again"])
        #expect(json.output.hasPrefix("{"), "\(json)")
    }

    @Test func `a verbose import prints the columns and their attributes`() throws {
        let file = try LibraryImportFile("id,Year of issue,author\n1,1,Ann\n")
        let run = try file.run(["--verbose", "--relationship", "author=Author", "--key", "id"])
        #expect(run.status == 0, "\(run)")
        #expect(run.errors.contains("“id” becomes Book.id, integer64, the key.\n"), "\(run)")
        #expect(run.errors.contains("“author” becomes Book.author, the Author with this name.\n"), "\(run)")
        #expect(try file.run(["--verbose", "--quiet"]).status == 64)
    }

    @Test func `the progress of several passes never goes back and counts the rows of all`() {
        var passes = ImportPasses()
        passes.expected = 3
        var last = 0.0
        var read = 0
        for pass in 0..<3 {
            if pass == 2 { #expect(passes.beginLast() == 1_000) }
            // The second pass ends early.
            for step in 1...(pass == 1 ? 4 : 10) {
                let progress = Importer.Progress(
                    rows: pass == 1 ? step * 250 : step * 100, byteOffset: step * 50, byteCount: 500)
                let ended = passes.add(progress)
                #expect((ended != nil) == (pass == 1 && step == 1))
                #expect(passes.complete == pass)
                let fraction = passes.fraction(progress)
                #expect(fraction >= last && fraction <= 1)
                last = fraction
                read = pass * 1_000 + progress.rows
                #expect(passes.rowsBefore + progress.rows == read)
            }
        }
        #expect(last == 1)
        let progress = Importer.Progress(rows: 500, byteOffset: 250, byteCount: 500)
        #expect(
            ImportProgress.line(progress, seconds: 5, passes)
                == "████████████████████···· 83 %  500 rows  500 rows/s  1 s left  pass 3 of 3")
    }
}
