import Foundation
import RecordReading
import SectionedFetch
import ToolSupport

extension Importer {
    /// The record of the import after its last row.
    var record: ImportRecord {
        ImportRecord(
            date: Date(), fileName: Self.recordedName(of: file), digest: options.digest?.text,
            entityName: mapping.entity, options: options.text,
            counts: summary.counts)
    }

    /// The error of an import without a key whose rows another import without a key has inserted.
    private struct ImportedBefore: Error {
        let record: ImportRecord
    }

    /// Refuses the file if another import of it was completed since this one began.
    func refuseAgain(_ writer: BatchWriter) throws {
        guard options.refusesAgain, let digest = options.digest?.text,
            let record = try writer.completeImport(ofEntityNamed: mapping.entity, digest: digest)
        else { return }
        throw ImportedBefore(record: record)
    }

    /// Returns the failure of an import of which no rows stay in the store: one that was undone, or that is
    /// undone because another import has its rows. Returns nil for other errors.
    func undoing(_ error: any Error) -> ToolFailure? {
        if let error = error as? ObjectStorageError, error.code == .conflict, let number = history?.number,
            target.hasUndone(number)
        {
            (summary, recordedPosition) = (ImportSummary(), nil)
            return failure(error)
        }
        guard let before = error as? ImportedBefore else { return nil }
        let failure = Self.failure(file, importedBy: before.record, into: target.path)
        guard summary.rows > 0, !options.isDryRun, let number = history?.number else { return failure }
        if target.undo(number) {
            (summary, recordedPosition) = (ImportSummary(), nil)
            return failure
        }
        return ToolFailure(
            failure.message
                + " \(Quantity.count(summary.rows, "row")) of this import could not be taken back. Run “library-import undo STORE \(number)”."
        )
    }

    /// Records the position after the last record that was read, if the import can continue there.
    func recordPosition(_ writer: BatchWriter) throws(ObjectStorageError) {
        guard var next = options.start else { return }
        next.records = Int64(recordCount)
        next.counts = summary.counts
        try writer.setImportPosition(next, insteadOf: recordedPosition)
        recordedPosition = next
    }

    /// Returns the options of a command line as text.
    ///
    /// - Parameter paths: The paths of the file and of the store, which are left out.
    static func optionsText(_ arguments: [String], besides paths: [String]) -> String {
        var paths = paths
        return arguments.filter { argument in
            if argument == "import" || argument == "--" { return false }
            guard let position = paths.firstIndex(of: argument) else { return true }
            paths.remove(at: position)
            return false
        }.map { argument in
            argument.contains { $0 == " " || $0 == "\"" || $0 == "\n" } ? "\"\(argument)\"" : argument
        }.joined(separator: " ")
    }

    /// Returns the name of a file without its folder.
    static func recordedName(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Returns the failure of an import of a file that was imported before.
    static func failure(_ file: String, importedBy record: ImportRecord, into path: String) -> ToolFailure {
        let counts = Quantity.count(record.counts.inserted, "row")
        return ToolFailure(
            "“\(file)” was imported into “\(record.entityName)” of “\(path)” at \(ISO8601Text.text(record.date.timeIntervalSinceReferenceDate.rounded(.down)) ?? "\(record.date)") (import \(record.number) of “\(record.fileName)”, \(counts) inserted). Without a key, its rows would be in the store twice. Pass --again to import them again, or --key to update them."
        )
    }
}
