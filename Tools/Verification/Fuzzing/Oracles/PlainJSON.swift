import Foundation
import RecordReading

/// A JSON oracle: Foundation's parser, whose result is flattened here.
enum PlainJSON {
    /// Compares records that were read without an error with the result of Foundation.
    static func check(_ read: ReadRecords, _ input: [UInt8]) throws {
        guard depth(of: input) <= RecordLimits.nesting + 1 else {
            throw FuzzFinding("\(depth(of: input)) levels of nesting are accepted")
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = input.starts(with: mark) ? Array(input.dropFirst(3)) : input
        // Foundation removes a byte order mark at the beginning of any text.
        guard !contains(mark, in: bytes) else { return }
        // Foundation refuses numbers that it cannot represent, and reads only a single array.
        guard let objects = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]] else {
            return
        }
        // Of two keys that are canonically equivalent, Foundation keeps one.
        guard Set(read.names.map { String(decoding: $0, as: UTF8.self) }).count == read.names.count else {
            return
        }
        guard objects.count == read.records.count else {
            throw FuzzFinding("\(read.records.count) records are read instead of \(objects.count)")
        }
        for (object, record) in zip(objects, read.records) {
            var expected: [[UInt8]: [UInt8]?] = [:]
            flatten(object, path: nil, to: &expected)
            for (name, value) in zip(read.names, record) {
                let text = expected.removeValue(forKey: name)
                switch (text, value) {
                case (.some(.some(let text)), .some(let value)) where text == value: break
                // The reader keeps a number as it is written in the file.
                case (.some(.some(let text)), .some(let value)) where isSameNumber(text, value): break
                case (nil, nil), (.some(nil), nil): break
                default:
                    throw FuzzFinding(
                        "“\(String(decoding: name, as: UTF8.self))” is read as another value than Foundation's"
                    )
                }
            }
            guard expected.isEmpty else { throw FuzzFinding("a value is missing") }
        }
    }

    private static func contains(_ mark: [UInt8], in bytes: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: mark) }
    }

    /// Returns the greatest depth of nested objects and arrays.
    private static func depth(of input: [UInt8]) -> Int {
        var (depth, greatest, isText, isEscaped) = (0, 0, false, false)
        for byte in input {
            if isText {
                if !isEscaped, byte == UInt8(ascii: "\"") { isText = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                greatest = max(greatest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return greatest
    }

    private static func flatten(_ value: Any, path: String?, to fields: inout [[UInt8]: [UInt8]?]) {
        let name = path ?? ""
        switch value {
        case let object as [String: Any]:
            for (key, value) in object {
                flatten(value, path: path.map { $0 + "." + key } ?? key, to: &fields)
            }
        case let array as [Any]:
            for (position, value) in array.enumerated() {
                flatten(value, path: name + ".\(position)", to: &fields)
            }
        case let text as String: fields.updateValue(Array(text.utf8), forKey: Array(name.utf8))
        case is NSNull: fields.updateValue(nil, forKey: Array(name.utf8))
        case let number as NSNumber:
            // Foundation represents a truth value as a number.
            fields.updateValue(Array("\(number)".utf8), forKey: Array(name.utf8))
        default: break
        }
    }

    private static func isSameNumber(_ found: [UInt8], _ read: [UInt8]) -> Bool {
        let read = String(decoding: read, as: UTF8.self)
        let found = String(decoding: found, as: UTF8.self)
        if ["true", "false"].contains(read) { return [read, read == "true" ? "1" : "0"].contains(found) }
        guard let first = Double(found), let second = Double(read) else { return false }
        return first == second || abs(first - second) <= abs(second) * 1e-9
    }
}
