import RecordReading
import SectionedFetch
import ToolSupport

/// A mapping made up from a file's header and its first records.
///
/// A type other than string is proposed only where every value of the sample has it; every attribute is
/// optional but the key, because what the sample has says nothing about the rest.
struct Proposal {
    /// How many records are looked at.
    static let sampleSize = 1_000

    /// The mapping.
    let mapping: Mapping
    /// What else the sample shows, in words.
    let hint: String?
    /// How many records of the sample could be read.
    let recordCount: Int
    /// The first record of the sample that could not be read, if there is one.
    let firstProblem: RecordError?

    /// - Parameter reader: Is read up to the end of the sample.
    init(_ reader: any RecordReader, entity: String) {
        let names = reader.fieldNames
        var columns = names.map { _ in ColumnSample() }
        var count = 0
        var firstProblem: RecordError?
        while count < Self.sampleSize {
            do {
                guard try reader.next() else { break }
            } catch {
                // Where the rest cannot be read, the import says so.
                firstProblem = firstProblem ?? error
                if error.isFatal { break }
                continue
            }
            for position in names.indices {
                reader.lendBytes(ofField: position) { columns[position].add($0) }
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
        let repeating = names.indices.filter { $0 != key && columns[$0].looksLikeNames }
        let shown = repeating.prefix(10).map { "“\(names[$0])” (\(columns[$0].distinctCount))" }
        let others = repeating.count - shown.count
        let listed = shown.joined(separator: ", ") + (others > 0 ? " and \(Quantity.count(others)) more" : "")
        hint = repeating.first.map {
            "Columns whose texts come again and could lead to objects of their own, with the number of texts in \(count) rows: \(listed). Say so by --relationship \"\(names[$0])=\(Mapping.entityName(forFile: names[$0]))\"."
        }
    }

    /// Checks that something is known of the records, so that no entity is made which the repaired file would
    /// not fit.
    ///
    /// - Throws: `RecordError` or ``ToolFailure``.
    func requireRecords(of file: String) throws {
        if recordCount > 0, !mapping.attributes.isEmpty { return }
        if let firstProblem { throw firstProblem }
        throw ToolFailure(
            recordCount == 0
                ? "“\(file)” has no records, so nothing is known of their types. Give a --mapping to make an entity without rows."
                : "The records of “\(file)” have no fields.")
    }

    /// Whether a column is called what keys are called: `id`, `ObjectID`, `object_id`, `isbn13`.
    private static func isKeyName(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        return ["id", "key", "acno"].contains(lowercased) || lowercased.hasPrefix("isbn")
            || lowercased.hasSuffix("_id") || name.hasSuffix("ID") || name.hasSuffix("Id")
            || lowercased.hasSuffix(" id") || lowercased.hasSuffix("-id")
    }
}

extension Mapping {
    /// The name of the entity for a file: its name without ending, and without a plural s.
    static func entityName(forFile path: String) -> String {
        var name = String(path.split(separator: "/").last ?? "Record")
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = String(name[..<dot]) }
        name = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        if name.count > 3, name.hasSuffix("s"), !name.hasSuffix("ss") { name.removeLast() }
        return name.isEmpty ? "Record" : name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Names that attributes can have, one for each column: no dots, nothing reserved, none twice.
    ///
    /// Which of several columns gets a name that all would have does not depend on the order of the columns:
    /// the one that is called so.
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

    /// The name of a relationship for which none is given.
    static func relationshipName(forColumn column: String, number: Int) -> String {
        let name = attributeName(forColumn: column, number: number)
        return name.prefix(1).lowercased() + name.dropFirst()
    }

    private static func attributeName(forColumn column: String, number: Int) -> String {
        var name = column.replacing(".", with: "_")
        name = String(name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
        // The longest name that a property can have is 128 bytes; some are kept for what makes it differ from
        // others.
        while name.utf8.count > 120 { name.removeLast() }
        if name.isEmpty { name = "column\(number)" }
        if ["objectid", "rowid", "oid", "_rowid_"].contains(name.lowercased()) { name = "source" + name }
        return name
    }
}

/// What a sample of one column's values can be.
private struct ColumnSample {
    /// Hashes, because a thousand values may be a thousand long ones.
    private var hashes: Set<Int> = []
    private var count = 0
    private var byteCount = 0
    private var candidates: [AttributeType] = [.integer64, .double, .boolean, .date, .uuid]
    private var records = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer?) {
        records += 1
        guard let bytes, !bytes.isEmpty else { return }
        count += 1
        byteCount += bytes.count
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        hashes.insert(hasher.finalize())
        candidates.removeAll { !FieldConversion.holds(bytes, as: $0) }
    }

    var distinctCount: Int { hashes.count }

    /// The type that all values have; string if they have none in common, or if there were none.
    var type: AttributeType { count == 0 ? .string : candidates.first ?? .string }

    /// Whether every record had a value of its own.
    var isUnique: Bool { count == records && hashes.count == count }

    /// Whether the values are short texts that come again and again.
    var looksLikeNames: Bool {
        type == .string && count > 20 && hashes.count > 2 && hashes.count <= count / 2
            && byteCount / count <= 40
    }
}
