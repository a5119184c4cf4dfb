import RecordReading
import SectionedFetch

extension Mapping {
    /// Returns a sentence for each column whose texts are invalid values and all have one form, with the
    /// options that import them.
    ///
    /// Only the first invalid value of a row is reported, so the other columns are examined as well.
    ///
    /// - Parameters:
    ///   - reader: The records of the file, from its beginning. They are read until none of `columns` can
    ///     have a form.
    ///   - columns: The columns with reported values.
    /// - Throws: ``ToolFailure`` if the mapping does not fit the file, and `RecordError` if the file cannot
    ///   be read to its end.
    func formHints(
        _ reader: any RecordReader, columns: Set<String>, progress: (Importer.Progress) -> Void
    ) throws -> [String] {
        let layout = try RowLayout(self, fieldNames: reader.fieldNames)
        let positions = attributes.indices.filter { attributes[$0].type != .string }
        let forms = positions.map { position -> TextForm? in
            // A form that an option or the mapping gives may be the cause.
            var form = attributes[position].form ?? TextForm()
            form.number = nil
            form.date = nil
            form.boolean = nil
            return form.isPlain ? nil : form
        }
        let isReported = positions.map { columns.contains(attributes[$0].column) }
        var surveys = positions.map { _ in FormSurvey() }
        var isOpen = false
        try reader.forEachRecord(progress) { _ in
            isOpen = false
            for index in surveys.indices where surveys[index].isOpen {
                let field = layout.columns[positions[index]].field
                reader.lendBytes(ofField: field, in: forms[index]) { bytes in
                    if let bytes { surveys[index].add(bytes) }
                }
                isOpen = isOpen || isReported[index] && surveys[index].isOpen
            }
            return isOpen
        }
        guard isOpen else { return [] }
        return surveys.indices.compactMap { index in
            guard surveys[index].isOpen else { return nil }
            return surveys[index].hint(attributes[positions[index]], isInvalid: isReported[index])
        }
    }
}

extension FormSurvey {
    /// Returns a sentence about an attribute with invalid values, with the options that import the texts of
    /// its column; nil if the texts have no form of the attribute's type.
    ///
    /// - Parameter isInvalid: Whether one of the texts is known to be invalid.
    fileprivate func hint(_ attribute: Mapping.Attribute, isInvalid: Bool) -> String? {
        let column = attribute.column
        if attribute.type == .date, let first = ambiguousDates.first, let second = ambiguousDates.last {
            return
                "“\(column)” may hold dates, as \(first) or as \(second). To import them, pass --date-form \"\(column)=\(first)\" or the other pattern."
        }
        guard let finding, finding.fits(attribute.type) else { return nil }
        let form = finding.form
        // Blanks at the ends alone do not make a value invalid.
        let hasOtherWords =
            form.number != nil || form.date != nil || form.boolean != nil || form.noValue != nil
        let options = form.options(column: column)
        guard !options.isEmpty, isInvalid || hasOtherWords else { return nil }
        return
            "The texts of “\(column)”, such as “\(finding.example)”, can be imported as \(attribute.type.rawValue). Pass \(options.joined(separator: " "))."
    }
}

extension FormSurvey.Finding {
    /// Returns whether the values can be those of an attribute of a type.
    fileprivate func fits(_ other: AttributeType) -> Bool {
        switch other {
        case .integer16, .integer32, .integer64: type == .integer64
        case .double, .float, .decimal: [.integer64, .double, .decimal].contains(type)
        default: type == other
        }
    }
}
