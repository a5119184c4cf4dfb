import Foundation
import SectionedFetch
import ToolSupport

/// The rows of a request as a stream of data that `library-import` reads.
struct RowExport {
    /// A field of each row.
    private struct Field {
        let name: String
        let property: KeyPathProperty
        /// The relationship whose object the text of the property names; nil for other fields.
        var relationship: KeyPathProperty?
    }

    private let format: ExportFormat
    private let fields: [Field]
    /// The word for no value in lines of fields; nil for an empty field.
    private let noValue: String?
    /// The names of the fields in JSON, each with the colon after it.
    private let members: [String]

    /// Creates the export of some columns, or of all attributes and to-one relationships.
    ///
    /// - Throws: As ``Column/columns(_:for:in:)``; ``ToolFailure`` without properties.
    init(
        _ format: ExportFormat, _ option: String?, noValue: String?, of list: ListRequest,
        in container: PersistentContainer
    ) throws {
        self.format = format
        self.noValue = noValue
        let entity = try container.model.requireList(named: list.fetchRequest.entityName)
        var fields: [Field] = []
        if let option {
            for column in try Column.columns(option, for: list, in: container) {
                fields.append(try Self.field(column.property, of: entity.name, in: container))
            }
        } else {
            let names =
                entity.attributes.filter { !$0.isTransient }.map(\.name)
                + entity.toOneRelationships.map(\.name)
            for name in names {
                let property = try KeyPathProperty(name, of: entity.name, in: container)
                fields.append(try Self.field(property, of: entity.name, in: container))
            }
        }
        guard !fields.isEmpty else {
            throw ToolFailure("“\(entity.name)” has no attributes to write. Name columns with --columns.")
        }
        self.fields = fields
        members = fields.map { JSONValue.string($0.name).line + ":" }
    }

    /// Returns the field of a property: for a relationship, the attribute by which an import looks it up.
    private static func field(
        _ property: KeyPathProperty, of entityName: String, in container: PersistentContainer
    ) throws(ObjectStorageError) -> Field {
        guard case .toOne(let destination) = property.kind else {
            return Field(name: property.path, property: property)
        }
        let unique = try container.model.requireEntity(named: destination).attributes.filter {
            $0.isUnique && $0.type == .string
        }
        guard unique.count == 1 else { return Field(name: property.path, property: property) }
        return Field(
            name: property.path,
            property: try KeyPathProperty(
                "\(property.path).\(unique[0].name)", of: entityName, in: container),
            relationship: property)
    }

    /// Writes the rows to standard output.
    ///
    /// - Throws: ``ToolFailure``, ``ObjectStorageError``, and ``ToolFinding`` if values could not be read.
    func write(_ list: ListRequest, in container: PersistentContainer) throws {
        let context = container.newContext()
        context.pinBriefly()
        var request = list.fetchRequest
        request.fetchBatchSize = 200
        request.relationshipKeyPathsForPrefetching = Array(
            Set(fields.map(\.property.relationshipNames).filter { !$0.isEmpty })
        ).map { $0.joined(separator: ".") }.sorted()
        var output = StandardOutput()
        var unreadable = UnreadableRows()
        let isTerminal = Terminal().isTerminal
        func write(_ text: String) {
            output.write(isTerminal ? TerminalText.escaped(text, keepingLineBreaks: true) : text)
        }
        if let delimiter = format.delimiter {
            let isFirst = [true] + fields.dropFirst().map { _ in false }
            let header = zip(fields, isFirst).map { CSVText.field($0.name, isFirstOfFile: $1) }
            write(header.joined(separator: String(delimiter)) + "\n")
        } else if format == .json {
            write("[")
        }
        var separator = ""
        var confused: String?
        var lost = LostValues()
        try context.forEachBatch(of: request) { objects throws(ObjectStorageError) in
            for object in objects {
                let values = fields.map { value(of: $0, for: object, &unreadable) }
                for (field, value) in zip(fields, values) { note(value, of: field, for: object, in: &lost) }
                if let delimiter = format.delimiter {
                    confused = confusedField(values)
                    if confused != nil { return false }
                    write(row(values, delimiter))
                } else {
                    write(separator + jsonObject(values))
                    if format == .json { separator = "," }
                }
            }
            return !output.isClosed
        }
        if format == .json { write("\n]\n") }
        try context.setQueryGeneration(from: nil)
        try output.finish()
        if let noValue, let confused {
            throw ToolFailure(
                "A text of “\(confused)” is “\(noValue)”, and the output is incomplete. Pass another word with --no-value."
            )
        }
        try unreadable.check(container)
        try lost.check()
    }

    /// Notes a value that an import does not read as an equal one.
    private func note(
        _ value: StoredValue, of field: Field, for object: ManagedObject, in lost: inout LostValues
    ) {
        if case .text(let text) = value, text.utf8.contains(0) {
            lost.note("“\(field.name)” of \(object.objectID) has a NUL character")
        } else if let relationship = field.relationship, value.isNull || value == .text(""),
            let other = try? relationship.value(for: object), !other.isNull
        {
            lost.note(
                "the object that is “\(field.name)” of \(object.objectID) has no text by which it is found")
        }
    }

    /// Returns the name of the first field whose text is the word for no value.
    private func confusedField(_ values: [StoredValue]) -> String? {
        guard let noValue, let position = values.firstIndex(of: .text(noValue)) else { return nil }
        return fields[position].name
    }

    private func value(
        of field: Field, for object: ManagedObject, _ unreadable: inout UnreadableRows
    ) -> StoredValue {
        do throws(ObjectStorageError) {
            return try field.property.value(for: object)
        } catch {
            unreadable.note(error)
            return .null
        }
    }

    private func row(_ values: [StoredValue], _ delimiter: Character) -> String {
        var line = ""
        for (position, value) in values.enumerated() {
            if position > 0 { line.append(delimiter) }
            if let text = ExportText.text(value, of: fields[position].property) {
                line += CSVText.field(text, isFirstOfFile: false)
            } else if let noValue {
                line += CSVText.field(noValue, isFirstOfFile: false)
            }
        }
        return line + "\n"
    }

    private func jsonObject(_ values: [StoredValue]) -> String {
        var line = format == .json ? "\n{" : "{"
        for (position, value) in values.enumerated() {
            if position > 0 { line += "," }
            line += members[position]
            line += ExportText.json(value, of: fields[position].property).line
        }
        return line + (format == .json ? "}" : "}\n")
    }
}
