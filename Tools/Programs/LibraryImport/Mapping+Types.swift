import RecordReading
import SectionedFetch
import ToolSupport

extension Mapping {
    /// Chooses the types of a proposed mapping by all values of the file.
    ///
    /// Each attribute gets the narrowest type that holds all its texts, and a proposed key is dropped if one
    /// of its values is missing or repeated. A proposal from a thousand rows must not lose the row that
    /// differs after a hundred thousand.
    ///
    /// - Parameters:
    ///   - open: Opens the file at its beginning.
    ///   - typed: The attributes whose type an option sets. They keep it.
    ///   - checkingKey: Whether the key was proposed.
    ///   - keyCandidates: The attributes that are compared to find a key, the preferred ones first.
    ///   - appliesForms: Whether the forms that are found are applied, instead of named in a note.
    ///   - note: Called with a sentence for each type that a value after the first thousand records widened,
    ///     and for each form.
    /// - Throws: ``ToolFailure`` if the mapping does not fit the file, and `RecordError` if the file cannot
    ///   be read to its end: the unread part may have other types and fields, so the repaired file would not
    ///   fit the entity.
    mutating func chooseTypes(
        opening open: () throws -> any RecordReader, keeping typed: Set<String>, checkingKey: Bool,
        keyCandidates: [String], appliesForms: Bool, note: (String) -> Void,
        progress: (Importer.Progress) -> Void
    ) throws {
        let free = attributes.indices.filter { !typed.contains(attributes[$0].name) }
        let keyPosition = checkingKey ? attributes.firstIndex { $0.name == key } : nil
        let keyType = keyPosition.map { attributes[$0].type }
        var search = KeySearch(
            keyCandidates.compactMap { name in attributes.firstIndex { $0.name == name } })
        var doubt = try survey(open(), free, keyPosition, &search, note: note, progress: progress)
        if let keyPosition {
            // Values that are equal as numbers may differ as texts.
            if attributes[keyPosition].type != keyType {
                doubt = try survey(open(), [], keyPosition, &search, note: note, progress: progress)
            }
            if let doubt {
                note("“\(attributes[keyPosition].column)” is not used as the key: \(doubt).")
                key = nil
            }
        }
        if let position = search.position, KeySearch.types.contains(attributes[position].type) {
            let attribute = attributes[position]
            if appliesForms {
                key = attribute.name
            } else {
                note(
                    "“\(attribute.column)” tells all rows apart. To update rows by it when the file is imported again, pass --key \"\(attribute.name)\"."
                )
            }
        }
        // Most columns of texts have no form after their first values, so the file is rarely read to its end.
        let texts = free.filter { attributes[$0].type == .string }
        if !texts.isEmpty { try findForms(open(), texts, applies: appliesForms, note, progress) }
    }

    /// Reads a file and sets the types of attributes.
    ///
    /// - Parameters:
    ///   - free: The positions of the attributes whose types are chosen.
    ///   - keyPosition: The position of the attribute whose values are checked as a key.
    ///   - search: The columns of which one may be a key.
    /// - Returns: The reason why that attribute is not a key, or nil if it is one.
    private mutating func survey(
        _ reader: any RecordReader, _ free: [Int], _ keyPosition: Int?, _ search: inout KeySearch,
        note: (String) -> Void, progress: (Importer.Progress) -> Void
    ) throws -> String? {
        let layout = try RowLayout(self, fieldNames: reader.fieldNames)
        var columns = free.map {
            TypeSurvey(position: $0, field: layout.columns[$0].field, form: attributes[$0].form)
        }
        var keyCheck = keyPosition.map { (position: $0, seen: KeyCheck()) }
        var doubt: String?
        // The fields of a JSON file are only known at its end.
        try reader.forEachRecord(progress) { rows in
            for position in columns.indices {
                columns[position].add(reader, isLate: rows > Proposal.sampleSize)
            }
            if let position = keyCheck?.position {
                let type = attributes[position].type
                var value: StoredValue?
                let form = attributes[position].form
                reader.lendBytes(ofField: layout.columns[position].field, in: form) {
                    value = FieldConversion.value($0, as: type)
                }
                // A row whose key is not a value of the type is a bad row, which the import reports.
                if let value, let found = keyCheck?.seen.doubt(value) {
                    doubt = "line \(reader.line) \(found)"
                    keyCheck = nil
                }
            }
            search.add { position, body in
                reader.lendBytes(
                    ofField: layout.columns[position].field, in: attributes[position].form, to: body)
            }
            return columns.contains(where: \.isOpen) || search.isOpen || keyCheck != nil
                || reader is any LateFieldReader
        }
        for column in columns {
            let attribute = attributes[column.position]
            attributes[column.position].type = column.type
            if let widening = column.widening, widening.type != column.type {
                note(
                    "“\(attribute.column)” is imported as \(column.type.rawValue), not \(widening.type.rawValue), because of “\(widening.text)” in line \(widening.line)."
                )
            }
        }
        let binary = columns.filter { $0.isBinary && $0.type == .integer64 }.map { attributes[$0.position] }
        for attribute in binary.prefix(5) where attribute.name != key {
            note(
                "“\(attribute.column)” has only 0 and 1. To import them as Boolean values, pass --boolean-form \"\(attribute.column)=1/0\"."
            )
        }
        return doubt
    }

