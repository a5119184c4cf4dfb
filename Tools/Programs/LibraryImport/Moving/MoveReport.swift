import SectionedFetch
import ToolSupport

/// The result of a move, as text and as JSON.
struct MoveReport {
    let source: MoveSource
    let targetPath: String
    let comparison: MoveComparison
    let plan: MovePlan
    let elapsed: Duration
    /// Whether the new store was complete before.
    let wasComplete: Bool
    /// Whether another program wrote to the source meanwhile.
    let hasSourceChanged: Bool

    /// Whether all contents of the source are in the new store, except for those that it cannot have.
    var isComplete: Bool { comparison.numberOfDifferences == 0 }

    /// The entities with the numbers of their own objects, without those of sub-entities.
    private var entities: [(name: String, count: Int, hasSubentities: Bool)] {
        plan.model.entities.filter { !$0.isAbstract }.map {
            ($0.name, comparison.numbersOfObjects[$0.name] ?? 0, $0.hasSubentities)
        }.sorted { $0.name < $1.name }
    }

    /// The text, as lines.
    var lines: [String] {
        var lines = [summary]
        var table = TextTable(alignments: [.left, .right, .left])
        let rows = entities.map {
            [$0.name, Quantity.count($0.count), $0.hasSubentities ? "without sub-entities" : ""]
        }
        lines += table.lines(rows).map { "    " + $0 }
        func add(_ heading: String, _ list: [String], of total: Int? = nil) {
            guard !list.isEmpty else { return }
            lines.append(heading)
            lines += list.map { "    " + $0 }
            let more = (total ?? list.count) - list.count
            if more > 0 { lines.append("    and \(Quantity.count(more)) more") }
        }
        add("Changes of the model:", plan.changes)
        add("Conversions:", source.conversions)
        add("Not moved:", source.partsWithoutPlace)
        add("Notes, on parts of the model without data:", source.notes)
        let listed = comparison.losses.reduce(0) { $0 + $1.count - 1 }
        add(
            "Contents that the new store cannot have:", comparison.losses.map(Self.text),
            of: comparison.numberOfLosses - listed)
        add("Differences:", comparison.differences.map(Self.text), of: comparison.numberOfDifferences)
        if hasSourceChanged {
            lines.append(
                "Another program wrote to “\(source.path)” during the move. The new store has the state from the beginning of the move."
            )
        }
        return lines
    }

    private var summary: String {
        let counts = [
            Quantity.count(comparison.numberOfObjects, "object"),
            Quantity.count(comparison.numberOfValues, "value"),
            Quantity.count(comparison.numberOfLinks, "member of relationships", "members of relationships"),
        ]
        let verb = wasComplete ? "had already been moved" : "was moved"
        let losses = comparison.numberOfLosses
        let result =
            !isComplete
            ? "with differences"
            : losses == 0
                ? "all are equal in both"
                : "all moved contents are equal in both, and \(Quantity.count(losses, "is lost", "are lost"))"
        return
            "The \(source.kindName) \(source.path) \(verb) to \(targetPath). Compared: \(counts.joined(separator: ", ")); \(result). \(Quantity.duration(elapsed))"
    }

    /// Returns a difference or a loss as one line.
    static func text(_ difference: MoveComparison.Difference) -> String {
        line(difference, ", in the new store \(difference.target)")
    }

    /// Returns a loss of an export, which has no new store, as one line.
    static func textOfExport(_ loss: MoveComparison.Difference) -> String { line(loss, "") }

    private static func line(_ difference: MoveComparison.Difference, _ target: String) -> String {
        let key = difference.key.map { " \($0)" } ?? ""
        let property = difference.propertyName.map { ", \($0)" } ?? ""
        let reason = difference.reason.map { ": \($0)" } ?? ""
        return
            "\(difference.entityName)\(key)\(property): \(difference.source)\(target)\(reason)"
    }

    /// The report as JSON.
    var json: JSONValue {
        [
            "source": .string(source.path), "kind": .string(source.kindName), "store": .string(targetPath),
            "isComplete": .boolean(isComplete), "wasCompleteBefore": .boolean(wasComplete),
            "hasSourceChanged": .boolean(hasSourceChanged),
            "objects": .count(comparison.numberOfObjects), "values": .count(comparison.numberOfValues),
            "members": .count(comparison.numberOfLinks),
            "entities": .array(entities.map { ["name": .string($0.name), "objects": .count($0.count)] }),
            "modelChanges": .array(plan.changes.map { .string($0) }),
            "conversions": .array(source.conversions.map { .string($0) }),
            "notMoved": .array(source.partsWithoutPlace.map { .string($0) }),
            "notes": .array(source.notes.map { .string($0) }),
            "numberOfLosses": .count(comparison.numberOfLosses),
            "losses": .array(comparison.losses.map(Self.json)),
            "numberOfDifferences": .count(comparison.numberOfDifferences),
            "differences": .array(comparison.differences.map(Self.json)),
            "seconds": .number(Quantity.seconds(elapsed)),
        ]
    }

    private static func json(_ difference: MoveComparison.Difference) -> JSONValue {
        [
            "entity": .string(difference.entityName), "key": difference.key.map { .integer($0) } ?? .null,
            "property": .string(ifPresent: difference.propertyName), "source": .string(difference.source),
            "store": .string(difference.target), "reason": .string(ifPresent: difference.reason),
            "count": .count(difference.count),
        ]
    }
}
