/// A parser of the entries in a part of a BibTeX file.
struct BibTeXEntryParser {
    /// A macro with its line, or an entry with its text.
    enum Item {
        case macro(name: [UInt8], value: [UInt8], line: Int)
        case entry(NamedRecord, ArraySlice<UInt8>)
    }

    /// The reason why an entry is bad.
    private struct Problem: Error {
        let reason: RecordError.Reason
        init(_ text: String) { reason = .markup(text) }
        init(_ reason: RecordError.Reason) { self.reason = reason }
    }

    /// The entries in comments.
    private(set) var leftOut = BibTeXComments()
    /// The number of the parts ahead that belong to the text.
    private(set) var partCount = 0
    /// The number of bytes of parts ahead that turned out not to belong to a comment.
    private(set) var wastedSize = 0
    private let macros: BibTeXMacros
    private let more: (_ number: Int, _ isComment: Bool) -> [UInt8]?
    private var text: [UInt8]
    private var place = 0
    private var line: Int
    /// The position for which `line` was counted.
    private var counted = 0
    /// The end of the line around the current position outside of entries.
    private var lineEnd = 0
    /// The sign that closes the current entry.
    private var end: UInt8 = 0

    /// Creates a parser of a text that begins on a line.
    ///
    /// - Parameter more: Returns a part ahead by its number from 0, for a value or a comment that is not
    ///   closed before it; nil if there is none.
    init(
        _ text: [UInt8], line: Int, macros: BibTeXMacros,
        more: @escaping (_ number: Int, _ isComment: Bool) -> [UInt8]?
    ) {
        self.text = text
        self.line = line
        self.macros = macros
        self.more = more
    }

    /// Returns the next macro or entry, or nil after the last.
    mutating func next() -> Item? {
        while let (sign, isFirst) = nextSign() {
            let number = lineNumber(at: sign)
            place = sign + 1
            skipBlanks()
            let type = name()
            skipBlanks()
            guard let first = type.first, first.isLetter else { continue }
            guard let opening = current, opening == brace || opening == parenthesis else {
                // A comment may have no braces.
                guard isFirst, BibTeXComments.types.contains(type) else { continue }
                var record = NamedRecord(line: number)
                record.refuse(.markup("“@\(Self.shown(type))” has no brace; write “@\(Self.shown(type)){”"))
                place = text.count
                return .entry(record, text[sign...])
            }
            place += 1
            let end: UInt8 = opening == brace ? UInt8(ascii: "}") : UInt8(ascii: ")")
            if let item = read(type, from: sign, line: number, to: end) { return item }
        }
        return nil
    }

    /// Returns the position of the next sign outside of comment lines, and whether it is the first of its
    /// line.
    private mutating func nextSign() -> (place: Int, isFirst: Bool)? {
        while place < text.count {
            let isLine = place >= lineEnd
            if isLine { lineEnd = endOfLine(place) }
            let rest = text[place..<lineEnd]
            let first = rest.firstIndex { !$0.isBlank }
            if let first, text[first] == UInt8(ascii: "%") {
                let comment = rest[first...].drop { $0.isBlank || $0 == UInt8(ascii: "%") }
                if BibTeXParser.beginsEntry(comment) { leftOut.add(line: lineNumber(at: place)) }
            } else if let first, let sign = rest[first...].firstIndex(of: UInt8(ascii: "@")) {
                return (sign, isLine && sign == first)
            } else if isLine, BibTeXComments.lacksSign(rest) {
                leftOut.add(line: lineNumber(at: place))
            }
            place = lineEnd
        }
        return nil
    }

    private func endOfLine(_ place: Int) -> Int {
        text[place...].firstIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? text.count
    }

    /// Reads the text of an entry after its brace; returns nil for a comment and a preamble.
    private mutating func read(_ type: [UInt8], from sign: Int, line: Int, to end: UInt8) -> Item? {
        let before = (count: text.count, parts: partCount)
        self.end = end
        switch String(decoding: type, as: UTF8.self) {
        case "comment", "preamble":
            let isComment = type.first == UInt8(ascii: "c")
            var depth = 0
            let isClosed = readingOn(isComment: isComment) { $0.skip(to: end, &depth) }
            if !isClosed {
                leaveOutParts(before)
                place = text.count
            }
            if isComment { addEntries(in: (sign + 1)..<place) }
            return nil
        case "string":
            do throws(Problem) {
                return try macro(end, line)
            } catch {
                recover(before)
                var record = NamedRecord(line: line)
                record.refuse(error.reason)
                return .entry(record, text[sign..<place])
            }
        default:
            var record = NamedRecord(line: line)
            record.add(Array("entryType".utf8), type)
            do throws(Problem) {
                try entry(&record, end)
            } catch {
                record.refuse(error.reason)
                recover(before)
            }
            return .entry(record, text[sign..<place])
        }
    }

