package import SectionedFetch

/// The description of a surveyed database: its entities, and the tables and columns that are not part of
/// them.
package struct SurveyReport {
    let survey: DatabaseSurvey
    let path: String
    let readableViews: StoreOptions.ReadableViews?
    let numberOfRows: (String) throws -> Int?

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - survey: The survey.
    ///   - path: The path of the database.
    ///   - readableViews: The views that were read; nil if the program cannot read views.
    ///   - numberOfRows: Returns the number of rows of an entity, or nil to leave it out.
    package init(
        _ survey: DatabaseSurvey, path: String, readableViews: StoreOptions.ReadableViews? = nil,
        numberOfRows: @escaping (String) throws -> Int? = { _ in nil }
    ) {
        self.survey = survey
        self.path = path
        self.readableViews = readableViews
        self.numberOfRows = numberOfRows
    }

    private var entityTables: [DatabaseSurvey.Table] {
        survey.tables.filter { if case .entity = $0.role { true } else { false } }
    }

    private var linkTables: [DatabaseSurvey.Table] {
        survey.tables.filter { if case .link = $0.role { true } else { false } }
    }

    private var otherTables: [DatabaseSurvey.Table] {
        survey.tables.filter { if case .notTaken = $0.role { !views.contains($0) } else { false } }
    }

    /// The views that were not read.
    var views: [DatabaseSurvey.Table] {
        guard readableViews == StoreOptions.ReadableViews.none else { return [] }
        return survey.tables.filter { $0.kind == .view }
    }

    /// The summary, on one line.
    package var summary: String {
        var parts = ["\(Quantity.count(entityTables.count, "entity", "entities"))"]
        if !linkTables.isEmpty {
            parts.append(Quantity.count(linkTables.count, "table of pairs", "tables of pairs"))
        }
        if !otherTables.isEmpty {
            parts.append(
                "\(Quantity.count(otherTables.count, "table or view", "tables and views")) not taken")
        }
        if !views.isEmpty { parts.append("\(Quantity.count(views.count, "view", "views")) not read") }
        return "\(path): \(parts.joined(separator: ", "))"
    }

    /// The text: the entities with their properties, then the tables and views that are not part of them.
    ///
    /// - Throws: An error of counting rows.
    package func lines() throws -> [String] {
        var lines = [summary]
        for table in entityTables {
            lines.append("")
            lines += try self.lines(of: table)
        }
        if !linkTables.isEmpty { lines.append("") }
        lines += linkTables.map { table in
            let notes = table.columns.compactMap { column in column.note.map { "“\(column.name)” \($0)" } }
            return "\(table)" + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
        }
        if !views.isEmpty {
            lines += ["", "Views, not read. Pass --entity VIEW to read one of them, or --views to read all:"]
            lines += views.map { "    \($0.name)" }
        }
        if !otherTables.isEmpty { lines += ["", "Not taken:"] }
        return lines + otherTables.map { "    \($0)" }
    }

    private func lines(of table: DatabaseSurvey.Table) throws -> [String] {
        guard case .entity(let name) = table.role, let entity = survey.model.entity(named: name) else {
            return []
        }
        var heading = name == table.name ? name : "\(name) (table “\(table.name)”)"
        if let count = try numberOfRows(name) { heading += "  \(Quantity.count(count))" }
        if table.kind == .view {
            heading += "  read-only: a view"
        } else if table.isReadOnly {
            heading += "  read-only: no column is a usable key, so rows are identified by their row IDs"
        }
        var layout = TextTable(alignments: [.left, .left])
        let rows = rows(of: table, entity)
        var lines = [heading] + layout.lines(rows).map { "    " + $0 }
        if table.hasMoreRows {
            lines.append(
                "    The types follow from the first \(Quantity.count(table.examinedRowCount)) rows.")
        }
        return lines + table.notes.map { "    \($0)" }
    }

    private func rows(of table: DatabaseSurvey.Table, _ entity: EntityDescription) -> [[String]] {
        var rows = table.columns.map { column -> [String] in
            let note = column.note.map { " (\($0))" } ?? ""
            return switch column.role {
            case .key: ["objectID", "from “\(column.name)”" + note]
            case .attribute(let name, let type):
                [name, type.rawValue + (name == column.name ? "" : " from “\(column.name)”") + note]
            case .relationship(let name, let destination):
                [name, "to one \(destination), from “\(column.name)”" + note]
            case .linkEnd(let destination): [column.name, "leads to \(destination)" + note]
            case .notTaken(let reason): [column.name, "not taken: \(reason)"]
            }
        }
        for relationship in entity.relationships where relationship.isToMany {
            let inverse = relationship.inverseName.map { ", inverse of \($0)" } ?? ""
            rows.append([relationship.name, "to many \(relationship.destinationEntityName)\(inverse)"])
        }
        return rows
    }
}
