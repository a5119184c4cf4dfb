import SectionedFetch
import ToolSupport

/// Databases of other programs, which are listed without a mapping.
extension LibraryBrowser {
    /// Prints the description of a surveyed database, unless an option selects a list.
    ///
    /// - Returns: Whether it was printed.
    /// - Throws: ``ToolFailure``, ``ObjectStorageError``.
    func printOverview(of survey: DatabaseSurvey, in database: AnyDatabase) throws -> Bool {
        guard !survey.model.entities.isEmpty || choosesNoList else {
            throw ToolFailure(
                "No table of “\(store)” can be listed. Run library-browser with only the file to see the reasons."
            )
        }
        guard choosesNoList else {
            try database.checkEntity(request.entity)
            note(survey)
            return false
        }
        let context = database.container.newContext()
        let report = SurveyReport(
            survey, path: store, readableViews: self.database.readableViews(ofEntity: request.entity)
        ) { entityName in
            try context.count(for: FetchRequest<ManagedObject>(entityName: entityName))
        }
        let remedy = survey.model.entities.isEmpty ? [] : ["", EntityReport.remedy]
        try StandardOutput.print(asJSON: json, try report.json(), lines: try report.lines() + remedy)
        return true
    }

    /// Writes to standard error which parts of the listed entity were inferred from names and values.
    func note(_ survey: DatabaseSurvey) {
        guard let name = request.entity ?? survey.model.entities.first?.name,
            let table = survey.table(ofEntityNamed: name)
        else { return }
        var notes = table.columns.compactMap { column in column.note.map { "“\(column.name)”: \($0)" } }
        if table.hasMoreRows {
            notes.append(
                "the types follow from the first \(Quantity.count(table.examinedRowCount)) rows")
        }
        if table.kind == .view {
            notes.append(
                "the rows of the view are identified by “\(table.columns.first { $0.role == .key }?.name ?? "")”, which is different in each"
            )
        } else if table.isReadOnly {
            notes.append("rows are identified by row IDs that no column declares")
        }
        for note in notes {
            writeToStandardError("library-browser: \(TerminalText.escaped("\(name): \(note)."))\n")
        }
    }
}