    /// Continues after a bad entry: after its brace if only another entry follows, or else at the next part.
    private mutating func recover(_ before: (count: Int, parts: Int)) {
        var depth = 0
        if skip(to: end, &depth) {
            let next = text[place...].first { !$0.isBlank && $0 != UInt8(ascii: ",") }
            if next == nil || next == UInt8(ascii: "@") { return }
        } else {
            leaveOutParts(before)
        }
        place = text.count
    }

    /// Counts the entries in a comment.
    private mutating func addEntries(in range: Range<Int>) {
        var start = range.lowerBound
        while let sign = text[start..<range.upperBound].firstIndex(of: UInt8(ascii: "@")) {
            let end = min(range.upperBound, sign + 64)
            if BibTeXParser.beginsEntry(text[sign..<end]) { leftOut.add(line: lineNumber(at: sign)) }
            start = sign + 1
        }
    }

    /// Calls a function until it is done, each time with another part ahead at the end of the text.
    private mutating func readingOn(
        isComment: Bool = false, _ body: (inout BibTeXEntryParser) -> Bool
    ) -> Bool {
        let before = (count: text.count, parts: partCount)
        while !body(&self) {
            guard place == text.count, let part = more(partCount, isComment),
                text.count + part.count <= RecordLimits.recordSize
            else {
                if isComment { wastedSize += text.count - before.count }
                leaveOutParts(before)
                return false
            }
            text += part
            partCount += 1
        }
        return true
    }

    /// Removes parts ahead from the text again.
    private mutating func leaveOutParts(_ before: (count: Int, parts: Int)) {
        text.removeLast(text.count - before.count)
        partCount = before.parts
        place = min(place, text.count)
        lineEnd = min(lineEnd, text.count)
    }

    private var brace: UInt8 { UInt8(ascii: "{") }
    private var parenthesis: UInt8 { UInt8(ascii: "(") }
    private var current: UInt8? { place < text.count ? text[place] : nil }

    private mutating func lineNumber(at place: Int) -> Int {
        for position in counted..<place
        where text[position] == 0x0A
            || text[position] == 0x0D && (position + 1 == text.count || text[position + 1] != 0x0A)
        { line += 1 }
        counted = max(counted, place)
        return line
    }

    private mutating func skipBlanks() {
        while current?.isBlank == true { place += 1 }
    }

    /// Skips blanks, commas and comments between fields.
    private mutating func skipToField() {
        while let byte = current {
            if byte == UInt8(ascii: "%") {
                while let byte = current, byte != 0x0A, byte != 0x0D { _ = byte; place += 1 }
            } else if byte.isBlank || byte == UInt8(ascii: ",") {
                place += 1
            } else {
                return
            }
        }
    }

    /// Skips a text with balanced braces up to its end, and returns false if it has none.
    ///
    /// - Parameter depth: The number of open braces.
    private mutating func skip(to end: UInt8, _ depth: inout Int) -> Bool {
        while let byte = current {
            place += 1
            if byte == end, depth == 0 { return true }
            if byte == brace { depth += 1 } else if byte == UInt8(ascii: "}") { depth -= 1 }
        }
        return false
    }

    /// Reads the name of a type, a field or a macro, and returns it in lowercase.
    private mutating func name() -> [UInt8] {
        let name = Self.name(in: text[place...])
        place += name.count
        return name
    }

