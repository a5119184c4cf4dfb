import Foundation
import Testing

@testable import FaultPrograms

/// The article “Faults” describes the fault programs as they are.
@Suite struct FaultArticleTests {
    /// Returns the cells of the rows of all tables in a file.
    private func tableRows(_ path: String) throws -> [[String]] {
        let text = try RepositoryFile.text(path)
        return text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    private func articleRows() throws -> [[String]] {
        try tableRows("Sources/SectionedFetch/Documentation.docc/Faults.md").filter {
            $0.count == 6 && $0[0].hasPrefix("A-")
        }
    }

    private func grouped(_ number: Int) -> String {
        number.formatted(.number.locale(Locale(identifier: "en_US")))
    }

    @Test func `the article has each row once, in order`() throws {
        let rows = try articleRows().map { $0[0] }
        #expect(rows.count >= 39)
        #expect(rows == (1...rows.count).map { $0 < 10 ? "A-0\($0)" : "A-\($0)" })
    }

    @Test func `each program covers the rows that name it, with the number of trials that they give`() throws
    {
        let rows = try articleRows()
        for program in FaultCatalogue.programs {
            let named = rows.filter { $0[3].contains("`\(program.name)`") }
            #expect(named.map { $0[0] } == program.rows, "\(program.name)")
            for row in named { #expect(row[5].contains(grouped(program.releaseCount)), "\(row)") }
        }
        let answered = Set(FaultCatalogue.programs.flatMap { $0.rows })
        #expect(rows.map { $0[0] }.filter { !answered.contains($0) } == ["A-37"])
    }

    @Test func `the table of runs has each program, its rows and its trials`() throws {
        let rows = try tableRows("Sources/SectionedFetch/Documentation.docc/Faults.md").filter {
            $0.count == 5 && $0[0].contains("--release")
        }
        #expect(rows.count == FaultCatalogue.programs.count)
        for program in FaultCatalogue.programs {
            let row = try #require(rows.first { $0[0].hasPrefix("`\(program.name) ") }, "\(program.name)")
            #expect(row[1] == program.rows.joined(separator: ", "), "\(row)")
            #expect(row[2] == grouped(program.releaseCount), "\(row)")
        }
    }
}
