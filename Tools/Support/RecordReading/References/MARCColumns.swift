/// The columns that records of MARC 21 become: the common bibliographic fields by name, or chosen fields and
/// subfields such as `245$a`.
struct MARCColumns {
    /// A part of a record: a control field, or subfields of a data field.
    private struct Part {
        let tag: String
        /// The codes of the subfields, which are joined by blanks; empty for a control field.
        let codes: Set<UInt8>
        /// The first character in a control field, and the number of characters; nil for all.
        var range: Range<Int>?
    }

    private struct Column {
        let name: [UInt8]
        let parts: [Part]
    }

    private let columns: [Column]
    /// Whether all fields and subfields are columns.
    private let hasAll: Bool

    private static let common: [(name: String, parts: [Part])] = [
        ("controlNumber", [Part(tag: "001", codes: [])]),
        ("isbn", [part("020", "a")]), ("issn", [part("022", "a")]),
        ("language", [Part(tag: "008", codes: [], range: 35..<38)]),
        ("callNumber", [part("050", "ab"), part("090", "ab")]), ("dewey", [part("082", "a")]),
        ("author", [part("100", "abcdq"), part("110", "abcd"), part("111", "acdn")]),
        ("title", [part("245", "abnp")]), ("responsibility", [part("245", "c")]),
        ("edition", [part("250", "ab")]),
        ("place", [part("260", "a"), part("264", "a")]),
        ("publisher", [part("260", "b"), part("264", "b")]),
        ("date", [part("260", "c"), part("264", "c")]),
        ("description", [part("300", "abce")]), ("series", [part("490", "av"), part("440", "av")]),
        ("notes", ["500", "501", "502", "504", "505", "520"].map { part($0, "a") }),
        ("subjects", ["600", "610", "611", "630", "650", "651"].map { part($0, "abcdtvxyz") }),
        ("contributors", [part("700", "abcdq"), part("710", "ab"), part("711", "acdn")]),
        ("url", [part("856", "u")]),
    ]

    private static func part(_ tag: String, _ codes: String) -> Part {
        Part(tag: tag, codes: Set(codes.utf8))
    }

    /// Creates the columns of names: those of common fields, `001`, `245$a`, `*` for all fields and
    /// subfields, or nil for the common fields.
    ///
    /// - Throws: ``XMLRefusal`` for another name.
    init(_ names: [String]?) throws(XMLRefusal) {
        hasAll = names == ["*"]
        guard let names, !hasAll else {
            columns = hasAll ? [] : Self.common.map { Column(name: Array($0.name.utf8), parts: $0.parts) }
            return
        }
        var columns: [Column] = []
        for name in names {
            columns.append(Column(name: Array(name.utf8), parts: try Self.parts(name)))
        }
        self.columns = columns
    }

    private static func parts(_ name: String) throws(XMLRefusal) -> [Part] {
        if let known = common.first(where: { $0.name == name }) { return known.parts }
        let pieces = name.split(separator: "$", omittingEmptySubsequences: false)
        let tag = String(pieces[0])
        if tag.utf8.count == 3, pieces.count == 1, tag == "LDR" || tag.hasPrefix("00") {
            return [Part(tag: tag, codes: [])]
        }
        if tag.utf8.count == 3, pieces.count == 2, pieces[1].utf8.count == 1 {
            return [Part(tag: tag, codes: Set(pieces[1].utf8))]
        }
        throw XMLRefusal(
            reason:
                "--columns: “\(name)” is not a column of MARC; write a field and a subfield such as 245$a, a control field such as 001, “*” for all, or names among \(common.map(\.name).joined(separator: ", "))"
        )
    }

    /// Adds a control field to a record.
    func add(_ tag: String, control value: ArraySlice<UInt8>, to record: inout NamedRecord, numbering: Bool) {
        if hasAll {
            return record.addRepeated(Array(tag.utf8), Array(value), numbering: numbering)
        }
        for column in columns {
            for part in column.parts where part.tag == tag && part.codes.isEmpty {
                var value = value
                if let range = part.range {
                    guard value.count >= range.upperBound else { continue }
                    value =
                        value[(value.startIndex + range.lowerBound)..<(value.startIndex + range.upperBound)]
                }
                record.addRepeated(column.name, Array(value.withoutBlanks), numbering: numbering)
            }
        }
    }

    /// Adds a data field to a record.
    func add(
        _ tag: String, _ subfields: [(code: UInt8, value: ArraySlice<UInt8>)], to record: inout NamedRecord,
        numbering: Bool
    ) {
        if hasAll {
            for (code, value) in subfields {
                record.addRepeated(
                    Array(tag.utf8) + [UInt8(ascii: "$"), code], Array(value), numbering: numbering)
            }
            return
        }
        for column in columns {
            for part in column.parts where part.tag == tag && !part.codes.isEmpty {
                let found = subfields.filter { part.codes.contains($0.code) }.map {
                    Array($0.value.withoutBlanks)
                }
                guard !found.isEmpty else { continue }
                // Chosen subfields are separate values; those of a named column are one text.
                if part.codes.count == 1 {
                    for value in found { record.addRepeated(column.name, value, numbering: numbering) }
                } else {
                    record.addRepeated(
                        column.name, Array(found.joined(separator: [0x20])), numbering: numbering)
                }
            }
        }
    }
}
