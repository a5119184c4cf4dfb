import Foundation
import ObjectStorage

/// The writer that keeps a Core Data store consistent in the transactions of one container.
///
/// Rows are written like those of any external table. In the same transaction, this class completes them: it
/// sets the columns that only Core Data's rules determine, the largest keys, and the history of changes. The
/// rules come from the bytes of sample stores and from public documentation, and are checked against the
/// format only, not against Apple's framework.
///
/// SAFETY: the container's writing connection calls the methods, on one thread at a time. ``copyURL`` is read
/// from any thread and has a lock.
final class CoreDataWriter: TransactionRules, @unchecked Sendable {
    let plan: WritingPlan
    let options: CoreDataWriting
    let recorder = ChangeRecorder()
    /// The path of the store without symbolic links.
    let path: String
    /// The files of large values, written and replaced by the present transaction.
    var files: LargeValueFiles
    private var isInstalled = false
    private var isCommitting = false
    /// The location of the copy that the present transaction made.
    private var newCopyURL: URL?
    private let lock = NSLock()
    private var lockedCopyURL: URL?

    /// The location of the copy that was made before the first save; nil if none was made. The copy for a
    /// save that was refused is removed.
    var copyURL: URL? { lock.withLock { lockedCopyURL } }

    init(_ store: CoreDataStore, _ plan: WritingPlan, options: CoreDataWriting) {
        self.plan = plan
        self.options = options
        path = store.url.resolvingSymlinksInPath().path
        files = LargeValueFiles(ofStoreAt: path)
    }

    /// The names of the functions that triggers of Core Data call. Each gets a table, an entity, a key, a
    /// column and a value; the results are not used. Source: the triggers in sample stores.
    private static let functionNames = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue",
        "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]

    func prepare(_ connection: ExternalStoreConnection) throws(ObjectStorageError) {
        for name in Self.functionNames {
            connection.registerFunction(named: name, numberOfArguments: 5, isForSchema: true) { _ in }
        }
        // Some versions of SQLite let triggers write to r-tree tables only in a trusted schema. The owner of
        // the store wrote the triggers, and a file of unknown origin is not opened for writing.
        if plan.hasVirtualTables { try connection.runScript("PRAGMA trusted_schema = ON") }
        recorder.register(on: connection)
        isInstalled = false
    }

    func willBegin(in database: ExternalStoreConnection) throws(ObjectStorageError) {
        try checkNoOtherProcess()
        if !isInstalled {
            for trigger in ChangeRecorder.triggers(of: plan) { try database.run(trigger) }
            isInstalled = true
        }
        recorder.clear()
        files.begin()
        isCommitting = false
    }

    func begin(in database: ExternalStoreConnection) throws(ObjectStorageError) {
        try checkNoOtherProcess()
        try checkModel(in: database)
        // No other program commits during the transaction, so the copy has the state before it.
        if options.makesCopy, copyURL == nil { newCopyURL = try StoreBackup.copy(storeAt: path) }
        recorder.isActive = true
    }

    func lastKey(
        inTableNamed name: String, in database: ExternalStoreConnection
    ) throws(ObjectStorageError) -> Int64 {
        guard let table = plan.tables.first(where: { $0.name == name }) else { return 0 }
        let rows = try database.rows(
            "SELECT Z_MAX FROM main.Z_PRIMARYKEY WHERE Z_ENT = ?1", [.integer(table.rootNumber)])
        if case .integer(let key)? = rows.first?.first { return key }
        return 0
    }

    func willCommit() {
        recorder.isActive = false
        isCommitting = true
    }

    func end(isCommitted: Bool) {
        recorder.isActive = false
        recorder.clear()
        if isCommitted {
            files.removeReplaced()
        } else if !isCommitting {
            files.removeWritten()
        }
        guard let url = newCopyURL else { return }
        newCopyURL = nil
        if isCommitted || isCommitting {
            lock.withLock { lockedCopyURL = url }
        } else {
            // The save throws its own error. A part that remains is harmless: the next copy has another name.
            StoreBackup.remove(copyAt: url)
        }
    }

    /// Checks that no other process has the store open.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeInUse``, also if that cannot be
    ///   determined.
    func checkNoOtherProcess() throws(ObjectStorageError) {
        switch StoreLocks.otherProcess(withStoreAt: path) {
        case .free: return
        case .process(let identifier):
            throw ObjectStorageError(
                .storeInUse,
                "“\(path)” is open in \(identifier.map { "the process \($0)" } ?? "another process"), which would not notice the changes and could overwrite them. Quit that program, and save again."
            )
        case .unknown(let reason):
            throw ObjectStorageError(
                .storeInUse,
                "“\(path)” is not saved, because another process may have it open: \(reason). Open the store again, or a copy of it on a local disk."
            )
        }
    }

    /// Checks that the store still has the model that was read when it was opened.
    private func checkModel(in database: ExternalStoreConnection) throws(ObjectStorageError) {
        let present = CoreDataMetadata(rows: try database.rows(CoreDataMetadata.selection))
        guard !present.propertyList.isEmpty, !present.versionHashes.isEmpty else {
            throw ObjectStorageError(
                .modelMismatch,
                "The property list of Z_METADATA in “\(path)” cannot be read, so changes of the model would not be noticed. Nothing was saved; open the store without coreDataWriting."
            )
        }
        let isSame =
            present.uuid == plan.metadata.uuid && present.versionHashes == plan.metadata.versionHashes
        guard isSame, try database.rows("PRAGMA main.schema_version") == plan.schemaVersion else {
            throw ObjectStorageError(
                .modelMismatch,
                "The model or the tables of “\(path)” have changed since it was opened: another program migrated the store. Nothing was saved; open the store again."
            )
        }
    }
}
