import SectionedFetch
import RecordReading

extension Mapping {
    /// How many records a proposal looks at.
    static let sampleSize = 1_000

    /// Proposes a mapping from a file's header and its first thousand records.
    ///
    /// A type other than string is proposed only where every value of the sample has it; every attribute is optional but the key,
    /// because what the sample has says nothing about the rest.
    ///
    /// - Throws: ``RecordError`` if not even the first record can be read.
    static func proposed(for reader: any RecordReader, entity: String) throws -> Mapping {
        let names = reader.fieldNames
        var columns = names.map { _ in ColumnSample() }
        var count = 0
        while count < sampleSize {
            do {
                guard try reader.next() else { break }
            } catch {
                guard !error.isFatal else { throw error }
                continue
            }
            for position in names.indices {
                columns[position].add(reader.text(ofField: position) ?? "")
            }
            count += 1
        }
        var taken: Set<String> = []
        var attributes: [Attribute] = []
        for (position, name) in names.enumerated() {
            let attributeName = usableName(name, position: position, taken: &taken)
            attributes.append(Attribute(name: attributeName, column: name, type: columns[position].type))
        }
        let key = names.indices.first { position in
            let name = names[position].lowercased()
            return columns[position].isUnique && count > 0
                && (name == "id" || name.hasSuffix("id") || name.hasSuffix("_id") || name == "acno"
                    || name == "key" || name == "isbn")
        }
        return Mapping(entity: entity, key: key.map { attributes[$0].name }, attributes: attributes)
    }

    /// The name of the entity for a file: its name without ending, and without a plural s.
    static func entityName(forFile path: String) -> String {
        var name = String(path.split(separator: "/").last ?? "Record")
        if let dot = name.firstIndex(of: ".") { name = String(name[..<dot]) }
        name = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        if name.count > 3, name.hasSuffix("s"), !name.hasSuffix("ss") { name.removeLast() }
        return name.isEmpty ? "Record" : name.prefix(1).uppercased() + name.dropFirst()
    }

    /// A name that an attribute can have: no dots, nothing reserved, none twice.
    private static func usableName(_ column: String, position: Int, taken: inout Set<String>) -> String {
        var name = column.replacing(".", with: "_")
        name = String(name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
        if name.isEmpty { name = "column\(position + 1)" }
        if ["objectid", "rowid", "oid", "_rowid_"].contains(name.lowercased()) { name = "source" + name }
        while !taken.insert(name.lowercased()).inserted { name += "_" }
        return name
    }
}

/// What a sample of one column's values can be.
private struct ColumnSample {
    private var values: Set<String> = []
    private var count = 0
    private var empty = 0
    private var candidates: [AttributeType] = [.integer64, .double, .boolean, .date, .uuid]

    mutating func add(_ text: String) {
        count += 1
        guard !text.isEmpty else {
            empty += 1
            return
        }
        values.insert(text)
        candidates.removeAll { type in
            var text = text
            return text.withUTF8 { bytes in
                // A leading zero means a code, not a number.
                if type == .integer64 || type == .double, bytes.count > 1, bytes[0] == UInt8(ascii: "0"),
                    bytes[1] != UInt8(ascii: ".")
                {
                    return true
                }
                if type == .boolean, bytes.count < 4 { return true }
                return FieldConversion.value(UnsafeRawBufferPointer(bytes), as: type) == nil
            }
        }
    }

    /// The type that all values have; string if they have none in common, or if there were none.
    var type: AttributeType { values.isEmpty ? .string : candidates.first ?? .string }

    /// Whether every record had a value of its own.
    var isUnique: Bool { empty == 0 && values.count == count }
}
