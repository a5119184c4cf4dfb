import RecordReading
import SectionedFetch

extension Mapping {
    /// Checks a proposed mapping against the whole file.
    ///
    /// An attribute becomes a string if its proposed type cannot hold one of the values, and a proposed key
    /// is dropped if one of its values is missing or repeated. A proposal from a thousand rows must not lose
    /// the row that differs after a hundred thousand.
    ///
    /// - Parameters:
    ///   - open: Opens the file at its beginning.
    ///   - typed: The attributes whose type an option sets. They keep it.
    ///   - checkingKey: Whether the key was proposed.
    ///   - note: Called with a sentence for each change.
    /// - Throws: ``ToolFailure`` if the mapping does not fit the file, and `RecordError` if the file cannot
    ///   be read to its end: the unread part may have other types and fields, so the repaired file would not
    ///   fit the entity.
    mutating func widen(
        opening open: () throws -> any RecordReader, keeping typed: Set<String>, checkingKey: Bool,
        note: (String) -> Void, progress: (Importer.Progress) -> Void
    ) throws {
        let narrow = attributes.indices.filter {
            attributes[$0].type != .string && !typed.contains(attributes[$0].name)
        }
        let keyPosition = checkingKey ? attributes.firstIndex { $0.name == key } : nil
        let keyType = keyPosition.map { attributes[$0].type }
        var doubt = try check(open(), narrow, keyPosition, note: note, progress: progress)
        if let keyPosition {
            // Values that are equal as numbers may differ as texts.
            if attributes[keyPosition].type != keyType {
                doubt = try check(open(), [], keyPosition, note: note, progress: progress)
            }
            if let doubt {
                note("“\(attributes[keyPosition].column)” is not used as the key: \(doubt).")
                key = nil
            }
        }
    }

    /// Reads a file and changes attributes to strings where necessary.
    ///
    /// - Parameters:
    ///   - narrow: The positions of the attributes that may become strings.
    ///   - keyPosition: The position of the attribute whose values are checked as a key.
    /// - Returns: The reason why that attribute is not a key, or nil if it is one.
    private mutating func check(
        _ reader: any RecordReader, _ narrow: [Int], _ keyPosition: Int?, note: (String) -> Void,
        progress: (Importer.Progress) -> Void
    ) throws -> String? {
        let layout = try RowLayout(self, fieldNames: reader.fieldNames)
        var narrow = narrow
        var keyCheck = keyPosition.map { (position: $0, seen: KeyCheck()) }
        var doubt: String?
        var rows = 0
        // The fields of a JSON file are only known at its end.
        while !narrow.isEmpty || keyCheck != nil || reader is JSONRecordReader {
            do {
                guard try reader.next() else { break }
            } catch {
                // The import itself reports the other records that cannot be read.
                if error.isFatal { throw error }
                continue
            }
            rows += 1
            if rows.isMultiple(of: 1_000) { progress(.init(rows, of: reader)) }
            narrow.removeAll { position in
                let type = attributes[position].type
                let field = layout.columns[position].field
                var isHeld = true
                reader.lendBytes(ofField: field) { bytes in
                    if let bytes { isHeld = FieldConversion.holds(bytes, as: type) }
                }
                if isHeld { return false }
                let text = reader.text(ofField: field) ?? ""
                note(
                    "“\(attributes[position].column)” is imported as string, not \(type.rawValue), because of “\(text.prefix(60))” in line \(reader.line)."
                )
                attributes[position].type = .string
                return true
            }
            guard let position = keyCheck?.position else { continue }
            let type = attributes[position].type
            var value: StoredValue?
            reader.lendBytes(ofField: layout.columns[position].field) {
                value = FieldConversion.value($0, as: type)
            }
            // A row whose key is not a value of the type is a bad row, which the import reports.
            guard let value, let found = keyCheck?.seen.doubt(value) else { continue }
            doubt = "line \(reader.line) \(found)"
            keyCheck = nil
        }
        return doubt
    }
}