    /// Finds the forms of columns whose texts are not those of a type.
    private mutating func findForms(
        _ reader: any RecordReader, _ texts: [Int], applies: Bool, _ note: (String) -> Void,
        _ progress: (Importer.Progress) -> Void
    ) throws {
        let layout = try RowLayout(self, fieldNames: reader.fieldNames)
        var surveys = texts.map { (position: $0, survey: FormSurvey()) }
        // The columns whose values the format says to be texts.
        var exact: Set<Int> = []
        try reader.forEachRecord(progress) { _ in
            var isOpen = false
            for index in surveys.indices where surveys[index].survey.isOpen {
                let position = surveys[index].position
                guard reader.kind(ofField: layout.columns[position].field) != .exactText else {
                    exact.insert(position)
                    continue
                }
                reader.lendBytes(ofField: layout.columns[position].field, in: attributes[position].form) {
                    bytes in
                    if let bytes { surveys[index].survey.add(bytes) }
                }
                isOpen = isOpen || surveys[index].survey.isOpen
            }
            return isOpen
        }
        var hints: [String] = []
        for (position, survey) in surveys where survey.isOpen && !exact.contains(position) {
            let column = attributes[position].column
            if let finding = survey.finding {
                // The texts of a key were compared as they are.
                if applies, finding.changedText == nil, attributes[position].name != key {
                    attributes[position].type = finding.type
                    let form = (attributes[position].form ?? TextForm()).adding(finding.form)
                    attributes[position].form = form.isPlain ? nil : form
                } else {
                    hints.append(finding.hint(column: column))
                }
            } else if let first = survey.ambiguousDates.first, let second = survey.ambiguousDates.last {
                hints.append(
                    "“\(column)” may hold dates, as \(first) or as \(second). To import them, pass --date-form \"\(column)=\(first)\" or the other pattern."
                )
            }
        }
        for hint in hints.prefix(10) { note(hint) }
        if hints.count > 10 {
            note(
                "\(Quantity.count(hints.count - 10, "more column")) may hold numbers, dates or Boolean values."
            )
        }
    }
}

extension FormSurvey.Finding {
    /// Returns a sentence about a column that is imported as string, with the options that import its values.
    func hint(column: String) -> String {
        if type == .string {
            return
                "“\(column)” has texts such as =\"\(example)\". To import them without the equals sign and the quotes, pass --unquote."
        }
        var options = form.options(column: column)
        if options.isEmpty || changedText != nil && form.number == nil {
            options.append("--type \"\(column)=\(type.rawValue)\"")
        }
        let change = changedText.map { " The type does not keep the text “\($0)”." } ?? ""
        return
            "“\(column)” is imported as string, which is sorted and compared as text. Its texts, such as “\(example)”, may be values of type \(type.rawValue); to import them, pass \(options.joined(separator: " ")).\(change)"
    }
}

extension RecordReader {
    /// Reads the records up to the end of the file, or until the body returns false.
    ///
    /// Records that cannot be read are left out: the import itself reports them.
    ///
    /// - Parameter body: Called for each record with its number, from 1.
    /// - Throws: `RecordError` if the file cannot be read further.
    func forEachRecord(
        _ progress: (Importer.Progress) -> Void, _ body: (Int) -> Bool
    ) throws {
        var rows = 0
        while true {
            do {
                guard try next() else { return }
            } catch {
                if error.isFatal { throw error }
                continue
            }
            rows += 1
            if rows.isMultiple(of: 1_000) { progress(.init(rows, of: self)) }
            guard body(rows) else { return }
        }
    }
}
