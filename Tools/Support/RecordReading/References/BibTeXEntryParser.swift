/// A parser of the entries in a part of a BibTeX file.
struct BibTeXEntryParser {
    /// A macro, or an entry with its range in the text and the macros that it uses.
    enum Item {
        case macro(name: [UInt8], value: [UInt8])
        case entry(NamedRecord, Range<Int>, uses: Set<[UInt8]>)
    }

    /// The reason why an entry is bad.
    private struct Problem: Error {
        let reason: RecordError.Reason
        init(_ text: String) { reason = .markup(text) }
    }

    /// The texts of the macros.
    var macros: [[UInt8]: [UInt8]]
    private let text: [UInt8]
    private var place = 0
    private var line: Int
    /// The place for which `line` was counted.
    private var counted = 0
    private var used: Set<[UInt8]> = []

    private static let months = Set(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].map {
            Array($0.utf8)
        })

    /// Creates a parser of a text that begins on a line.
    init(_ text: [UInt8], line: Int, macros: [[UInt8]: [UInt8]]) {
        self.text = text
        self.line = line
        self.macros = macros
    }

    /// Returns the next macro or entry, or nil after the last.
    mutating func next() -> Item? {
        while let sign = text[place...].firstIndex(of: UInt8(ascii: "@")) {
            let number = lineNumber(at: sign)
            place = sign + 1
            guard !isComment(sign) else { continue }
            let type = word()
            skipBlanks()
            guard !type.isEmpty, let opening = current, opening == brace || opening == parenthesis else {
                continue
            }
            place += 1
            let end: UInt8 = opening == brace ? UInt8(ascii: "}") : UInt8(ascii: ")")
            used = []
            switch String(decoding: type, as: UTF8.self) {
            case "comment": skip(to: end)
            case "preamble": skip(to: end)
            case "string":
                if let macro = try? macro(end) { return macro }
                var record = NamedRecord(line: number)
                record.refuse(
                    .markup("the @string is not complete; write @string{name = {text}}"))
                return .entry(record, sign..<place, uses: [])
            default:
                var record = NamedRecord(line: number)
                record.add(Array("entryType".utf8), type)
                do throws(Problem) {
                    try entry(&record, end)
                } catch {
                    record.refuse(error.reason)
                    // Reading continues at the next line that begins an entry.
                    place = text.count
                }
                return .entry(record, sign..<place, uses: used)
            }
        }
        return nil
    }

    /// Returns whether a line has a percent sign as its first character, and a later sign at a place.
    private func isComment(_ sign: Int) -> Bool {
        let line = text[..<sign].lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? 0
        return text[line..<sign].first { !$0.isBlank } == UInt8(ascii: "%")
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

    /// Skips a text with balanced braces, up to its end.
    private mutating func skip(to end: UInt8) {
        var depth = 0
        while let byte = current {
            place += 1
            if byte == end, depth == 0 { return }
            if byte == brace { depth += 1 } else if byte == UInt8(ascii: "}") { depth -= 1 }
        }
    }

    /// Reads letters, and returns them as small ones.
    private mutating func word() -> [UInt8] {
        var word: [UInt8] = []
        while let byte = current, byte.isLetter {
            word.append(byte | 0x20)
            place += 1
        }
        return word
    }

    /// Reads the name of a field or of a macro, and returns it in small letters.
    private mutating func name() -> [UInt8] {
        var name: [UInt8] = []
        while let byte = current, !byte.isBlank, !"\"#%'(),={}".utf8.contains(byte) {
            name.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            place += 1
        }
        return name
    }

    private mutating func macro(_ end: UInt8) throws(Problem) -> Item {
        skipBlanks()
        let name = name()
        skipBlanks()
        guard !name.isEmpty, current == UInt8(ascii: "=") else { throw Problem("") }
        place += 1
        let value = try value()
        skipToField()
        guard current == end else { throw Problem("") }
        place += 1
        return .macro(name: name, value: value)
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
            guard let other = record.value(name) else {
                record.add(name, value)
                continue
            }
            if other != value { record.refuse(.duplicateName(Self.shown(name))) }
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
                if let text = macros[name] {
                    value += text
                    used.insert(name)
                } else if Self.months.contains(name) {
                    value += name
                } else {
                    throw Problem(
                        "“\(Self.shown(name))” is no @string of the file; define it above, or write the text in braces"
                    )
                }
            }
            skipBlanks()
            guard current == UInt8(ascii: "#") else { return Self.joined(value) }
            place += 1
        }
    }

    private mutating func braced() throws(Problem) -> ArraySlice<UInt8> {
        place += 1
        let start = place
        var depth = 0
        while let byte = current {
            place += 1
            if byte == brace {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                if depth == 0 { return text[start..<place - 1] }
                depth -= 1
            }
        }
        throw Problem("a value is not closed before the next entry; a brace is missing")
    }

    private mutating func quoted() throws(Problem) -> ArraySlice<UInt8> {
        place += 1
        let start = place
        var depth = 0
        while let byte = current {
            place += 1
            if byte == UInt8(ascii: "\""), depth == 0 { return text[start..<place - 1] }
            if byte == brace { depth += 1 } else if byte == UInt8(ascii: "}") { depth -= 1 }
            if depth < 0 { break }
        }
        throw Problem("a value is not closed before the next entry; a quote is missing")
    }

    /// Returns a text whose line ends, with the blanks around them, are one blank each.
    private static func joined(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return text }
        var result: [UInt8] = []
        var position = 0
        while position < text.count {
            let run = text[position...].prefix(while: \.isBlank)
            guard run.isEmpty else {
                let isBroken = run.contains { $0 == 0x0A || $0 == 0x0D }
                let isAtEnd = position == 0 || position + run.count == text.count
                result += isBroken ? (isAtEnd ? [] : [0x20]) : Array(run)
                position += run.count
                continue
            }
            result.append(text[position])
            position += 1
        }
        return result
    }
}
