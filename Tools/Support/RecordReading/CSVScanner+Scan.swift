extension CSVScanner {
    /// Scans one record.
    ///
    /// - Parameters:
    ///   - bytes: The beginning of the record.
    ///   - count: The number of available bytes.
    ///   - isLast: Whether these are the file's last bytes.
    /// - Complexity: O(*n*) in the record's bytes; one branch for each byte that is not a delimiter or line
    ///   end.
    func scan(_ bytes: UnsafePointer<UInt8>, count: Int, isLast: Bool) -> Outcome {
        if !state.pointee.unescaped.isEmpty { state.pointee.unescaped.removeAll(keepingCapacity: true) }
        // Local variables, because properties would be loaded again for each byte.
        let delimiter = delimiter
        let fields = fields
        var found = 0
        var position = 0
        var lines = 0
        var problem: Problem?
        while true {
            var start = position
            if position < count, bytes[position] == Self.quote {
                let field: Field
                switch scanQuoted(bytes, count: count, isLast: isLast, from: position, lines: &lines) {
                case nil:
                    return isLast ? .unclosed(problem ?? .unclosedQuote(column: found + 1)) : .incomplete
                case let quoted?: field = quoted
                }
                position = Int(field.end) + 1
                start = position
                while position < count, !isEnd(bytes[position], delimiter) { position += 1 }
                if position > start { problem = problem ?? .textAfterQuote(column: found + 1) }
                let size = field.copyStart < 0 ? field.end - field.start : field.copyCount
                if size > RecordLimits.fieldSize { problem = problem ?? .fieldSize(column: found + 1) }
                if found < RecordLimits.fieldCount { fields[found] = field }
            } else {
                while position < count, !isEnd(bytes[position], delimiter) { position += 1 }
                if position - start > RecordLimits.fieldSize {
                    problem = problem ?? .fieldSize(column: found + 1)
                }
                if found < RecordLimits.fieldCount {
                    fields[found] = Field(
                        start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: position))
                }
            }
            found += 1
            guard position < count else {
                guard isLast else { return .incomplete }
                return finish(found, problem, position, lines)
            }
            let end = bytes[position]
            position += 1
            // A delimiter at the end of the file is followed by an empty field.
            if end == delimiter { continue }
            if end == 0x0D {
                // The next byte decides whether a line feed belongs to the line end.
                if position == count, !isLast { return .incomplete }
                if position < count, bytes[position] == 0x0A { position += 1 }
            }
            return finish(found, problem, position, lines + 1)
        }
    }

    private static var quote: UInt8 { UInt8(ascii: "\"") }

    /// Returns whether a byte ends a field that is not quoted.
    @inline(__always)
    private func isEnd(_ byte: UInt8, _ delimiter: UInt8) -> Bool {
        byte == delimiter || byte == 0x0A || byte == 0x0D
    }

    /// Scans a quoted field from its opening quote, and returns nil if the bytes do not contain its closing
    /// quote, or end after a quote that may be the first of two.
    private func scanQuoted(
        _ bytes: UnsafePointer<UInt8>, count: Int, isLast: Bool, from opening: Int, lines: inout Int
    ) -> Field? {
        let start = opening + 1
        var position = start
        // Once `unescaped` is in use, it contains the bytes of the field before this position.
        var copied = start
        var copyStart = -1
        while true {
            while position < count, bytes[position] != Self.quote {
                let byte = bytes[position]
                position += 1
                if byte == 0x0A || (byte == 0x0D && (position == count || bytes[position] != 0x0A)) {
                    lines += 1
                }
            }
            guard position < count, isLast || position + 1 < count else { return nil }
            guard position + 1 < count, bytes[position + 1] == Self.quote else { break }
            if copyStart < 0 { copyStart = state.pointee.unescaped.count }
            state.pointee.unescaped.append(
                contentsOf: UnsafeBufferPointer(start: bytes + copied, count: position + 1 - copied))
            position += 2
            copied = position
        }
        var field = Field(start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: position))
        if copyStart >= 0 {
            state.pointee.unescaped.append(
                contentsOf: UnsafeBufferPointer(start: bytes + copied, count: position - copied))
            field.copyStart = Int32(truncatingIfNeeded: copyStart)
            field.copyCount = Int32(truncatingIfNeeded: state.pointee.unescaped.count - copyStart)
        }
        return field
    }

    private func finish(_ found: Int, _ problem: Problem?, _ byteCount: Int, _ lines: Int) -> Outcome {
        state.pointee.fieldCount = min(found, RecordLimits.fieldCount)
        let problem = found > RecordLimits.fieldCount ? .fieldCount : problem
        return problem.map { .bad($0, byteCount: byteCount, lines: lines) }
            ?? .record(byteCount: byteCount, lines: lines)
    }
}