    /// Returns the name at the beginning of a text, in lowercase.
    static func name(in text: ArraySlice<UInt8>) -> [UInt8] {
        text.prefix { !$0.isBlank && !"\"#%'(),={}".utf8.contains($0) }.map {
            (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
        }
    }

    private static let incompleteMacro = Problem(
        "the @string is not complete; write @string{name = {text}}")

    private mutating func macro(_ end: UInt8, _ line: Int) throws(Problem) -> Item {
        skipBlanks()
        let name = name()
        skipBlanks()
        guard !name.isEmpty, current == UInt8(ascii: "=") else { throw Self.incompleteMacro }
        place += 1
        let value = try value()
        skipToField()
        guard current == end else { throw Self.incompleteMacro }
        place += 1
        return .macro(name: name, value: value, line: line)
    }

    private static func shown(_ text: some Sequence<UInt8>) -> String {
        String(String(decoding: Array(text), as: UTF8.self).prefix(60))
    }

    private mutating func entry(_ record: inout NamedRecord, _ end: UInt8) throws(Problem) {
        let start = place
        while let byte = current, byte != UInt8(ascii: ","), byte != end, byte != UInt8(ascii: "=") {
            place += 1
        }
        let key = text[start..<place].withoutBlanks
        guard let byte = current else {
            throw Problem("the entry is not closed; a brace is missing")
        }
        guard byte != UInt8(ascii: "="), key.allSatisfy({ !$0.isBlank }) else {
            throw Problem("the entry has no citation key; write it after the brace, with a comma")
        }
        record.add(Array("citationKey".utf8), Array(key))
        while true {
            skipToField()
            guard let byte = current else {
                throw Problem(
                    "the entry “\(Self.shown(key))” is not closed before the next one; a brace or a quote is missing"
                )
            }
            if byte == end {
                place += 1
                return try requireEnd(Self.shown(key))
            }
            let name = name()
            skipBlanks()
            guard !name.isEmpty, current == UInt8(ascii: "=") else {
                throw Problem(
                    "“=” is missing after “\(Self.shown(name))” in the entry “\(Self.shown(key))”; a brace or a quote may be missing above"
                )
            }
            place += 1
            let value = try value()
            if let other = record.value(name) {
                if other != value { throw Problem(.duplicateName(Self.shown(name))) }
            } else {
                record.add(name, value)
            }
            if let reason = record.problem { throw Problem(reason) }
        }
    }

    /// Checks that no fields follow the end of an entry: they would be lost as comments.
    private func requireEnd(_ key: String) throws(Problem) {
        let rest = text[place...]
        let next = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
        let name = next.prefix {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        let sign = next.dropFirst(name.count).drop { $0 == 0x20 || $0 == 0x09 }
        guard !name.isEmpty, sign.first == UInt8(ascii: "="),
            let value = sign.dropFirst().drop(while: \.isBlank).first,
            value == brace || value == UInt8(ascii: "\"") || value.isDigit
        else { return }
        throw Problem(
            "the field “\(Self.shown(name))” follows the end of the entry “\(key)”; a brace is closed too early"
        )
    }

    /// Reads a value: texts, numbers and macros, joined by `#`.
    private mutating func value() throws(Problem) -> [UInt8] {
        var value: [UInt8] = []
        while true {
            skipBlanks()
            guard let byte = current else { throw Problem("a value is missing at the end of the entry") }
            if byte == brace {
                value += try braced()
            } else if byte == UInt8(ascii: "\"") {
                value += try quoted()
            } else if byte.isDigit {
                while let byte = current, byte.isDigit {
                    value.append(byte)
                    place += 1
                }
            } else {
                let name = name()
                guard !name.isEmpty else {
                    throw Problem("a value is missing; write it in braces")
                }
                if let text = macros.texts[name] {
                    value += text
                } else if BibTeXMacros.months.contains(name) {
                    value += name
                } else if let later = macros.laterDefinition(name) {
                    throw Problem(
                        "“\(Self.shown(name))” is defined only in line \(later.line), below the entry; move its @string above the entry"
                    )
                } else {
                    throw Problem(
                        "“\(Self.shown(name))” is not an @string of the file; define it above, or write the text in braces"
                    )
                }
            }
            // Macros may be far larger than their names.
            guard value.count <= RecordLimits.fieldSize else {
                throw Problem(.limit("a field of more than \(RecordLimits.fieldSize) bytes"))
            }
            skipBlanks()
            guard current == UInt8(ascii: "#") else { return value.withJoinedLines }
            place += 1
        }
    }

    private mutating func braced() throws(Problem) -> ArraySlice<UInt8> {
        place += 1
        let start = place
        var depth = 0
        guard readingOn({ $0.skip(to: UInt8(ascii: "}"), &depth) }) else {
            throw Problem("a value is not closed before the next entry; a brace is missing")
        }
        return text[start..<place - 1]
    }

    private mutating func quoted() throws(Problem) -> ArraySlice<UInt8> {
        place += 1
        let start = place
        var depth = 0
        var isClosed = false
        // A quote in the next entry would close a value of an entry in parentheses.
        let isAlone = end != UInt8(ascii: "}")
        let isRead = readingOn { parser in
            while let byte = parser.current {
                parser.place += 1
                isClosed = byte == UInt8(ascii: "\"") && depth == 0
                if byte == parser.brace { depth += 1 } else if byte == UInt8(ascii: "}") { depth -= 1 }
                if isClosed || depth < 0 { return true }
            }
            return isAlone
        }
        guard isRead, isClosed else {
            throw Problem("a value is not closed before the next entry; a quote is missing")
        }
        return text[start..<place - 1]
    }
}
