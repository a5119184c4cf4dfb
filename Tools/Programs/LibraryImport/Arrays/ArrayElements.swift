import RecordReading

/// The elements of a JSON array that a field holds as text.
enum ArrayElements {
    /// The name of the only field of an element that is a value.
    static let valueName = "value"

    /// The kind of the elements of an array.
    enum Kind {
        case none, objects, values, mixed
    }

    /// Returns the ranges of the elements in the text of an array without white space between its values, as
    /// a reader of records lends it; nil for another text.
    static func ranges(in text: UnsafeRawBufferPointer) -> [Range<Int>]? {
        guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") else { return nil }
        guard text.count > 2 else { return [] }
        var ranges: [Range<Int>] = []
        var (depth, start, isText, isEscaped) = (0, 1, false, false)
        for position in 1..<text.count - 1 {
            let byte = text[position]
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                ranges.append(start..<position)
                start = position + 1
            default: break
            }
        }
        return ranges + [start..<text.count - 1]
    }

    /// Returns the kind of the elements.
    static func kind(of ranges: [Range<Int>], in text: UnsafeRawBufferPointer) -> Kind {
        var kind = Kind.none
        for range in ranges {
            let one: Kind =
                switch text[range.lowerBound] {
                case UInt8(ascii: "{"): .objects
                case UInt8(ascii: "["): .mixed
                default: .values
                }
            if kind != .none, kind != one { return .mixed }
            kind = one
        }
        return kind
    }

    /// Returns a reader of the elements as records, in the order of the array.
    ///
    /// - Parameters:
    ///   - text: The text of the array. Each element that is a value becomes a record with a field.
    ///   - fieldNames: The names of the fields, or nil for those of the records that were read.
    static func reader(
        _ text: UnsafeRawBufferPointer, _ kind: Kind, fieldNames: [String]? = nil
    ) throws(RecordError) -> JSONRecordReader {
        var bytes: [UInt8]
        if kind == .values {
            bytes = [UInt8(ascii: "[")]
            for range in ranges(in: text) ?? [] {
                if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
                bytes += Array("{\"\(valueName)\":".utf8)
                bytes += UnsafeRawBufferPointer(rebasing: text[range])
                bytes.append(UInt8(ascii: "}"))
            }
            bytes.append(UInt8(ascii: "]"))
        } else {
            bytes = Array(text)
        }
        return try JSONRecordReader(elementsOf: bytes, fieldNames: fieldNames)
    }
}
