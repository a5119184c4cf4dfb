import ChangeHistory
import CheckSupport
import Foundation
import Testing

@testable import SectionedFetch

/// The computation of a change set from two states, without a controller.
@Suite struct ChangeComputationTests {
    /// Returns a state of sections by name, whose first letter is the identity, with rows by primary key.
    private static func state(_ sections: [(String, [Int64])]) -> SectionedRows {
        var builder = SectionIndex.Builder()
        for (name, rows) in sections {
            builder.beginSection(identity: [name.utf8.first ?? 0], name: name, indexTitle: name)
            for row in rows { builder.append(row) }
        }
        return SectionedRows(builder.finish(), keys: sections.flatMap(\.1))
    }

    private static func change(
        _ old: [(String, [Int64])], _ new: [(String, [Int64])], changed: Set<Int64> = []
    ) throws -> ResultsChange {
        let computation = ChangeComputation(from: state(old), to: state(new), changedKeys: changed)
        return ResultsChange(
            computation.sectionEvents, computation.rows,
            objectIDs: computation.rows.map { ObjectID(entityName: "Item", primaryKey: $0.key) })
    }

    /// Returns the events in a short form: `S-0 A`, `R+1.0 7`, `R>0.1>1.0 7`.
    private static func words(_ change: ResultsChange) -> [String] {
        change.events.map { event in
            switch event {
            case .section(let event):
                let positions = [event.oldPosition, event.newPosition].compactMap(\.self).map(String.init)
                return "S\(sign(event.kind))\(positions.joined(separator: ">")) \(event.name)"
            case .subsection(let event): return "T\(sign(event.kind)) \(event.name)"
            case .row(let event):
                let positions = [event.indexPath, event.newIndexPath].compactMap(\.self).map {
                    "\($0[0]).\($0[1])"
                }
                return
                    "R\(sign(event.kind))\(positions.joined(separator: ">")) \(event.objectID.primaryKey ?? -1)"
            }
        }
    }

    private static func sign(_ kind: ResultsChange.Kind) -> String {
        switch kind {
        case .insertion: "+"
        case .deletion: "-"
        case .move: "~"
        case .update: "="
        }
    }

    @Test func `equal states have no change`() throws {
        let change = try Self.change([("A", [1, 2]), ("B", [3])], [("A", [1, 2]), ("B", [3])])
        #expect(change.isEmpty && change.events.isEmpty)
    }

    @Test func `an inserted or deleted section is reported with its rows`() throws {
        let change = try Self.change([("A", [1]), ("B", [2, 3])], [("A", [1]), ("C", [4, 5])])
        #expect(Self.words(change) == ["S-1 B", "R-1.1 3", "R-1.0 2", "S+1 C", "R+1.0 4", "R+1.1 5"])
    }

    @Test func `a row of a deleted section that is in another section is a move`() throws {
        let change = try Self.change([("A", [1]), ("B", [2])], [("A", [1, 2])], changed: [2])
        #expect(Self.words(change) == ["S-1 B", "R~1.0>0.1 2"])
        #expect(Self.words(change.forTableViews) == ["S-1 B", "R-1.0 2", "R+0.1 2"])
        #expect(Self.words(change.sectionsOnly) == ["S-1 B"])
    }

    @Test func `a changed row that keeps its order is an update at both paths`() throws {
        let change = try Self.change([("A", [1, 2, 3])], [("A", [9, 1, 2, 3])], changed: [2])
        #expect(Self.words(change) == ["R+0.0 9", "R=0.1>0.2 2"])
    }

    @Test func `only changed rows move, even if moving the others would take as few moves`() throws {
        #expect(
            Self.words(try Self.change([("A", [1, 2])], [("A", [2, 1])], changed: [1])) == ["R~0.0>0.1 1"])
        #expect(
            Self.words(try Self.change([("A", [1, 2])], [("A", [2, 1])], changed: [2])) == ["R~0.1>0.0 2"])
        let change = try Self.change([("A", [1, 2, 3, 4])], [("A", [2, 3, 4, 1])], changed: [2, 3, 4])
        #expect(Self.words(change) == ["R~0.1>0.0 2", "R~0.2>0.1 3", "R~0.3>0.2 4"])
    }

    @Test func `if unchanged rows change their order, the fewest rows move`() throws {
        let change = try Self.change([("A", [1, 2, 3, 4])], [("A", [4, 1, 2, 3])])
        #expect(Self.words(change) == ["R~0.3>0.0 4"])
    }

    @Test func `a section with another name and the same key is renamed`() throws {
        let change = try Self.change([("A", [1]), ("B", [2])], [("Ab", [1]), ("B", [2])])
        #expect(Self.words(change) == ["S=0>0 Ab"])
    }

    @Test func `a section moves with its rows, and sections with unchanged rows stay`() throws {
        let change = try Self.change(
            [("A", [1, 2]), ("B", [3, 4]), ("C", [5])], [("B", [3, 4]), ("C", [5]), ("Az", [1, 2])],
            changed: [1, 2])
        #expect(Self.words(change) == ["S~0>2 Az", "S=0>2 Az", "R=0.0>2.0 1", "R=0.1>2.1 2"])
        // One section passes two others: the changed rows determine which sections moved.
        let other = try Self.change(
            [("A", [1]), ("B", [2]), ("C", [3])], [("B", [2]), ("C", [3]), ("A", [1])], changed: [2, 3])
        #expect(other.sectionEvents.map(\.name) == ["B", "C"])
    }

    @Test func `a change within one section has a collection difference`() throws {
        let old: [Int64] = [1, 2, 3, 4, 5]
        let new: [Int64] = [6, 5, 1, 3, 4, 7]
        let change = try Self.change([("A", old)], [("A", new)], changed: [5])
        let difference = try #require(change.difference)
        let result = old.map { ObjectID(entityName: "Item", primaryKey: $0) }.applying(difference)
        #expect(result?.map(\.primaryKey) == new)
        #expect(difference.insertions.count == 3 && difference.removals.count == 2)
        #expect(try Self.change([("A", [1])], [("B", [1])]).difference == nil)
    }

    @Test func `the kept run contains the fixed elements and is as long as possible`() {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let order = (0..<Int.random(in: 0..<12, using: &generator)).shuffled(using: &generator)
            let ratio = Int.random(in: 1..<12, using: &generator)
            let isFixed = order.map { _ in Int.random(in: 0..<ratio, using: &generator) == 0 }
            let kept = StableOrder.kept(order, isFixed: isFixed)
            let run = order.indices.filter { kept[$0] }.map { order[$0] }
            let fixed = order.indices.filter { isFixed[$0] }
            #expect(run == run.sorted(), "seed \(seed)")
            #expect(
                run.count == MinimalityOracle.greatestNumberOfKept(order, mustStay: isFixed), "seed \(seed)")
            if fixed.map({ order[$0] }) == fixed.map({ order[$0] }).sorted() {
                #expect(fixed.allSatisfy { kept[$0] }, "seed \(seed)")
            }
        }
    }
}
