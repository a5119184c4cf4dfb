import Foundation
import InternalUtilities
import RecordReading
import SectionedFetch
import ToolSupport

extension Mapping {
    /// The largest number of fields of a mapping file: a data file may have as many columns as a record has
    /// fields, and each may become an attribute with five members.
    private static let maximumFieldCount = 8 * RecordLimits.fieldCount

    /// Reads a mapping file and refuses unknown members.
    static func read(path: String) throws -> Mapping {
        var data: Data
        do {
            // Read once, from beginning to end, because it may be a pipe.
            data = try FileHandle(forReadingFrom: PathArgument.url(path)).readToEnd() ?? Data()
        } catch {
            throw ToolFailure("The mapping “\(path)” cannot be read. Check the path.")
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if data.starts(with: mark) { data = Data(data.dropFirst(mark.count)) }
        try requireOneObject(data, path: path)
        do {
            try refuseUnknownKeys(in: try JSONSerialization.jsonObject(with: data), path: path)
            return try JSONDecoder().decode(Mapping.self, from: data)
        } catch let error as ToolFailure {
            throw error
        } catch {
            throw ToolFailure(
                "The mapping “\(path)” is invalid: \(describe(error)). See library-import propose.")
        }
    }

    /// Checks that the file is one JSON object without duplicate member names, of which Foundation's decoder
    /// would take the last.
    private static func requireOneObject(_ data: Data, path: String) throws {
        let refusal = ToolFailure("The mapping “\(path)” is not one JSON object. See library-import propose.")
        guard data.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") else {
            throw refusal
        }
        do {
            let reader = try JSONRecordReader(
                bytes: Array(data), name: path, maximumFieldCount: maximumFieldCount)
            guard try reader.next(), try !reader.next() else { throw refusal }
        } catch let error as RecordError {
            throw ToolFailure("The mapping “\(path)” cannot be read. \(error)")
        }
    }

    private static func refuseUnknownKeys(in object: Any, path: String) throws {
        let known: [String: [String]] = [
            "": CodingKeys.allCases.map(\.rawValue),
            "attributes": Attribute.CodingKeys.allCases.map(\.rawValue),
            "relationships": Relationship.CodingKeys.allCases.map(\.rawValue),
            "arrays": ArrayColumn.CodingKeys.allCases.map(\.rawValue),
            "form": TextForm.CodingKeys.allCases.map(\.rawValue),
        ]
        func check(_ keys: some Collection<String>, _ part: String) throws {
            let names = known[part] ?? []
            for key in keys.sorted() where !names.contains(key) {
                throw ToolFailure(
                    "The mapping “\(path)” has an unknown key “\(key)”\(part.isEmpty ? "" : " in \(part)"). "
                        + NearestName.suggestion(for: key, among: names))
            }
        }
        func checkParts(of object: [String: Any]) throws {
            for part in ["attributes", "relationships", "arrays"] {
                for entry in object[part] as? [[String: Any]] ?? [] {
                    try check(entry.keys, part)
                    if let form = entry["form"] as? [String: Any] { try check(form.keys, "form") }
                    if part == "arrays" { try checkParts(of: entry) }
                }
            }
        }
        let top = object as? [String: Any] ?? [:]
        try check(top.keys, "")
        try checkParts(of: top)
    }

    private static func describe(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "“\(key.stringValue)” is missing in \(location(context))"
        case DecodingError.typeMismatch(let type, let context),
            DecodingError.valueNotFound(let type, let context):
            "expected \(words(type)) in \(location(context))"
        case DecodingError.dataCorrupted(let context): "\(context.debugDescription) (\(location(context)))"
        default: "it is not JSON"
        }
    }

    /// Returns the JSON name of a type that occurs in a mapping.
    private static func words(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is [String: Any].Type: "an object { … }"
        case is [Any].Type: "a list [ … ]"
        default: "another value"
        }
    }

    private static func location(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty
            ? "the mapping"
            : context.codingPath.map { $0.intValue.map { "entry \($0 + 1)" } ?? $0.stringValue }.joined(
                separator: ", ")
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entity = try container.decode(String.self, forKey: .entity)
        key = try container.decodeIfPresent(String.self, forKey: .key)
        attributes = try container.decode([Attribute].self, forKey: .attributes)
        relationships = try container.decodeIfPresent([Relationship].self, forKey: .relationships) ?? []
        arrays = try container.decodeIfPresent([ArrayColumn].self, forKey: .arrays)
        ignored = try container.decodeIfPresent([String].self, forKey: .ignored)
    }
}

extension Mapping.Attribute {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        column = try container.decodeIfPresent(String.self, forKey: .column) ?? name
        let typeName = try container.decode(String.self, forKey: .type)
        guard let type = AttributeType(rawValue: typeName) else {
            let names = AttributeType.allCases.map(\.rawValue)
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: container,
                debugDescription:
                    "unknown type “\(typeName)”. \(NearestName.suggestion(for: typeName, among: names))")
        }
        self.type = type
        isOptional = try container.decodeIfPresent(Bool.self, forKey: .isOptional) ?? true
        isIndexed = try container.decodeIfPresent(Bool.self, forKey: .isIndexed) ?? false
        form = try container.decodeIfPresent(TextForm.self, forKey: .form)
    }
}

extension Mapping.ArrayColumn {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        column = try container.decodeIfPresent(String.self, forKey: .column) ?? name
        entity = try container.decode(String.self, forKey: .entity)
        inverse = try container.decode(String.self, forKey: .inverse)
        position = try container.decodeIfPresent(String.self, forKey: .position) ?? "position"
        let kind = try container.decodeIfPresent(String.self, forKey: .elements) ?? "objects"
        guard let elements = Elements(rawValue: kind) else {
            throw DecodingError.dataCorruptedError(
                forKey: .elements, in: container,
                debugDescription: "“\(kind)” is not a kind of elements. Write objects or values")
        }
        self.elements = elements
        attributes = try container.decode([Mapping.Attribute].self, forKey: .attributes)
        arrays = try container.decodeIfPresent([Mapping.ArrayColumn].self, forKey: .arrays)
        guard elements == .objects || attributes.count == 1 && nested.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .attributes, in: container,
                debugDescription: "elements that are values have one attribute, and no arrays")
        }
    }
}

extension Mapping.Relationship {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        column = try container.decodeIfPresent(String.self, forKey: .column) ?? name
        entity = try container.decode(String.self, forKey: .entity)
        attribute = try container.decodeIfPresent(String.self, forKey: .attribute) ?? "name"
        inverse =
            try container.decodeIfPresent(String.self, forKey: .inverse)
            ?? Mapping.inverseName(of: name)
        form = try container.decodeIfPresent(TextForm.self, forKey: .form)
    }
}
