import SectionedFetch
import ToolSupport

/// The result of undoing an import, as text and JSON.
struct UndoReport {
    let result: ImportUndoResult
    let isDryRun: Bool

    /// The result, a line for the counts and a line for each example.
    var lines: [String] {
        let begin = isDryRun ? "Dry run: nothing was written. Import" : "Undone: import"
        let counts = [
            (result.deleted, "deleted"), (result.restored, "restored"),
            (result.absent, "absent before"), (result.changed, "changed since"),
        ]
        let together =
            result.keptTogether > 0 ? ", \(Quantity.count(result.keptTogether)) kept with them" : ""
        let related =
            "\(Quantity.count(result.deletedRelated, "related object")) deleted, \(Quantity.count(result.usedRelated)) still used"
        return [
            "\(begin) \(result.record.number) of “\(result.record.fileName)”: "
                + counts.map { "\(Quantity.count($0.0)) \($0.1)" }.joined(separator: ", ")
                + "\(together); \(related)."
        ] + result.changedLines.map { "  " + $0 }
    }

    /// The result as JSON.
    var json: JSONValue {
        .object([
            .init("number", .integer(result.record.number)), .init("undone", .boolean(result.isUndone)),
            .init("deleted", .count(result.deleted)), .init("restored", .count(result.restored)),
            .init("absent", .count(result.absent)), .init("changed", .count(result.changed)),
            .init("keptTogether", .count(result.keptTogether)),
            .init("deletedRelated", .count(result.deletedRelated)),
            .init("usedRelated", .count(result.usedRelated)),
            .init("examples", .array(result.examples.map(\.json))),
        ])
    }
}

extension ImportUndoResult {
    /// The number of changed rows and examples, a line each.
    var changedLines: [String] {
        guard changed > 0 else { return [] }
        let rest = changed - examples.count
        return ["\(Quantity.count(changed, "row")) changed after import \(record.number):"]
            + examples.map { "  \($0.line)" }
            + (rest > 0 ? ["  … and \(Quantity.count(rest)) more"] : [])
    }
}

extension ImportUndoResult.ChangedRow {
    /// The name of the change, for JSON.
    private var kind: String {
        switch change {
        case .values: "values"
        case .deleted: "deleted"
        case .used: "used"
        case .missing: "missing"
        case .duplicate: "duplicate"
        }
    }

    /// The change as text.
    private var reason: String {
        switch change {
        case .values: "has other values"
        case .deleted: "was deleted"
        case .used(let user): "is used by \(user)"
        case .missing(let relationship): "had an object as its \(relationship) that does not exist anymore"
        case .duplicate(let message): "cannot get its earlier values back: \(message)"
        }
    }

    private func value(_ value: StoredValue, _ name: String) -> JSONValue {
        JSONValue(value, as: entity.storedAttributes.first { $0.name == name }?.type ?? .integer64)
    }

    /// The row as a line of text.
    var line: String {
        let shown = fields.filter { !$0.present.isNull || $0.earlier != nil }.prefix(8).map { field in
            "\(field.name) \(ImportPreview.text(value(field.present, field.name)))"
                + (field.earlier.map { ", earlier \(ImportPreview.text(value($0, field.name)))" } ?? "")
        }
        return "\(entity.name) \(key) \(reason)" + (shown.isEmpty ? "" : ": \(shown.joined(separator: "; "))")
    }

    /// The row as JSON.
    var json: JSONValue {
        .object([
            .init("entity", .string(entity.name)), .init("objectID", .integer(key)),
            .init("change", .string(kind)), .init("reason", .string(reason)),
            .init("values", .object(fields.map { .init($0.name, value($0.present, $0.name)) })),
            .init(
                "earlier",
                .object(
                    fields.compactMap { field in
                        field.earlier.map { .init(field.name, value($0, field.name)) }
                    })),
        ])
    }
}
