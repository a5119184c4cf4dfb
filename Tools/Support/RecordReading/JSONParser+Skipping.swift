extension JSONParser {
    /// Skips a value between records without keeping it in memory.
    ///
    /// - Throws: ``RecordError`` if the end of the value cannot be found.
    mutating func skipValue() throws(RecordError) {
        guard let first = try peek() else { throw error("the file ends in the middle of a record") }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            var scanner = JSONBracketScanner()
            while true {
                switch scanner.scan(bytes, from: position, to: count) {
                case .closed(let end):
                    position = end
                    line += scanner.lines
                    return discard()
                case .ambiguous: throw error("the end of a value cannot be found")
                case .incomplete:
                    position = count
                    discard()
                    guard try peek() != nil else { throw error("the file ends in the middle of a record") }
                }
            }
        case UInt8(ascii: "\""): try skipString()
        default:
            var size = 0
            while let byte = try peek(), !Self.endsWord(byte) {
                advance()
                size += 1
                discard()
            }
            guard size > 0 else { throw error("a value was expected") }
        }
    }

    /// Skips a string of any size, whose bytes need not be UTF-8.
    private mutating func skipString() throws(RecordError) {
        advance()
        var isEscaped = false
        while let byte = try peek(), byte >= 0x20 {
            advance()
            if position >= 64 << 10 { discard() }
            if byte == UInt8(ascii: "\""), !isEscaped { return discard() }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
        throw error("a string is not closed")
    }

    /// Reads a string between records and returns it without quotes and escapes.
    mutating func readText() throws(RecordError) -> [UInt8] {
        let kept = record.text.count
        do throws(RecordError) {
            try readString()
        } catch {
            record.text.removeLast(record.text.count - kept)
            throw error
        }
        let text = Array(record.text[kept...])
        record.text.removeLast(text.count)
        discard()
        return text
    }

    /// Skips the bad record that begins at the window's first byte, and returns false if the end of that
    /// record cannot be known.
    ///
    /// - Parameter frame: The object or array around the record, or nil.
    mutating func skipRecord(in frame: JSONPathCursor.Frame?) throws(RecordError) -> Bool {
        position = 0
        line = recordLine
        var scanner = JSONBracketScanner()
        var scanned = 0
        while true {
            switch scanner.scan(bytes, from: scanned, to: count) {
            case .ambiguous: return false
            case .closed(let end):
                position = end
                line += scanner.lines
                let next = try skipSpaceBetweenRecords()
                if let frame {
                    return next == UInt8(ascii: ",") || next == UInt8(ascii: frame.isArray ? "]" : "}")
                }
                return next == nil || next == UInt8(ascii: "{") || next == UInt8(ascii: "[")
            case .incomplete:
                scanned = count
                position = count
                guard try peek() != nil else { return false }
            }
        }
    }

    /// Skips the bad record that begins at the window's first byte, in a file with one record in each line,
    /// and returns false if the end of that record cannot be known.
    ///
    /// A record that its line does not close either ends with the line, as a truncated one, or continues on
    /// the next, as in a file of another layout. It ends with the line if the next line begins an object and
    /// no object can follow at that position.
    mutating func skipLine() throws(RecordError) -> Bool {
        position = 0
        line = recordLine
        guard let first = try peek(), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            try skipFirstLine()
            return true
        }
        let end = try lineEnd(from: 0)
        var scanner = JSONBracketScanner()
        switch scanner.scan(bytes, from: 0, to: end) {
        case .closed(let position):
            // Another object may follow on the same line.
            self.position = position
            while self.position < end, [0x20, 0x09, 0x0D].contains(bytes[self.position]) { advance() }
            if self.position < end, bytes[self.position] == UInt8(ascii: "{") {
                beginRecord()
            } else {
                try skipFirstLine()
            }
            return true
        case .ambiguous:
            // The strings are unclear, but a line that begins with a bracket begins a record.
            guard try beginsRecord(lineAfter: end) else { return false }
        case .incomplete:
            guard try beginsRecord(lineAfter: end) else { return try skipRecord(in: nil) }
            let mayContinue =
                scanner.isText
                || [UInt8(ascii: "["), UInt8(ascii: ","), UInt8(ascii: ":")].contains(scanner.last)
            if mayContinue, try !isComplete(lineAfter: end) { return try skipRecord(in: nil) }
        }
        try skipFirstLine()
        return true
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"),
            UInt8(ascii: ":"),
            UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["):
            true
        default: false
        }
    }

    /// Returns the position of the next line feed, or of the end of the file.
    private mutating func lineEnd(from start: Int) throws(RecordError) -> Int {
        position = start
        while let byte = try peek(), byte != 0x0A { advance() }
        return position
    }

    /// Returns the position of the first byte after a line end that is not white space, or nil at the end of
    /// the file.
    private mutating func text(after end: Int) throws(RecordError) -> Int? {
        position = end
        while let byte = try peek() {
            guard [0x20, 0x09, 0x0A, 0x0D].contains(byte) else { return position }
            advance()
        }
        return nil
    }

    /// Returns whether the next line begins like a record, or the file ends.
    private mutating func beginsRecord(lineAfter end: Int) throws(RecordError) -> Bool {
        guard let start = try text(after: end) else { return true }
        return bytes[start] == UInt8(ascii: "{")
    }

    /// Returns whether the next line is one complete object, and no part of a record that continues on it.
    private mutating func isComplete(lineAfter end: Int) throws(RecordError) -> Bool {
        guard let start = try text(after: end) else { return true }
        let end = try lineEnd(from: start)
        var scanner = JSONBracketScanner()
        guard case .closed(let closing) = scanner.scan(bytes, from: start, to: end) else { return false }
        guard let next = try text(after: closing) else { return true }
        return next > end && bytes[next] == UInt8(ascii: "{")
    }
}
