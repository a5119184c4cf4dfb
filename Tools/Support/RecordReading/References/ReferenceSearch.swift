/// A search for the first reference of BibTeX or RIS in a text, which other lines may precede.
enum ReferenceSearch {
    /// Returns the format of the first reference, or nil for another text.
    ///
    /// A text that is quoted as a field of CSV, or a block of code in Markdown, is no reference.
    ///
    /// - Parameter allowsPreamble: Whether lines other than comments may precede the reference.
    static func format(in text: ArraySlice<UInt8>, allowsPreamble: Bool) -> NamedFormat? {
        let lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        var isQuoted = false
        var hasPreamble = false
        for (number, line) in lines.enumerated() {
            if !isQuoted {
                if BibTeXParser.beginsEntry(line), !hasPreamble || isEntry(line) { return .bibTeX }
                if isRecord(line, next: lines.dropFirst(number + 1).first) { return .ris }
            }
            let isComment = line.first { !$0.isBlank } == UInt8(ascii: "%")
            guard allowsPreamble || isComment || line.allSatisfy(\.isBlank), !line.starts(with: "```".utf8)
            else { return nil }
            hasPreamble = hasPreamble || !isComment && !line.allSatisfy(\.isBlank)
            let quotes = line.count { $0 == UInt8(ascii: "\"") }
            // A quote inside a text, such as that of inches, begins no field.
            if !quotes.isMultiple(of: 2), isQuoted || beginsField(line) { isQuoted.toggle() }
        }
        return nil
    }

    /// Returns whether a line that begins an entry has one of the usual types, or a citation key and a comma.
    /// Other languages have names with a sign and a brace as well.
    private static func isEntry(_ line: ArraySlice<UInt8>) -> Bool {
        guard let opening = line.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "(") })
        else { return false }
        let type = line[..<opening].filter { $0.isLetter || $0.isDigit }.map { $0.isLetter ? $0 | 0x20 : $0 }
        if ["string", "comment", "preamble"].contains(String(decoding: type, as: UTF8.self)) { return true }
        let isKnown = BibTeXComments.types.contains(type)
        guard line[opening] == UInt8(ascii: "{") || isKnown else { return false }
        let rest = line[(opening + 1)...].drop(while: \.isBlank)
        let after = rest.drop { !$0.isBlank && !"\"#%'(),={}".utf8.contains($0) }.drop(while: \.isBlank)
        return after.first.map { $0 == UInt8(ascii: ",") || isKnown && $0 == UInt8(ascii: "}") } ?? isKnown
    }

    /// Returns the name of a format of references that is not read, and is recognized by its first line.
    static func otherFormat(of text: UnsafeBufferPointer<UInt8>) -> String? {
        let start = String(decoding: text.prefix(200), as: UTF8.self)
        let marks = [
            ("PMID-", "in MEDLINE, as PubMed writes it"), ("%0 ", "in the format of EndNote and Refer"),
            ("FN Clarivate", "in the format of Web of Science"),
            ("FN Thomson", "in the format of Web of Science"),
            ("FN ISI", "in the format of Web of Science"),
        ]
        return marks.first { start.hasPrefix($0.0) }?.1
    }

    /// Returns whether a line begins a record of RIS, also with a tag that is not written exactly.
    private static func isRecord(_ line: ArraySlice<UInt8>, next: ArraySlice<UInt8>?) -> Bool {
        let isExact = RISParser.tag(of: Array(line.prefix(6)))?.elementsEqual("TY".utf8) == true
        if isExact { return true }
        guard RISLine(Array(line)).tag?.elementsEqual("TY".utf8) == true else { return false }
        return next.map { RISLine(Array($0)).tag != nil } ?? false
    }

    /// Returns whether a quote stands where a field of CSV begins.
    private static func beginsField(_ line: ArraySlice<UInt8>) -> Bool {
        line.indices.contains { place in
            line[place] == UInt8(ascii: "\"")
                && (place == line.startIndex || ",;|\t".utf8.contains(line[place - 1]))
        }
    }
}
