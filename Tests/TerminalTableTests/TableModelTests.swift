import Testing

@testable import TerminalTable

/// The updates that a table view accepts, and the messages with which it refuses others.
@Suite struct TableModelTests {
    /// Three rows in A, two in B and one in C. Each cell contains its original position.
    private var model: TableModel<String> {
        var model = TableModel<String>(sections: [
            TableSection(title: "A", numberOfRows: 3), TableSection(title: "B", numberOfRows: 2),
            TableSection(title: "C", numberOfRows: 1),
        ])
        for (section, title) in ["A", "B", "C"].enumerated() {
            for row in 0..<model.sections[section].numberOfRows {
                model.setCell("\(title)\(row)", at: RowPath(section: section, row: row))
            }
        }
        return model
    }

    /// Returns the cells of each section, with a full stop for a missing cell.
    private func shown(_ model: TableModel<String>) -> [String] {
        model.sections.enumerated().map { section, content in
            let rows = (0..<content.numberOfRows).map { row in
                model.cells[RowPath(section: section, row: row)] ?? "."
            }
            return "\(content.title): \(rows.joined(separator: " "))"
        }
    }

    @Test func `rows and sections are shifted by insertions and deletions`() throws {
        var model = model
        model.beginUpdates()
        model.deleteSection(at: 2)
        model.insertSection(at: 0, title: "N")
        model.deleteRow(at: RowPath(section: 0, row: 0))
        model.insertRow(at: RowPath(section: 1, row: 0))
        model.insertRow(at: RowPath(section: 1, row: 2))
        model.moveRow(from: RowPath(section: 1, row: 0), to: RowPath(section: 1, row: 4))
        model.reloadRow(at: RowPath(section: 1, row: 1))
        let mapping = try model.endUpdates(newCounts: [2, 5, 1])
        #expect(shown(model) == ["N: . .", "A: . A1 . A2 .", "B: ."])
        #expect(mapping.newPath(of: RowPath(section: 1, row: 0)) == RowPath(section: 1, row: 4))
        #expect(mapping.newPath(of: RowPath(section: 1, row: 1)) == RowPath(section: 2, row: 0))
        #expect(mapping.newPath(of: RowPath(section: 0, row: 0)) == nil)
        #expect(mapping.newPath(of: RowPath(section: 2, row: 0)) == nil)
        #expect(mapping.pathOfRowOrNext(RowPath(section: 0, row: 0)) == RowPath(section: 1, row: 1))
        #expect(mapping.pathOfRowOrNext(RowPath(section: 2, row: 0)) == nil)
    }

    @Test func `a moved section keeps its rows, and can be renamed`() throws {
        var model = model
        model.beginUpdates()
        model.moveSection(from: 2, to: 0)
        model.reloadSection(at: 2, title: "see")
        model.insertRow(at: RowPath(section: 0, row: 0))
        try model.endUpdates(newCounts: [2, 3, 2])
        #expect(shown(model) == ["see: . C0", "A: A0 A1 A2", "B: B0 B1"])
    }

    @Test func `a refused update leaves the table as it was`() throws {
        var model = model
        let before = shown(model)
        model.beginUpdates()
        model.deleteRow(at: RowPath(section: 0, row: 0))
        #expect(throws: TableUpdateError.self) { try model.endUpdates(newCounts: [3, 2, 1]) }
        #expect(shown(model) == before)
        #expect(!model.isUpdating)
        model.beginUpdates()
        try model.endUpdates(newCounts: [3, 2, 1])
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: TableUpdateError.Rule
        let counts: [Int]
        let message: String
        let update: @Sendable (inout TableModel<String>) -> Void

        init(
            _ name: String, _ rule: TableUpdateError.Rule, _ counts: [Int], _ message: String,
            _ update: @escaping @Sendable (inout TableModel<String>) -> Void
        ) {
            testDescription = name
            self.rule = rule
            self.counts = counts
            self.message = message
            self.update = update
        }
    }

