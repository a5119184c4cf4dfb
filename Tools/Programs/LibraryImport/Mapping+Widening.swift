import RecordReading
import SectionedFetch

extension Mapping {
    /// Goes through a whole file: makes a string of each attribute that has a value which its proposed type
    /// cannot hold, and takes back a proposed key that does not tell all rows apart.
    ///
    /// A proposal from a thousand rows must not lose the row that differs after a hundred thousand.
    ///
    /// - Parameters:
    ///   - open: Opens the file at its beginning.
    ///   - typed: The attributes whose type somebody said, which stay.
    ///   - checkingKey: Whether the key was proposed.
    ///   - note: Hears what was changed.
    /// - Throws: ``ToolFailure`` if the mapping does not fit the file, and `RecordError` if its end cannot be
    ///   read: what is behind may have other types and fields, and the repaired file would not fit an entity
    ///   that was made without it.
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
                note("“\(attributes[keyPosition].column)” is not taken as key: \(doubt).")
                key = nil
            }
        }
    }

    /// Goes through a file and makes strings of attributes.
    ///
    /// - Parameters:
    ///   - narrow: The attributes that may have to become strings.
    ///   - keyPosition: The attribute whose values are compared.
    /// - Returns: Why that is no key, in words; nil if it is.
    private mutating func check(
        _ reader: any RecordReader, _ narrow: [Int], _ keyPosition: Int?, note: (String) -> Void,
        progress: (Importer.Progress) -> Void
    ) throws -> String? {
        let layout = try RowLayout(self, fieldNames: reader.fieldNames)
        var narrow = narrow
        var keyCheck = keyPosition.map { (position: $0, seen: KeyCheck()) }
        var doubt: String?
        var rows = 0
        // Without its end nobody knows all fields of a JSON file.
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
                    "“\(attributes[position].column)” is taken as string, not \(type.rawValue), because of “\(text.prefix(60))” in line \(reader.line)."
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
            // A row whose key is no value of the type is none, as the import says.
            guard let value, let found = keyCheck?.seen.doubt(value) else { continue }
            doubt = "line \(reader.line) \(found)"
            keyCheck = nil
        }
        return doubt
    }
}
