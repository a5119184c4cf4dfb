import ChangeHistory
import CheckSupport
import Foundation
import Testing

@testable import SectionedFetch

/// The comparison of two states by itself.
@Suite struct `Comparing two states` {
    /// One state: sections by name, whose first letter is the identity, and rows by number.
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

    /// The events in short: `S-0 A`, `R+1.0 7`, `R>0.1>1.0 7`.
    private static func words(_ change: ResultsChange) -> [String] {
        change.events.map { event in
            switch event {
            case .section(let event):
                let places = [event.oldPosition, event.newPosition].compactMap(\.self).map(String.init)
                return "S\(sign(event.kind))\(places.joined(separator: ">")) \(event.name)"
            case .row(let event):
                let places = [event.indexPath, event.newIndexPath].compactMap(\.self).map {
                    "\($0[0]).\($0[1])"
                }
                return
                    "R\(sign(event.kind))\(places.joined(separator: ">")) \(event.objectID.primaryKey ?? -1)"
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

    @Test func `a section that comes or goes is reported with its rows`() throws {
        let change = try Self.change([("A", [1]), ("B", [2, 3])], [("A", [1]), ("C", [4, 5])])
        #expect(Self.words(change) == ["S-1 B", "R-1.1 3", "R-1.0 2", "S+1 C", "R+1.0 4", "R+1.1 5"])
    }

    @Test func `a row of a vanished section that is elsewhere is a move`() throws {
        let change = try Self.change([("A", [1]), ("B", [2])], [("A", [1, 2])], changed: [2])
        #expect(Self.words(change) == ["S-1 B", "R~1.0>0.1 2"])
        #expect(Self.words(change.forTableViews) == ["S-1 B", "R-1.0 2", "R+0.1 2"])
        #expect(Self.words(change.sectionsOnly) == ["S-1 B"])
    }

    @Test func `a changed row that keeps its order is an update at both paths`() throws {
        let change = try Self.change([("A", [1, 2, 3])], [("A", [9, 1, 2, 3])], changed: [2])
        #expect(Self.words(change) == ["R+0.0 9", "R=0.1>0.2 2"])
    }

    @Test func `only the changed row moves, though moving the others would be as short`() throws {
        #expect(
            Self.words(try Self.change([("A", [1, 2])], [("A", [2, 1])], changed: [1])) == ["R~0.0>0.1 1"])
        #expect(
            Self.words(try Self.change([("A", [1, 2])], [("A", [2, 1])], changed: [2])) == ["R~0.1>0.0 2"])
        let change = try Self.change([("A", [1, 2, 3, 4])], [("A", [2, 3, 4, 1])], changed: [2, 3, 4])
        #expect(Self.words(change) == ["R~0.1>0.0 2", "R~0.2>0.1 3", "R~0.3>0.2 4"])
    }

    @Test func `where unchanged rows change their order the fewest rows move`() throws {
        let change = try Self.change([("A", [1, 2, 3, 4])], [("A", [4, 1, 2, 3])])
        #expect(Self.words(change) == ["R~0.3>0.0 4"])
    }

    @Test func `a section with another name and the same key is renamed`() throws {
        let change = try Self.change([("A", [1]), ("B", [2])], [("Ab", [1]), ("B", [2])])
        #expect(Self.words(change) == ["S=0>0 Ab"])
    }

    @Test func `a section moves with its rows, and those with unchanged rows stay`() throws {
        let change = try Self.change(
            [("A", [1, 2]), ("B", [3, 4]), ("C", [5])], [("B", [3, 4]), ("C", [5]), ("Az", [1, 2])],
            changed: [1, 2])
        #expect(Self.words(change) == ["S~0>2 Az", "S=0>2 Az", "R=0.0>2.0 1", "R=0.1>2.1 2"])
        // One section passes two: which one moved is told by which rows changed.
        let other = try Self.change(
            [("A", [1]), ("B", [2]), ("C", [3])], [("B", [2]), ("C", [3]), ("A", [1])], changed: [2, 3])
        #expect(other.sectionEvents.map(\.name) == ["B", "C"])
    }

    @Test func `an unsectioned change is a difference of collections`() throws {
        let old: [Int64] = [1, 2, 3, 4, 5]
        let new: [Int64] = [6, 5, 1, 3, 4, 7]
        let change = try Self.change([("A", old)], [("A", new)], changed: [5])
        let difference = try #require(change.difference)
        let result = old.map { ObjectID(entityName: "Item", primaryKey: $0) }.applying(difference)
        #expect(result?.map(\.primaryKey) == new)
        #expect(difference.insertions.count == 3 && difference.removals.count == 2)
        #expect(try Self.change([("A", [1])], [("B", [1])]).difference == nil)
    }

    @Test func `the longest run contains what is fixed and is as long as can be`() {
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
