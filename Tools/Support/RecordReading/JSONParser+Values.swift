import Mutants

extension JSONParser {
    /// Reads an object into `record`.
    mutating func readObject() throws(RecordError) {
        beginRecord()
        record.reset(line: line)
        keys.truncate(to: 0)
        path.removeAll(keepingCapacity: true)
        fieldCount = 0
        namesLeftOut.removeAll(keepingCapacity: true)
        nextGuess = 0
        isInArrayText = false
        let nameCount = names.count
        do throws(RecordError) {
            let first = try peek()
            guard first == UInt8(ascii: "{") else {
                throw first == UInt8(ascii: "/")
                    ? error(.comment, at: position) : error("an object { … } was expected")
            }
            try readMembers(depth: 1)
            try checkSize()
        } catch {
            names.truncate(to: nameCount)
            if arrayFields.contains(where: { $0 >= nameCount }) {
                arrayFields = arrayFields.filter { $0 < nameCount }
            }
            throw error
        }
    }

    /// Reads a value.
    ///
    /// - Parameter depth: The number of objects and arrays around the value.
    private mutating func readValue(depth: Int) throws(RecordError) {
        let byte = try next()
        let start = record.text.count
        switch byte {
        case UInt8(ascii: "{"): return try readMembers(depth: depth + 1)
        case UInt8(ascii: "[") where numbersElements || isInArrayText:
            return try readElements(depth: depth + 1)
        case UInt8(ascii: "["):
            try readArrayText(depth: depth + 1)
            return try add(start..<record.text.count, .text, isArray: true)
        case UInt8(ascii: "\""):
            try readString()
            return try add(start..<record.text.count, .text)
        case UInt8(ascii: "t"): try readWord("true")
        case UInt8(ascii: "f"): try readWord("false")
        case UInt8(ascii: "n"):
            try readWord("null")
            record.text.removeLast(record.text.count - start)
            return try add(nil)
        default:
            try readNumber()
            return try add(start..<record.text.count, .number)
        }
        try add(start..<record.text.count, .boolean)
    }

    /// Sets the field with the name in `path` to a part of the text, or to null.
    private mutating func add(
        _ range: Range<Int>?, _ kind: FieldKind = .untyped, isArray: Bool = false
    ) throws(RecordError) {
        if isInArrayText { return }
        fieldCount += 1
        guard fieldCount <= limits.fieldCount else {
            throw limitError("more than \(limits.fieldCount) fields")
        }
        guard let position = try fieldPosition() else { return }
        guard record.set(position, to: range, kind: kind) else { throw duplicate(path[...]) }
        nextGuess = position + 1
        if isArray { arrayFields.insert(position) }
    }

    /// Reads an array and appends its text, without white space between its values, to the record's text.
    private mutating func readArrayText(depth: Int) throws(RecordError) {
        let textStart = record.text.count
        let start = position
        isInArrayText = true
        try readElements(depth: depth)
        isInArrayText = false
        record.text.removeLast(record.text.count - textStart)
        var isText = false
        var isEscaped = false
        for byte in UnsafeBufferPointer(start: bytes + start, count: position - start) {
            if isText {
                isText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
                continue
            } else {
                isText = byte == UInt8(ascii: "\"")
            }
            record.text.append(byte)
        }
        try checkFieldSize(record.text.count - textStart)
    }

    /// Returns the position of the field with the name in `path`, or nil if the field is left out.
    ///
    /// Fields that are left out are checked like others, so that a record is bad regardless of whether its
    /// names are known.
    private mutating func fieldPosition() throws(RecordError) -> Int? {
        if let known = names.position(of: path, guess: nextGuess) { return known }
        guard names.count + namesLeftOut.count < limits.fieldCount || namesLeftOut.contains(path) else {
            throw limitError("more than \(limits.fieldCount) fields in all records together")
        }
        switch newNames {
        case .taken: return names.append(path)
        case .leftOut:
            guard namesLeftOut.insert(path).inserted else { throw duplicate(path[...]) }
            return nil
        case .refused:
            let name = String(decoding: path, as: UTF8.self)
            throw RecordError(file: source.path, line: recordLine, reason: .unexpectedName(name))
        }
    }

