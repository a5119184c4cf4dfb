/// A strict parser of JSON (RFC 8259) that reads one object at a time and flattens it into named fields.
struct JSONParser {
    /// One object's fields.
    struct Fields {
        /// The line on which the object begins.
        let line: Int
        /// The names in the order of the file.
        var names: [String] = []
        /// The texts; nil for `null`.
        var values: [String: [UInt8]?] = [:]
    }

    let source: ByteSource
    private var line = 1
    private var recordStart = 0

    init(source: ByteSource) { self.source = source }

    /// The next byte, not used up; nil at the end of the file.
    func peekByte() throws(RecordError) -> UInt8? {
        if source.available == 0 { guard try source.fill() else { return nil } }
        guard source.offset - recordStart <= RecordLimits.recordSize else {
            throw error("a record of more than \(RecordLimits.recordSize) bytes", isFatal: true)
        }
        return source.bytes[source.start]
    }

    /// Uses up the next byte.
    func advance() { source.consume(1) }

    func error(_ detail: String, isFatal: Bool = false) -> RecordError {
        RecordError(
            file: source.path, line: line, reason: .json(detail, byteOffset: source.offset), isFatal: isFatal)
    }

    /// Skips white space and gives the next byte.
    mutating func skipSpace() throws(RecordError) -> UInt8? {
        while let byte = try peekByte(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            if byte == 0x0A { line += 1 }
            advance()
            recordStart = source.offset
        }
        return try peekByte()
    }

    /// Skips what is left of a line.
    mutating func skipLine() throws(RecordError) {
        recordStart = source.offset
        while let byte = try peekByte(), byte != 0x0A {
            advance()
            recordStart = source.offset
        }
    }

    /// Reads an object.
    mutating func readObject() throws(RecordError) -> Fields {
        guard try peekByte() == UInt8(ascii: "{") else { throw error("an object { … } was expected") }
        recordStart = source.offset
        var fields = Fields(line: line)
        try readValue(name: "", depth: 0, into: &fields)
        return fields
    }

    private mutating func next() throws(RecordError) -> UInt8 {
        while let byte = try peekByte(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            if byte == 0x0A { line += 1 }
            advance()
        }
        guard let byte = try peekByte() else {
            throw error("the file ends in the middle of a record", isFatal: true)
        }
        return byte
    }

    private mutating func readValue(name: String, depth: Int, into fields: inout Fields) throws(RecordError) {
        guard depth <= RecordLimits.nesting else {
            throw error("more than \(RecordLimits.nesting) levels of nesting")
        }
        switch try next() {
        case UInt8(ascii: "{"): try readMembers(name: name, depth: depth, into: &fields)
        case UInt8(ascii: "["): try readElements(name: name, depth: depth, into: &fields)
        case UInt8(ascii: "\""): try add(try readString(), name, &fields)
        case UInt8(ascii: "t"): try add(try readWord("true"), name, &fields)
        case UInt8(ascii: "f"): try add(try readWord("false"), name, &fields)
        case UInt8(ascii: "n"):
            _ = try readWord("null")
            try add(nil, name, &fields)
        default: try add(try readNumber(), name, &fields)
        }
    }

    private func add(_ value: [UInt8]?, _ name: String, _ fields: inout Fields) throws(RecordError) {
        guard fields.values.updateValue(value, forKey: name) == nil else {
            throw RecordError(file: source.path, line: line, reason: .duplicateName(name))
        }
        fields.names.append(name)
        guard fields.names.count <= RecordLimits.fieldCount else {
            throw error("more than \(RecordLimits.fieldCount) fields")
        }
    }

    private mutating func readMembers(name: String, depth: Int, into fields: inout Fields) throws(RecordError)
    {
        advance()
        var keys: Set<[UInt8]> = []
        var isFirst = true
        while true {
            var byte = try next()
            if byte == UInt8(ascii: "}"), isFirst { break }
            if !isFirst {
                if byte == UInt8(ascii: "}") { break }
                guard byte == UInt8(ascii: ",") else { throw error("a comma or } is missing") }
                advance()
                byte = try next()
            }
            isFirst = false
            guard byte == UInt8(ascii: "\"") else { throw error("a key in quotes was expected") }
            let key = try readString()
            let text = String(decoding: key, as: UTF8.self)
            guard keys.insert(key).inserted else {
                throw RecordError(file: source.path, line: line, reason: .duplicateName(text))
            }
            guard try next() == UInt8(ascii: ":") else { throw error("a colon is missing") }
            advance()
            try readValue(name: name.isEmpty ? text : "\(name).\(text)", depth: depth + 1, into: &fields)
        }
        advance()
    }

    private mutating func readElements(name: String, depth: Int, into fields: inout Fields)
        throws(RecordError)
    {
        advance()
        var count = 0
        while true {
            let byte = try next()
            if byte == UInt8(ascii: "]") { break }
            if count > 0 {
                guard byte == UInt8(ascii: ",") else { throw error("a comma or ] is missing") }
                advance()
            }
            try readValue(name: "\(name).\(count)", depth: depth + 1, into: &fields)
            count += 1
        }
        advance()
    }

    private func readWord(_ word: StaticString) throws(RecordError) -> [UInt8] {
        let expected = Array("\(word)".utf8)
        for byte in expected {
            guard try peekByte() == byte else { throw error("“\(word)” was expected") }
            advance()
        }
        return expected
    }
}
