import Crypto

/// A request as named parts of opaque bytes. Two requests are equal if the bytes of all parts are equal.
public struct CanonicalRequest: Hashable, Sendable {
    /// One aspect of a request: its entity, its predicate, its order, ….
    public struct Part: Hashable, Sendable {
        /// The name of the aspect, for reporting how two requests differ.
        public let name: String
        /// Bytes that are equal exactly if the aspect is equal.
        public let bytes: [UInt8]

        /// Creates a part.
        ///
        /// - Parameters:
        ///   - name: The name of the aspect.
        ///   - bytes: Bytes that are equal exactly if the aspect is equal.
        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// The parts, always in the same order.
    public let parts: [Part]
    /// A description of the request for display. It is not part of the request's identity.
    public let summary: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - parts: The parts, in the order that all requests of the caller have.
    ///   - summary: A description of the request for display, which is not part of its identity.
    public init(parts: [Part], summary: String = "") {
        self.parts = parts
        self.summary = summary
    }

    /// Returns whether the parts of two requests are equal; the summaries are not compared.
    ///
    /// - Parameters:
    ///   - first: A request.
    ///   - second: Another request.
    /// - Complexity: O(*n*) in the bytes of the parts.
    public static func == (first: Self, second: Self) -> Bool { first.parts == second.parts }

    /// Hashes the parts.
    ///
    /// - Parameter hasher: The hasher, which receives the parts but not the summary.
    /// - Complexity: O(*n*) in the bytes of the parts.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    /// The canonical bytes: for each part the length of its name (4 bytes), the name, the length of its bytes
    /// (4 bytes), and the bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        for part in parts {
            writer.appendCounted(Array(part.name.utf8))
            writer.appendCounted(part.bytes)
        }
        return writer.bytes
    }

    /// Decodes canonical bytes; returns nil if they are invalid.
    package init?(bytes: [UInt8], summary: String) {
        var reader = ByteReader(bytes)
        var parts: [Part] = []
        while !reader.isAtEnd {
            guard let name = reader.readCounted(), let bytes = reader.readCounted() else { return nil }
            parts.append(Part(name: String(decoding: name, as: UTF8.self), bytes: Array(bytes)))
        }
        self.init(parts: parts, summary: summary)
    }

    /// The stable digest of the request.
    ///
    /// - Complexity: O(*n*) in the bytes of the request.
    public var fingerprint: RequestFingerprint {
        RequestFingerprint(bytes: Array(SHA256.hash(data: CacheFormat.fingerprintPrefix + bytes)))
    }
}

/// A stable digest of a request's canonical bytes: SHA-256, the same in every process and on every machine.
public struct RequestFingerprint: Hashable, Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]
}

extension RequestFingerprint: CustomStringConvertible {
    /// 64 hexadecimal digits.
    public var description: String { bytes.hexadecimal }
    /// The first twelve digits, which suffice to distinguish entries in output.
    public var shortDescription: String { Array(bytes.prefix(6)).hexadecimal }
}

extension Collection<UInt8> {
    /// The bytes as hexadecimal digits, two for each.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
