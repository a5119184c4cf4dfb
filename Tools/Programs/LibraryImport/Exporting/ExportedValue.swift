import Foundation
import SectionedFetch
import ToolSupport

/// The text of a stored value in a file of an exported store, from which exactly the same value is read.
///
/// A value has the same text as in other exports if it can be read back from that text: `1962`, `true`,
/// `2024-03-01T12:00:00Z`, Base64. Every other value has its exact form: a backslash, followed by JSON. The
/// absence of a value needs no word: it is an empty field in CSV, and `null` in JSON.
enum ExportedValue: Equatable {
    /// No value.
    case none
    /// A number or a Boolean value, which JSON contains without quotes.
    case literal(String)
    /// Another text.
    case text(String)
    /// Bytes or a text in a separate file.
    case file(isText: Bool, [UInt8])

    /// The kind of the values in a column.
    enum Kind: Equatable {
        case attribute(AttributeType)
        /// The key of an object, or a position.
        case number
    }

    /// The size above which a value is in a separate file, in bytes.
    static let largestText = 100_000

    /// Creates the text of a value.
    ///
    /// - Parameters:
    ///   - isCSV: Whether an empty text is no value.
    ///   - limit: The size above which the value is in a separate file, in bytes.
    init(_ value: StoredValue, _ kind: Kind, isCSV: Bool, limit: Int) {
        switch value {
        case .null:
            self = .none
            return
        case .text(let text) where text.utf8.count > limit:
            self = .file(isText: true, Array(text.utf8))
            return
        case .blob(let bytes) where bytes.count > limit:
            self = .file(isText: false, bytes)
            return
        default: break
        }
        guard let natural = Self.natural(value, kind) else {
            self = .text(Self.exact(value))
            return
        }
        switch natural {
        case .text(""): self = .text(isCSV ? #"\"""# : "")
        default: self = natural
        }
    }

    /// Returns the usual text of a value; nil if the value cannot be read back from it.
    private static func natural(_ value: StoredValue, _ kind: Kind) -> Self? {
        switch (kind, value) {
        case (.number, .integer(let number)): return .literal(String(number))
        case (.number, _): return nil
        case (.attribute(let type), _):
            switch (type, value) {
            case (.boolean, .integer(0)): return .literal("false")
            case (.boolean, .integer(1)): return .literal("true")
            case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
                (.integer64, .integer(let number)):
                return .literal(String(number))
            case (.double, .real(let number)):
                return number.isFinite ? .literal(String(number)) : .text(String(number))
            case (.float, .real(let number)):
                let float = Float(number)
                guard Double(float) == number else { return nil }
                return float.isFinite ? .literal(String(float)) : .text(String(float))
            case (.date, .real(let seconds)):
                guard let text = ISO8601Text.text(seconds), ISO8601Text.seconds(text) == seconds else {
                    return nil
                }
                return .text(text)
            case (.string, .text(let text)), (.uri, .text(let text)), (.decimal, .text(let text)):
                let isPlain = text.utf8.first != UInt8(ascii: "\\") && !text.utf8.contains(0)
                return isPlain ? .text(text) : nil
            case (.uuid, .blob(let bytes)) where bytes.count == 16:
                return UUID(storedValue: value).map { .text($0.uuidString) }
            case (.binaryData, .blob(let bytes)), (.transformable, .blob(let bytes)):
                return bytes.isEmpty ? nil : .text(Data(bytes).base64EncodedString())
            default: return nil
            }
        }
    }

    private static func exact(_ value: StoredValue) -> String {
        let member: JSONValue.Member =
            switch value {
            case .null: .init("integer", .null)
            case .integer(let number): .init("integer", .integer(number))
            case .real(let number): .init("real", .string(String(number)))
            case .text(let text): .init("text", .string(text))
            case .blob(let bytes): .init("bytes", .string(Data(bytes).base64EncodedString()))
            }
        return "\\" + JSONValue.object([member]).line
    }

    /// Returns the text that represents a value in a separate file.
    static func reference(toFileNamed name: String, isText: Bool) -> String {
        "\\" + JSONValue.object([.init(isText ? "textFile" : "bytesFile", .string(name))]).line
    }
}

extension ExportedValue {
    /// The exact form of a value.
    private struct Exact: Decodable {
        let integer: Int64?
        let real: String?
        let text: String?
        let bytes: String?
        let textFile: String?
        let bytesFile: String?
    }

    /// Reads a value from its text.
    ///
    /// - Parameters:
    ///   - text: The text of a field; nil for no value.
    ///   - isCSV: Whether an empty text is no value.
    ///   - file: Returns the contents of the file with a name; nil if it cannot be read.
    /// - Returns: The value; nil if the text has none of the kind.
    static func value(
        _ text: String?, _ kind: Kind, isCSV: Bool, file: (String) throws -> [UInt8]?
    ) rethrows -> StoredValue? {
        guard let text else { return .null }
        if isCSV, text.isEmpty { return .null }
        if text.utf8.first == UInt8(ascii: "\\") { return try exactValue(text, file: file) }
        guard case .attribute(let type) = kind else { return Int64(text).map(StoredValue.integer) }
        let value: StoredValue? =
            switch type {
            case .string, .uri, .decimal: .text(text)
            case .boolean: ["true": 1, "false": 0][text].map(StoredValue.integer)
            case .integer16, .integer32, .integer64: Int64(text).map(StoredValue.integer)
            case .double: Double(text).map(StoredValue.real)
            case .float: Float(text).map { .real(Double($0)) }
            case .date: ISO8601Text.seconds(text).map(StoredValue.real)
            case .uuid: UUID(uuidString: text)?.storedValue
            case .binaryData, .transformable: Data(base64Encoded: text).map { .blob(Array($0)) }
            }
        guard let value else { return nil }
        let normalized = type.normalized(value)
        return type.accepts(normalized) ? normalized : nil
    }

    private static func exactValue(
        _ text: String, file: (String) throws -> [UInt8]?
    ) rethrows -> StoredValue? {
        if text == #"\"""# { return .text("") }
        guard let exact = try? JSONDecoder().decode(Exact.self, from: Data(text.utf8.dropFirst())) else {
            return nil
        }
        if let number = exact.integer { return .integer(number) }
        if let text = exact.real { return Double(text).map(StoredValue.real) }
        if let text = exact.text { return .text(text) }
        if let text = exact.bytes { return Data(base64Encoded: text).map { .blob(Array($0)) } }
        if let name = exact.textFile {
            return try file(name).flatMap { String(validating: $0, as: UTF8.self) }.map(StoredValue.text)
        }
        if let name = exact.bytesFile { return try file(name).map(StoredValue.blob) }
        return nil
    }
}