    static let refusals: [Refusal] = [
        Refusal(
            "a row too many", .numberOfRows, [4, 2, 1],
            "invalid number of rows in section 0 (“A”). The number of rows in an existing section after the update (4) must be equal to the number of rows in that section before the update (3), plus or minus the number of rows inserted or deleted (2 inserted, 0 deleted) and plus or minus the number of rows moved into or out of that section (0 moved in, 0 moved out)"
        ) {
            $0.insertRow(at: RowPath(section: 0, row: 0))
            $0.insertRow(at: RowPath(section: 0, row: 1))
        },
        Refusal(
            "a row deleted without an event", .numberOfRows, [3, 1, 1],
            "invalid number of rows in section 1 (“B”). The number of rows in an existing section after the update (1) must be equal to the number of rows in that section before the update (2), plus or minus the number of rows inserted or deleted (0 inserted, 0 deleted) and plus or minus the number of rows moved into or out of that section (0 moved in, 0 moved out)"
        ) { _ in },
        Refusal(
            "a move that does not change the counts", .numberOfRows, [2, 2, 1],
            "invalid number of rows in section 1 (“B”). The number of rows in an existing section after the update (2) must be equal to the number of rows in that section before the update (2), plus or minus the number of rows inserted or deleted (0 inserted, 0 deleted) and plus or minus the number of rows moved into or out of that section (1 moved in, 0 moved out)"
        ) { $0.moveRow(from: RowPath(section: 0, row: 0), to: RowPath(section: 1, row: 0)) },
        Refusal(
            "a section inserted without an event", .numberOfSections, [3, 2, 1, 1],
            "invalid number of sections. The number of sections after the update (4) must be equal to the number of sections before the update (3), plus or minus the number of sections inserted or deleted (0 inserted, 0 deleted)"
        ) { _ in },
        Refusal(
            "a deleted section that stays", .numberOfSections, [3, 2, 1],
            "invalid number of sections. The number of sections after the update (3) must be equal to the number of sections before the update (3), plus or minus the number of sections inserted or deleted (0 inserted, 1 deleted)"
        ) { $0.deleteSection(at: 1) },
        Refusal(
            "a deleted section out of range", .sectionOutOfRange, [3, 2],
            "attempt to delete section 3, but there are only 3 sections before the update"
        ) { $0.deleteSection(at: 3) },
        Refusal(
            "an inserted section out of range", .sectionOutOfRange, [3, 2, 1, 1],
            "attempt to insert section 4, but there are only 4 sections after the update"
        ) { $0.insertSection(at: 4, title: "") },
        Refusal(
            "a deleted row out of range", .rowOutOfRange, [3, 1, 1],
            "attempt to delete row 2 of section 1, which only contains 2 rows before the update"
        ) { $0.deleteRow(at: RowPath(section: 1, row: 2)) },
        Refusal(
            "an inserted row out of range", .rowOutOfRange, [3, 3, 1],
            "attempt to insert row 3 to section 1, which only contains 3 rows after the update"
        ) { $0.insertRow(at: RowPath(section: 1, row: 3)) },
        Refusal(
            "a row in a section out of range", .sectionOutOfRange, [3, 2, 1],
            "attempt to reload row 0 of section 7, but there are only 3 sections before the update"
        ) { $0.reloadRow(at: RowPath(section: 7, row: 0)) },
        Refusal(
            "a row deleted twice", .conflict, [1, 2, 1], "attempt to twice delete row 0-1"
        ) {
            $0.deleteRow(at: RowPath(section: 0, row: 1))
            $0.deleteRow(at: RowPath(section: 0, row: 1))
        },
        Refusal(
            "a row deleted and reloaded", .conflict, [2, 2, 1],
            "attempt to delete and reload the same row 0-1"
        ) {
            $0.deleteRow(at: RowPath(section: 0, row: 1))
            $0.reloadRow(at: RowPath(section: 0, row: 1))
        },
        Refusal(
            "two rows at one position", .conflict, [4, 1, 1],
            "attempt to insert and move the same row 0-1"
        ) {
            $0.insertRow(at: RowPath(section: 0, row: 1))
            $0.moveRow(from: RowPath(section: 1, row: 0), to: RowPath(section: 0, row: 1))
        },
        Refusal(
            "a section deleted and moved", .conflict, [3, 2],
            "attempt to delete and move the same section 0"
        ) {
            $0.deleteSection(at: 0)
            $0.moveSection(from: 0, to: 1)
        },
        Refusal(
            "a section deleted and renamed", .conflict, [3, 2],
            "attempt to delete and reload the same section 2"
        ) {
            $0.deleteSection(at: 2)
            $0.reloadSection(at: 2, title: "")
        },
        Refusal(
            "a row that moves out of a deleted section", .moveFromDeletedSection, [4, 2],
            "cannot move row 0 from the deleted section 2 (“C”)"
        ) {
            $0.deleteSection(at: 2)
            $0.moveRow(from: RowPath(section: 2, row: 0), to: RowPath(section: 0, row: 0))
        },
        Refusal(
            "a row that moves into an inserted section", .moveIntoInsertedSection, [2, 2, 1, 1],
            "cannot move row 0-0 into the newly inserted section 3"
        ) {
            $0.insertSection(at: 3, title: "D")
            $0.moveRow(from: RowPath(section: 0, row: 0), to: RowPath(section: 3, row: 0))
        },
        Refusal(
            "a row reloaded in a deleted section", .conflict, [3, 2],
            "attempt to reload row 0 of the deleted section 2"
        ) {
            $0.deleteSection(at: 2)
            $0.reloadRow(at: RowPath(section: 2, row: 0))
        },
    ]

    @Test(arguments: refusals)
    func `an inconsistent update is refused with a message that names its position`(refusal: Refusal) {
        var model = model
        model.beginUpdates()
        refusal.update(&model)
        let error = #expect(throws: TableUpdateError.self) {
            try model.endUpdates(newCounts: refusal.counts)
        }
        #expect(error?.rule == refusal.rule)
        #expect(error?.message == "Invalid update: \(refusal.message).")
    }

    @Test func `a change of the data before the update is named`() {
        let error = TableUpdateError(unannouncedCounts: [3, 4], insteadOf: [3, 2])
        #expect(error.rule == .unannounced)
        #expect(error.message.hasSuffix("section 1 has 4 rows and had 2."))
        let other = TableUpdateError(unannouncedCounts: [3], insteadOf: [3, 2])
        #expect(other.message.hasSuffix("there are 1 sections and were 2."))
    }
}
