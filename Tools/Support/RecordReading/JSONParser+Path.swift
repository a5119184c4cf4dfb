extension JSONParser {
    /// Advances to the next record of a path.
    ///
    /// - Throws: ``RecordError`` for objects and arrays whose end cannot be found.
    mutating func find(_ cursor: inout JSONPathCursor) throws(RecordError) -> JSONPathCursor.Outcome {
        while true {
            let outcome: JSONPathCursor.Outcome?
            if let frame = cursor.frames.last {
                outcome = frame.isArray ? try nextElement(&cursor) : try nextMember(&cursor)
            } else if cursor.hasBegun, cursor.names.isEmpty {
                guard try skipSpaceBetweenRecords() == nil else { throw error("something follows the array") }
                return .end
            } else {
                guard try skipSpaceBetweenRecords() != nil else { return .end }
                cursor.hasBegun = true
                outcome = try enter(&cursor, step: 0, isElement: false)
            }
            if let outcome { return outcome }
        }
    }

    private mutating func nextElement(
        _ cursor: inout JSONPathCursor
    ) throws(RecordError) -> JSONPathCursor.Outcome? {
        guard let frame = cursor.frames.last else { return nil }
        guard var byte = try skipSpaceBetweenRecords() else { throw error("the array is not closed") }
        if byte != UInt8(ascii: "]"), !frame.isFirst {
            guard byte == UInt8(ascii: ",") else {
                throw structureError("a comma or ] is missing", byte: byte)
            }
            advance()
            guard let next = try skipSpaceBetweenRecords() else {
                throw error("an object { … } was expected")
            }
            byte = next
            if byte == UInt8(ascii: "]") { throw error(.trailingComma, at: position) }
        }
        if byte == UInt8(ascii: "]") {
            advance()
            cursor.frames.removeLast()
            return nil
        }
        cursor.frames[cursor.frames.count - 1].isFirst = false
        return try enter(&cursor, step: frame.step, isElement: true)
    }

    private mutating func nextMember(
        _ cursor: inout JSONPathCursor
    ) throws(RecordError) -> JSONPathCursor.Outcome? {
        guard let frame = cursor.frames.last else { return nil }
        guard var byte = try skipSpaceBetweenRecords() else { throw error("an object is not closed") }
        if byte != UInt8(ascii: "}"), !frame.isFirst {
            guard byte == UInt8(ascii: ",") else {
                throw structureError("a comma or } is missing", byte: byte)
            }
            advance()
            guard let next = try skipSpaceBetweenRecords() else {
                throw error("a key in quotes was expected")
            }
            byte = next
            if byte == UInt8(ascii: "}") { throw error(.trailingComma, at: position) }
        }
        if byte == UInt8(ascii: "}") {
            advance()
            cursor.frames.removeLast()
            return nil
        }
        cursor.frames[cursor.frames.count - 1].isFirst = false
        guard byte == UInt8(ascii: "\"") else {
            throw structureError("a key in quotes was expected", byte: byte, isName: true)
        }
        let name = try readText()
        guard try skipSpaceBetweenRecords() == UInt8(ascii: ":") else { throw error("a colon is missing") }
        advance()
        guard let step = cursor.step(after: frame.step, member: name) else {
            let first = try skipSpaceBetweenRecords()
            if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
                cursor.note(name, after: frame.step)
            }
            try skipValue()
            return nil
        }
        return try enter(&cursor, step: step, isElement: false)
    }

    /// Enters the value at the position, which the path leads to after a number of steps.
    ///
    /// - Parameter isElement: Whether the value is an element of an array.
    private mutating func enter(
        _ cursor: inout JSONPathCursor, step: Int, isElement: Bool
    ) throws(RecordError) -> JSONPathCursor.Outcome? {
        guard let byte = try skipSpaceBetweenRecords() else { throw error("an object { … } was expected") }
        let isEnd = step == cursor.names.count
        switch byte {
        case UInt8(ascii: "{"):
            if isEnd {
                cursor.isFound = true
                return .record
            }
            cursor.frames.append(.init(isArray: false, step: step))
            advance()
        case UInt8(ascii: "[") where !isEnd || !isElement:
            if isEnd { cursor.isFound = true }
            guard cursor.frames.count < RecordLimits.nesting else {
                throw limitError("more than \(RecordLimits.nesting) levels of nesting")
            }
            cursor.frames.append(.init(isArray: true, step: step))
            advance()
        default:
            let problem =
                byte == UInt8(ascii: "/")
                ? error(.comment, at: position) : error("an object { … } was expected")
            beginText()
            do throws(RecordError) {
                try skipValue()
            } catch {
                throw problem
            }
            if isEnd, isElement { return .other(problem) }
        }
        return nil
    }
}
