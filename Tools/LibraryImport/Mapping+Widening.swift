import RecordReading
import SectionedFetch

extension Mapping {
    /// Goes through a whole file: makes a string of each attribute that has a value which its proposed type cannot hold,
    /// and takes back a proposed key that does not tell all rows apart.
    ///
    /// A proposal from a thousand rows must not lose the row that differs after a hundred thousand.
    ///
    /// - Parameters:
    ///   - typed: The attributes whose type somebody said, which stay.
    ///   - checkingKey: Whether the key was proposed.
    ///   - note: Hears what was changed.
    /// - Throws: ``ToolFailure`` if the mapping does not fit the file.
    mutating func widen(
        for reader: any RecordReader, keeping typed: Set<String>, checkingKey: Bool, note: (String) -> Void,
        progress: (Importer.Progress) -> Void
    ) throws {
        let layout = try RowLayout(self, fieldNames: reader.fieldNames)
        var narrow = attributes.indices.filter {
            attributes[$0].type != .string && !typed.contains(attributes[$0].name)
        }
        let keyPosition = attributes.firstIndex { $0.name == key }
        var keyCheck =
            checkingKey ? keyPosition.map { (field: layout.columns[$0].field, seen: KeyCheck()) } : nil
        var rows = 0
        while !narrow.isEmpty || keyCheck != nil {
            do {
                guard try reader.next() else { break }
            } catch {
                // The import itself reports what cannot be read.
                if error.isFatal { break }
                continue
            }
            rows += 1
            if rows.isMultiple(of: 1_000) { progress(.init(rows, of: reader)) }
            narrow.removeAll { position in
                let type = attributes[position].type
                let field = layout.columns[position].field
                if reader.withBytes(ofField: field, { FieldConversion.value($0, as: type) != nil }) {
                    return false
                }
                let text = reader.text(ofField: field) ?? ""
                note(
                    "“\(attributes[position].column)” is taken as string, not \(type.rawValue), because of “\(text.prefix(60))” in line \(reader.line)."
                )
                attributes[position].type = .string
                return true
            }
            if let field = keyCheck?.field,
                let doubt = reader.withBytes(ofField: field, { keyCheck?.seen.doubt($0) })
            {
                note(
                    "“\(attributes[keyPosition ?? 0].column)” is not taken as key: line \(reader.line) \(doubt)."
                )
                key = nil
                keyCheck = nil
            }
        }
    }
}

/// Whether the values of a column are all there and all different.
private struct KeyCheck {
    /// Values that do not rise are kept, 16 bytes each or so, up to this number.
    private static let capacity = 1_000_000
    private var last: [UInt8] = []
    private var isRising = true
    private var hashes: Set<Int> = []
    private var count = 0

    /// What is wrong with the next value, in words; nil if nothing is.
    mutating func doubt(_ bytes: UnsafeRawBufferPointer?) -> String? {
        guard let bytes, !bytes.isEmpty else { return "has no value" }
        count += 1
        if isRising {
            // Numbers rise by their lengths first. As long as each is beyond the one before, none can repeat.
            let isBeyond =
                (last.count, 0) < (bytes.count, 0)
                || (last.count == bytes.count && last.lexicographicallyPrecedes(bytes))
            if isBeyond {
                last.removeAll(keepingCapacity: true)
                last.append(contentsOf: bytes)
                if hashes.count < Self.capacity { hashes.insert(Self.hash(bytes)) }
                return nil
            }
            isRising = false
        }
        guard count <= Self.capacity else {
            return "is the \(Self.capacity + 1)th, and more are not compared; say --key if it is one"
        }
        return hashes.insert(Self.hash(bytes)).inserted ? nil : "repeats a value"
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }
}
