import GRDBSQLite
import InternalUtilities
import ObjectModel

/// The values of a long list as one parameter, because SQLite accepts at most 32,766 parameters.
///
/// The parameter is a JSON array of texts. SQLite's numbers in JSON lose digits, and its texts end at NUL, so
/// each element is a letter for the storage class and the value in hexadecimal digits, unless it is a text
/// without characters that JSON escapes.
package enum ConstantList {
    /// The smallest number of values in a list that is passed as one parameter.
    static let minimumCount = 1_000

    /// Returns the SQL of a list in parentheses, given the parameter.
    ///
    /// SQLite converts the values of a query to the affinity of the column that they are compared with, which
    /// would round integers to REAL; between two numeric affinities it converts none.
    static func sql(_ parameter: String, ofNumbers areNumbers: Bool) -> String {
        let value = areNumbers ? "CAST(sf_constant(value) AS NUMERIC)" : "sf_constant(value)"
        return "(SELECT \(value) FROM json_each(\(parameter)))"
    }

    /// Returns the parameter's value.
    ///
    /// - Complexity: O(*n*) in the bytes of all values.
    static func parameter(_ values: [StoredValue]) -> StoredValue {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for value in values {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json.append(UInt8(ascii: "\""))
            switch value {
            case .null: json.append(UInt8(ascii: "n"))
            case .integer(let number): json += "i\(number)".utf8
            case .real(let number): append("r", String(number.bitPattern, radix: 16).utf8, to: &json)
            case .blob(let bytes): append("b", hexadecimal(bytes), to: &json)
            case .text(let text):
                if text.utf8.allSatisfy({ $0 >= 32 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
                {
                    append("t", text.utf8, to: &json)
                } else {
                    append("x", hexadecimal(Array(text.utf8)), to: &json)
                }
            }
            json.append(UInt8(ascii: "\""))
        }
        json.append(UInt8(ascii: "]"))
        return .text(String(decoding: json, as: UTF8.self))
    }

    private static func append(_ letter: Character, _ bytes: some Sequence<UInt8>, to json: inout [UInt8]) {
        json += String(letter).utf8
        json += bytes
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// Returns the value of an element; null for an element of another form.
    static func value(_ element: UnsafeRawBufferPointer) -> StoredValue {
        guard let letter = element.first else { return .null }
        let rest = element.dropFirst()
        switch letter {
        case UInt8(ascii: "i"):
            return Int64(String(decoding: rest, as: UTF8.self)).map(StoredValue.integer) ?? .null
        case UInt8(ascii: "r"):
            let bits = UInt64(String(decoding: rest, as: UTF8.self), radix: 16)
            return bits.map { .real(Double(bitPattern: $0)) } ?? .null
        case UInt8(ascii: "t"): return .text(String(decoding: rest, as: UTF8.self))
        case UInt8(ascii: "x"): return .text(String(decoding: decoded(rest), as: UTF8.self))
        case UInt8(ascii: "b"): return .blob(decoded(rest))
        default: return .null
        }
    }

    private static func decoded(_ digits: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            let number = digit < 97 ? digit &- 48 : digit &- 87
            if let first = high {
                bytes.append(first << 4 | number)
                high = nil
            } else {
                high = number
            }
        }
        return bytes
    }

    /// Registers the function that returns the value of an element.
    static func install(on connection: OpaquePointer?) {
        sqlite3_create_function_v2(
            connection, "sf_constant", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, arguments in
                guard let context, let arguments else { return }
                switch ConstantList.value(KeyFunctions.bytes(arguments[0])) {
                case .null: sqlite3_result_null(context)
                case .integer(let number): sqlite3_result_int64(context, number)
                case .real(let number): sqlite3_result_double(context, number)
                case .text(let text): KeyFunctions.setResult(text, context)
                case .blob(let bytes):
                    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                    bytes.withUnsafeBytes {
                        if let start = $0.baseAddress {
                            sqlite3_result_blob(context, start, Int32($0.count), copied)
                        } else {
                            sqlite3_result_zeroblob(context, 0)
                        }
                    }
                }
            }, nil, nil, nil)
    }
}