    private func duplicate(_ name: ArraySlice<UInt8>) -> RecordError {
        let text = String(decoding: name, as: UTF8.self)
        return RecordError(file: source.path, line: recordLine, reason: .duplicateName(text))
    }

    private mutating func readMembers(depth: Int) throws(RecordError) {
        try checkDepth(depth)
        advance()
        let objectStart = keys.count
        let pathCount = path.count
        var byte = try next()
        var isFirst = true
        while byte != UInt8(ascii: "}") {
            if !isFirst {
                guard byte == UInt8(ascii: ",") else {
                    throw structureError("a comma or } is missing", byte: byte)
                }
                advance()
                byte = try next()
                if byte == UInt8(ascii: "}") { throw error(.trailingComma, at: position) }
            }
            isFirst = false
            guard byte == UInt8(ascii: "\"") else {
                throw structureError("a key in quotes was expected", byte: byte, isName: true)
            }
            try readKey(objectStart: objectStart, isNested: depth > 1)
            guard try next() == UInt8(ascii: ":") else { throw error("a colon is missing") }
            advance()
            try readValue(depth: depth)
            path.removeLast(path.count - pathCount)
            byte = try next()
        }
        keys.truncate(to: objectStart)
        advance()
    }

    /// Reads a key and appends it to `path`.
    private mutating func readKey(objectStart: Int, isNested: Bool) throws(RecordError) {
        let start = record.text.count
        try readString()
        if replacesInvalidUTF8 { repairText(from: start) }
        guard keys.count - objectStart < RecordLimits.fieldCount else {
            throw limitError("more than \(RecordLimits.fieldCount) fields")
        }
        try checkName(addedBytes: record.text.count - start + 1)
        if isNested { path.append(UInt8(ascii: ".")) }
        let keyStart = path.count
        // No slice of the text may exist when the text changes, because the whole text would be copied.
        path.append(contentsOf: record.text[start...])
        record.text.removeLast(record.text.count - start)
        guard keys.insert(path[keyStart...], objectStart: objectStart) else {
            throw duplicate(path[keyStart...])
        }
    }

    /// Replaces invalid UTF-8 at the end of the record's text, so that keys that become equal are detected as
    /// duplicates.
    private mutating func repairText(from start: Int) {
        let invalid = record.text[start...].withUnsafeBufferPointer { bytes in
            bytes.baseAddress.flatMap { UTF8Validation.firstInvalid($0, count: bytes.count) }
        }
        guard invalid != nil else { return }
        let repaired = String(decoding: record.text[start...], as: UTF8.self)
        record.text.replaceSubrange(start..., with: repaired.utf8)
    }

    private mutating func readElements(depth: Int) throws(RecordError) {
        try checkDepth(depth)
        advance()
        let pathCount = path.count
        var index = 0
        var byte = try next()
        while byte != UInt8(ascii: "]") {
            if index > 0 {
                guard byte == UInt8(ascii: ",") else {
                    throw structureError("a comma or ] is missing", byte: byte)
                }
                advance()
                if try next() == UInt8(ascii: "]") { throw error(.trailingComma, at: position) }
            }
            let suffix = ".\(index)"
            try checkName(addedBytes: suffix.utf8.count)
            path.append(contentsOf: suffix.utf8)
            try readValue(depth: depth)
            path.removeLast(path.count - pathCount)
            index += 1
            byte = try next()
        }
        advance()
    }

    private func checkName(addedBytes: Int) throws(RecordError) {
        guard path.count + addedBytes > RecordLimits.nameSize else { return }
        throw limitError("a name of more than \(RecordLimits.nameSize) bytes")
    }

    private func checkDepth(_ depth: Int) throws(RecordError) {
        guard depth > RecordLimits.nesting, !Mutant.unlimitedNesting.isPlanted else { return }
        throw limitError("more than \(RecordLimits.nesting) levels of nesting")
    }
}
