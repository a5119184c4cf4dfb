/// A CSV parser after RFC 4180 that reads byte by byte from memory, and accepts any bytes.
enum PlainCSV {
    /// Returns the records, the header first, without empty lines.
    static func records(_ input: [UInt8], delimiter: UInt8) -> [[[UInt8]?]] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var rest = input.starts(with: mark) ? input.dropFirst(3) : input[...]
        var records: [[[UInt8]?]] = []
        while !rest.isEmpty {
            let isEmptyLine = rest.first == 0x0A || rest.first == 0x0D
            let record = record(&rest, delimiter: delimiter)
            // In a file of one column an empty line is a record, but not the header.
            if !isEmptyLine || records.first?.count == 1 { records.append(record) }
        }
        return records
    }

    private static func record(_ rest: inout ArraySlice<UInt8>, delimiter: UInt8) -> [[UInt8]?] {
        var fields: [[UInt8]] = []
        while true {
            fields.append(field(&rest, delimiter: delimiter))
            guard let end = rest.popFirst() else { return fields }
            if end == delimiter { continue }
            if end == 0x0D, rest.first == 0x0A { rest.removeFirst() }
            return fields
        }
    }

    private static func field(_ rest: inout ArraySlice<UInt8>, delimiter: UInt8) -> [UInt8] {
        var field: [UInt8] = []
        if rest.first == UInt8(ascii: "\"") {
            rest.removeFirst()
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") {
                    guard rest.first == UInt8(ascii: "\"") else { break }
                    rest.removeFirst()
                }
                field.append(byte)
            }
        }
        while let byte = rest.first, byte != delimiter, byte != 0x0A, byte != 0x0D {
            field.append(byte)
            rest.removeFirst()
        }
        return field
    }
}
