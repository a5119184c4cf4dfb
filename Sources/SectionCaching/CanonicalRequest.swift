import Crypto

/// A request as named parts of opaque bytes. Two requests are the same when the bytes of all parts are.
public struct CanonicalRequest: Hashable, Sendable {
    /// One aspect of a request: its entity, its predicate, its order, ….
    public struct Part: Hashable, Sendable {
        /// What the part is, for saying how two requests differ.
        public let name: String
        /// Bytes that are equal exactly when that aspect is.
        public let bytes: [UInt8]

        /// Makes a part.
        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// The parts, always in the same order.
    public let parts: [Part]
    /// The request in words, for people. Not part of what the request is.
    public let summary: String

    /// Makes a request.
    public init(parts: [Part], summary: String = "") {
        self.parts = parts
        self.summary = summary
    }

    /// Requests are equal when their parts are, whatever the words.
    public static func == (first: Self, second: Self) -> Bool { first.parts == second.parts }

    /// Hashes the parts.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    /// The canonical bytes: for each part its name's and its bytes' lengths (4 bytes each) and both.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        for part in parts {
            writer.appendCounted(Array(part.name.utf8))
            writer.appendCounted(part.bytes)
        }
        return writer.bytes
    }

    /// Reads canonical bytes; nil if they are not such.
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
    /// The first twelve digits, enough for people to tell entries apart.
    public var shortDescription: String { Array(bytes.prefix(6)).hexadecimal }
}

extension Collection<UInt8> {
    /// Two digits a byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
