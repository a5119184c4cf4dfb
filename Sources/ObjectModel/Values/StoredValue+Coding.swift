extension StoredValue: Codable {
    private enum CodingKeys: String, CodingKey { case integer, real, text, blob }

    /// Reads a value from a single-keyed object, `{"integer": 1}`, or from a plain text, number, Boolean or
    /// null.
    ///
    /// - Parameter decoder: The decoder, usually of JSON.
    /// - Throws: `DecodingError` for any other form, and for a whole number outside the range of 64-bit
    ///   integers.
    public init(from decoder: any Decoder) throws {
        if let value = try Self(plain: decoder.singleValueContainer()) {
            self = value
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let value = try container.decodeIfPresent(Int64.self, forKey: .integer) {
            self = .integer(value)
        } else if let value = try container.decodeIfPresent(Double.self, forKey: .real) {
            self = .real(value)
        } else if let value = try container.decodeIfPresent(String.self, forKey: .text) {
            self = .text(value)
        } else {
            self = .blob(try container.decode([UInt8].self, forKey: .blob))
        }
    }

    /// Reads a plain value, whose JSON type determines its type; nil for an object.
    private init?(plain container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .integer(value ? 1 : 0)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            // A whole number outside Int64 would silently become another number.
            guard value.magnitude < 0x1p63 else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription:
                        "The number \(value) is outside the range of 64-bit integers. For a real number, write {\"real\": \(value)}."
                )
            }
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else {
            return nil
        }
    }

    /// Writes the value as a single-keyed object, `{"integer": 1}`, or null.
    ///
    /// - Parameter encoder: The encoder, usually of JSON.
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        if case .null = self {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
            return
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .null: break
        case .integer(let value): try container.encode(value, forKey: .integer)
        case .real(let value): try container.encode(value, forKey: .real)
        case .text(let value): try container.encode(value, forKey: .text)
        case .blob(let value): try container.encode(value, forKey: .blob)
        }
    }
}
