import Foundation
import SectionedFetch
import ToolSupport

extension ExportedStore {
    /// Makes a store with the contents of the export, or continues to fill one.
    ///
    /// - Parameters:
    ///   - new: The path of the store.
    ///   - restarts: Whether an unfinished store is deleted first.
    ///   - batchSize: The number of rows in one transaction.
    ///   - progress: Called after each transaction. It may throw to stop.
    /// - Throws: ``ToolFailure`` with the file and line; `ObjectStorageError`; `CancellationError` after a
    ///   signal. The store stays unfinished, and the same command continues.
    func importContents(
        to new: String, restarting restarts: Bool, batchSize: Int, busyTimeout: Double,
        note: (String) -> Void, progress: @escaping (Importer.Progress) throws -> Void
    ) throws -> ExportImportReport {
        let container = try target(new, restarting: restarts, busyTimeout: busyTimeout, note: note)
        guard let record = try container.moveRecord() else { return ExportImportReport() }
        let filler = ExportFiller(
            self, path: new, container, record, batchSize: batchSize, progress: progress)
        return try filler.run()
    }

    /// Returns the command that imports the export from the beginning after its files were edited.
    ///
    /// - Parameter store: The path of the store.
    func commandAfterEdits(into store: String) -> String {
        "“library-import --from \(path) \(store) --restart --edited”"
    }

    /// Opens the unfinished store, or makes a new one.
    private func target(
        _ new: String, restarting restarts: Bool, busyTimeout: Double, note: (String) -> Void
    ) throws -> PersistentContainer {
        guard !new.isEmpty else {
            throw ToolFailure("The path of the new store is empty. Pass the path of a file to make.")
        }
        let options = StoreOptions(busyTimeout: busyTimeout, migratesAutomatically: false)
        let url = PathArgument.url(new)
        let source = MoveTarget.fullPath(path)
        let survey = StoreOptions(busyTimeout: busyTimeout)
        if FileManager.default.fileExists(atPath: url.path),
            try DatabaseSurvey.kind(of: url, options: survey) != .empty
        {
            let found = try? PersistentContainer(url: url, options: options)
            guard let found, let record = try found.moveRecord() else {
                throw ToolFailure(
                    "“\(new)” exists. Nothing was changed. Pass the path of a new store, or delete “\(new)”.")
            }
            if !restarts {
                guard record.sourcePath == source, record.sourceState == state else {
                    throw ToolFailure(
                        "“\(new)” contains an unfinished move of “\(record.sourcePath)”, which is another export, or has changed since. Pass --restart to delete “\(new)” and begin again, or pass another path."
                    )
                }
                note("Continuing the import to “\(new)”.")
                return found
            }
            try MoveTarget(path: new, sourcePath: path, busyTimeout: busyTimeout).deleteFiles()
        }
        let record = MoveRecord(sourcePath: source, sourceState: state)
        return try PersistentContainer.open(url, model: model, options: options) { writer in
            try writer.setMoveRecord(record, insteadOf: nil)
            for entity in model.entities where entity.parentName == nil {
                _ = try writer.deferIndexes(ofEntityNamed: entity.name)
            }
        }.container
    }
}
