import RecordReading
import SectionedFetch
import ToolSupport

/// A mapping that is derived from a file's header and its first records.
///
/// A type other than string is proposed only if every value of the sample has it. Every attribute except the
/// key is optional, because the other records may lack values that the sample has.
struct Proposal {
    /// The number of records in the sample.
    static let sampleSize = 1_000

    /// The mapping.
    let mapping: Mapping
    /// The names of the attributes that may be a key, because the values of the sample are present, distinct
    /// and short, and no float or date; the preferred ones first.
    let keyCandidates: [String]
    /// A sentence that suggests relationships, or nil if the sample shows none.
    let hint: String?
    /// The number of records of the sample that could be read.
    let recordCount: Int
    /// The error of the first record of the sample that could not be read, or nil if all could.
    let firstProblem: RecordError?

    /// Creates a proposal from a file.
    ///
    /// - Parameter reader: The records. The proposal reads them up to the end of the sample.
    init(_ reader: any RecordReader, entity: String) {
        let names = reader.fieldNames
        var columns = names.map { _ in ColumnSample() }
        var count = 0
        var firstProblem: RecordError?
        while count < Self.sampleSize {
            do {
                guard try reader.next() else { break }
            } catch {
                // The import itself reports later records that cannot be read.
                firstProblem = firstProblem ?? error
                if error.isFatal { break }
                continue
            }
            for position in names.indices {
                reader.lendBytes(ofField: position) {
                    columns[position].add($0, kind: reader.kind(ofField: position))
                }
            }
            count += 1
        }
        recordCount = count
        self.firstProblem = firstProblem
        let attributes = zip(Mapping.attributeNames(forColumns: names), zip(names, columns)).map {
            Mapping.Attribute(name: $0, column: $1.0, type: $1.1.type)
        }
        let key = names.indices.first { count > 0 && columns[$0].isUnique && Self.isKeyName(names[$0]) }
        mapping = Mapping(entity: entity, key: key.map { attributes[$0].name }, attributes: attributes)
        keyCandidates = names.indices.filter { columns[$0].mayBeKey(named: names[$0]) }
            .sorted {
                (KeySearch.rank(ofColumn: names[$0]), $0) < (KeySearch.rank(ofColumn: names[$1]), $1)
            }.map { attributes[$0].name }
        let repeating = names.indices.filter { $0 != key && columns[$0].looksLikeNames }
        let shown = repeating.prefix(10).map { "“\(names[$0])” (\(columns[$0].distinctCount))" }
        let others = repeating.count - shown.count
        let listed = shown.joined(separator: ", ") + (others > 0 ? " and \(Quantity.count(others)) more" : "")
        hint = repeating.first.map {
            "Columns with repeated texts, which could become relationships (number of distinct texts in \(count) rows): \(listed). To make one a relationship, pass --relationship \"\(names[$0])=\(Mapping.entityName(forFile: names[$0]))\"."
        }
    }

    /// Checks that the sample has records with fields, so that no entity is created that the repaired file
    /// would not fit.
    ///
    /// - Throws: `RecordError` or ``ToolFailure``.
    func requireRecords(of file: String) throws {
        if recordCount > 0, !mapping.attributes.isEmpty { return }
        if let firstProblem { throw firstProblem }
        throw ToolFailure(
            recordCount == 0
                ? "“\(file)” has no records, so the types of its columns are unknown. Pass --mapping to create an entity without rows."
                : "The records of “\(file)” have no fields.")
    }

    /// Returns whether a column has a name that is common for keys: `id`, `ObjectID`, `object_id`, `isbn13`.
    private static func isKeyName(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        return ["id", "key", "acno"].contains(lowercased) || lowercased.hasPrefix("isbn")
            || lowercased.hasSuffix("_id") || name.hasSuffix("ID") || name.hasSuffix("Id")
            || lowercased.hasSuffix(" id") || lowercased.hasSuffix("-id")
    }
}

extension Mapping {
    /// Returns the name of the entity for a file: the file's name with a capital letter and without its
    /// extension.
    static func entityName(forFile path: String) -> String {
        var name = String(path.split(separator: "/").last ?? "Record")
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = String(name[..<dot]) }
        name = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return name.isEmpty ? "Record" : name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Returns valid names of attributes, one for each column: without dots, not reserved, and unique.
    ///
    /// If several columns would get the same name, the column that has exactly this name gets it, so the
    /// result does not depend on the order of the columns.
    static func attributeNames(forColumns columns: [String]) -> [String] {
        var names = columns.enumerated().map { attributeName(forColumn: $1, number: $0 + 1) }
        let order = columns.indices.sorted { first, second in
            let (isFirst, isSecond) = (names[first] == columns[first], names[second] == columns[second])
            if isFirst != isSecond { return isFirst }
            return columns[first].utf8.lexicographicallyPrecedes(columns[second].utf8)
        }
        var taken: Set<String> = []
        for position in order {
            let first = names[position]
            var number = 2
            while !taken.insert(names[position].lowercased()).inserted {
                names[position] = "\(first)_\(number)"
                number += 1
            }
        }
        return names
    }

    /// Returns the default name of a relationship.
    static func relationshipName(forColumn column: String, number: Int) -> String {
        let name = attributeName(forColumn: column, number: number)
        return name.prefix(1).lowercased() + name.dropFirst()
    }

    /// Returns a text without the blanks at its beginning and end.
    private static func blanksRemoved(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func attributeName(forColumn column: String, number: Int) -> String {
        // A name that is split over lines keeps a blank.
        let lines = column.split(whereSeparator: \.isNewline)
        let joined = lines.count > 1 ? lines.map(blanksRemoved).joined(separator: " ") : column
        var name = joined.replacing(".", with: "_")
        name = String(name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
        while name.first?.isWhitespace == true { name.removeFirst() }
        while name.last?.isWhitespace == true { name.removeLast() }
        // A property's name has at most 128 bytes; some are reserved for the suffix that makes it unique.
        while name.utf8.count > 120 { name.removeLast() }
        if name.isEmpty { name = "column\(number)" }
        if ["objectid", "rowid", "oid", "_rowid_"].contains(name.lowercased()) { name = "source" + name }
        return name
    }
}

/// The statistics of one column's values in the sample.
private struct ColumnSample {
    /// The hashes of the values, kept instead of the values because those may be long.
    private var hashes: Set<Int> = []
    private var count = 0
    private var byteCount = 0
    private var types = TypeCandidates()
    private var records = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer?, kind: FieldKind) {
        records += 1
        guard let bytes, !bytes.isEmpty else { return }
        count += 1
        byteCount += bytes.count
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        hashes.insert(hasher.finalize())
        types.add(bytes, kind: kind)
    }

    var distinctCount: Int { hashes.count }

    /// The type that all values have, or string if they have none in common or if there are no values.
    var type: AttributeType { types.type }

    /// Whether every record has a value and all values are distinct.
    var isUnique: Bool { count == records && hashes.count == count }

    /// Whether the values can identify rows.
    func mayBeKey(named name: String) -> Bool {
        let isNamed = KeySearch.rank(ofColumn: name) < KeySearch.rank(ofColumn: "")
        let isPlain = KeySearch.types.contains(type)
        return isPlain && isUnique && count >= (isNamed ? 2 : KeySearch.leastRows) && byteCount / count <= 40
    }

    /// Whether the values are short texts that are often repeated.
    var looksLikeNames: Bool {
        type == .string && count > 20 && hashes.count > 2 && hashes.count <= count / 2
            && byteCount / count <= 40
    }
}
