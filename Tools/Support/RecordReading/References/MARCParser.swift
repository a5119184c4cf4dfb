/// A parser of MARC 21 in its exchange format, ISO 2709.
///
/// The line of a record is its number in the file, which has no lines.
final class MARCParser: NamedRecordParser {
    /// The bytes that are parsed.
    let source: ByteSource
    /// The text around the records.
    var frame: RecordFrame? { RecordFrame() }
    /// The reason of a text that is not UTF-8.
    var invalidTextReason: String? {
        "the text is not UTF-8, although the leader or --encoding says so; convert the file with “yaz-marcdump -f MARC-8 -t UTF-8 -o marc -l 9=97”, or pass --replace-invalid"
    }
    private let columns: MARCColumns
    private let numbersElements: Bool
    private let keepsText: Bool
    /// Whether texts are UTF-8, regardless of the leaders of records.
    private let isUTF8: Bool
    private var number = 0

    private static let fieldEnd: UInt8 = 0x1E
    private static let recordEnd: UInt8 = 0x1D
    private static let subfield: UInt8 = 0x1F
    private static let leaderSize = 24

    /// Creates a parser.
    ///
    /// - Throws: A fatal ``RecordError`` for a column that MARC does not have, and for a converted file.
    init(_ source: ByteSource, options: RecordOptions) throws(RecordError) {
        self.source = source
        numbersElements = options.numbersElements
        keepsText = options.keepsText
        let encoding = options.encoding?.uppercased()
        isUTF8 = encoding == "UTF-8" || encoding == "UTF8"
        do throws(XMLRefusal) {
            columns = try MARCColumns(options.columnNames)
        } catch {
            throw RecordError(file: source.path, line: 0, reason: .markup(error.reason), isFatal: true)
        }
        guard encoding == nil || isUTF8 else {
            throw fatal(
                .markup(
                    "the lengths in a file of MARC are those of its bytes, so --encoding \(options.encoding ?? "") cannot be applied; convert the file with “yaz-marcdump -f \(options.encoding ?? "") -t UTF-8 -o marc -l 9=97”"
                ), line: 0)
        }
    }

    /// Returns whether a file begins with the leader of a record.
    static func begins(_ source: ByteSource) -> Bool {
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        return bytes.count >= leaderSize
            && (isLeader(Array(bytes.prefix(leaderSize))) || hasDirectory(bytes.prefix(100_000)))
    }

    /// Returns whether a directory follows the first 24 characters, which may be a damaged leader, and a
    /// record ends after it.
    private static func hasDirectory(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let directory = bytes.dropFirst(leaderSize).prefix { $0.isDigit || $0.isLetter }
        let end = directory.endIndex
        guard bytes.prefix(leaderSize).allSatisfy({ (0x20...0x7E).contains($0) }), !directory.isEmpty,
            directory.count.isMultiple(of: 12), end < bytes.endIndex, bytes[end] == fieldEnd
        else { return false }
        return bytes[end...].contains(recordEnd)
    }

    private static func isLeader(_ bytes: [UInt8]) -> Bool {
        bytes[..<5].allSatisfy(\.isDigit) && bytes[10...16].allSatisfy(\.isDigit)
            && bytes[5...9].allSatisfy { (0x20...0x7E).contains($0) }
            && bytes[20...21].elementsEqual("45".utf8)
    }

    /// Returns the next record, which may be bad, or nil after the last.
    func next() throws(RecordError) -> NamedRecord? {
        // Some programs write a line end after each record.
        while true {
            if source.available == 0, try !source.fill() { return nil }
            guard source.bytes[source.start].isBlank || source.bytes[source.start] == 0x1A else { break }
            source.consume(1)
        }
        number += 1
        var record = NamedRecord(line: number)
        var count = 0
        while true {
            let end = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)[
                count...
            ]
            .firstIndex(of: Self.recordEnd)
            if let end {
                count = end + 1
                break
            }
            count = source.available
            // The length has five digits.
            guard count < 100_000, try source.fill() else {
                record.refuse(
                    .markup("the record has no end; the file is truncated or damaged, so get it again"))
                count = try skipRecord()
                return record
            }
        }
        let bytes = Array(UnsafeBufferPointer(start: source.bytes + source.start, count: count))
        source.consume(count)
        if keepsText { record.text = bytes }
        read(bytes, into: &record)
        return record
    }

    /// Skips to the end of a record that is too long, or to the end of the file.
    private func skipRecord() throws(RecordError) -> Int {
        while true {
            let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
            if let end = bytes.firstIndex(of: Self.recordEnd) {
                source.consume(end + 1)
                return 0
            }
            source.consume(source.available)
            guard try source.fill() else { return 0 }
        }
    }

    private func read(_ bytes: [UInt8], into record: inout NamedRecord) {
        guard bytes.count > Self.leaderSize, Self.isLeader(bytes) else {
            return record.refuse(
                .markup(
                    "the record has no leader of 24 characters that ends with 4500; the file is damaged, or is not MARC 21"
                ))
        }
        let base = Self.number(bytes[12..<17])
        guard Self.number(bytes[..<5]) == bytes.count, base > Self.leaderSize, base < bytes.count,
            bytes[base - 1] == Self.fieldEnd, (base - 1 - Self.leaderSize).isMultiple(of: 12)
        else {
            return record.refuse(
                .markup(
                    "the record has \(bytes.count) bytes and another length in its leader or directory; the file was changed by an editor or a conversion, so export it again"
                ))
        }
        if !isUTF8, bytes[9] != UInt8(ascii: "a"), bytes.contains(where: { $0 >= 0x80 || $0 == 0x1B }) {
            return record.refuse(
                .markup(
                    "the text of the record is MARC-8; convert the file with “yaz-marcdump -f MARC-8 -t UTF-8 -o marc -l 9=97”, or pass --encoding UTF-8 if it is UTF-8"
                ))
        }
        columns.add("LDR", control: bytes[..<Self.leaderSize], to: &record, numbering: numbersElements)
        for entry in stride(from: Self.leaderSize, to: base - 1, by: 12) {
            let tag = String(decoding: bytes[entry..<entry + 3], as: UTF8.self)
            let length = Self.number(bytes[(entry + 3)..<(entry + 7)])
            let start = base + Self.number(bytes[(entry + 7)..<(entry + 12)])
            guard length > 0, start >= base, start + length <= bytes.count,
                bytes[start + length - 1] == Self.fieldEnd
            else {
                return record.refuse(
                    .markup("the directory does not fit the field \(tag); the file is damaged"))
            }
            read(tag, bytes[start..<(start + length - 1)], into: &record)
        }
    }

    private func read(_ tag: String, _ field: ArraySlice<UInt8>, into record: inout NamedRecord) {
        if tag.hasPrefix("00") {
            return columns.add(tag, control: field, to: &record, numbering: numbersElements)
        }
        let parts = field.split(separator: Self.subfield, omittingEmptySubsequences: false).dropFirst()
        let subfields = parts.compactMap { part in
            part.first.map { (code: $0, value: part.dropFirst()) }
        }
        columns.add(tag, subfields, to: &record, numbering: numbersElements)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int {
        digits.reduce(0) { $1.isDigit && $0 >= 0 ? $0 * 10 + Int($1 - 0x30) : -1 }
    }
}
