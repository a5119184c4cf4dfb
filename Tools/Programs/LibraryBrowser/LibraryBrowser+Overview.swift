import CoreDataStores
import SectionedFetch
import ToolSupport

/// Descriptions of a store's entities, in place of a list.
extension LibraryBrowser {
    /// Whether no option selects a list, so that the entities of the store are described.
    var choosesNoList: Bool {
        request.isEmpty && section == nil && columns == nil && rows == nil && cache == nil
            && format == nil && !live
    }

    /// Prints the description of the entities, unless an option selects a list or the store has only one
    /// entity.
    ///
    /// - Returns: Whether it was printed.
    /// - Throws: ``ToolFailure``, ``ObjectStorageError``.
    func printOverview(of database: AnyDatabase) throws -> Bool {
        if let survey = database.survey { return try printOverview(of: survey, in: database) }
        let coreDataStore = database.coreDataStore
        guard choosesNoList, coreDataStore != nil || database.container.model.entities.count > 1 else {
            return false
        }
        let report = try EntityReport(
            database.container, name: coreDataStore == nil ? store : "\(store), a Core Data store",
            facts: coreDataStore?.facts ?? [], showsColumns: coreDataStore == nil)
        let notShown = coreDataStore?.unreadableParts.map { "Not shown: \($0)" } ?? []
        let members: [JSONValue.Member] = [
            .init("store", .string(store)), .init("kind", coreDataStore == nil ? "store" : "Core Data"),
            .init("entities", report.json),
        ]
        try StandardOutput.print(
            asJSON: json, .object(members + (coreDataStore?.members ?? [])),
            lines: report.lines + [""] + notShown + [EntityReport.remedy])
        return true
    }

    /// Writes to standard error which entity is listed, if no option names one of several.
    func noteChoice(_ model: ManagedObjectModel) {
        guard request.entity == nil, model.entities.count > 1, let first = model.entities.first else {
            return
        }
        let others = model.entities.dropFirst().prefix(10).map { "“\($0.name)”" }.joined(separator: ", ")
        let more = model.entities.count > 11 ? " and \(Quantity.count(model.entities.count - 11)) more" : ""
        writeToStandardError(
            "library-browser: \(TerminalText.escaped("This is the list of “\(first.name)”, the first entity. Pass --entity for another one: \(others)\(more)."))\n"
        )
    }
}
