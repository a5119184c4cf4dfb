import RecordReading
import SectionedFetch

extension Mapping {
    /// Goes through a whole file and makes a string of each attribute that has a value which its proposed type cannot hold.
    ///
    /// A proposal from a thousand rows must not lose the row that differs after a hundred thousand.
    ///
    /// - Returns: What was changed, in words.
    /// - Throws: ``ImportError`` if the mapping does not fit the file.
    mutating func widen(for reader: any RecordReader) throws -> [String] {
        let columns = try columns(in: reader.fieldNames).attributes
        var narrow = attributes.indices.filter { attributes[$0].type != .string }
        var changes: [String] = []
        while !narrow.isEmpty {
            do {
                guard try reader.next() else { break }
            } catch {
                // The import itself reports what cannot be read.
                if error.isFatal { break }
                continue
            }
            narrow.removeAll { position in
                let type = attributes[position].type
                let fits = reader.withBytes(ofField: columns[position]) {
                    FieldConversion.value($0, as: type) != nil
                }
                guard !fits else { return false }
                let text = reader.text(ofField: columns[position]) ?? ""
                changes.append(
                    "“\(attributes[position].column)” is taken as string, not \(type.rawValue), because of “\(text.prefix(60))” in line \(reader.line)"
                )
                attributes[position].type = .string
                return true
            }
        }
        return changes
    }
}
