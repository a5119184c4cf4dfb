import Crypto
import Foundation

/// The SHA-256 of a file's bytes, decompressed and before they are converted from another encoding.
///
/// With ``RecordOptions/digest`` it is computed as the file is read.
// SAFETY: all mutable state is guarded by `lock`.
public final class ContentDigest: @unchecked Sendable {
    private let lock = NSLock()
    private var hash = SHA256()
    private var result: String?

    /// Creates a digest of a file that was not read yet.
    public init() {}

    /// The digest in hexadecimal digits, or nil if the file was not read to its end.
    public var text: String? { lock.withLock { result } }

    /// Returns the digest of a file.
    ///
    /// - Throws: ``RecordError`` if the file cannot be read.
    /// - Complexity: O(*n*) in the bytes.
    public static func text(path: String, options: RecordOptions) throws(RecordError) -> String? {
        var options = options
        let digest = ContentDigest()
        options.digest = digest
        options.encoding = nil
        let source = try ByteSource(path: path, options: options)
        repeat { source.consume(source.available) } while try source.fill()
        return digest.text
    }

    /// Begins again with the first byte.
    func begin() {
        lock.withLock {
            hash = SHA256()
            result = nil
        }
    }

    /// Adds bytes of the file, or ends the digest if there are none.
    func add(_ bytes: UnsafeRawBufferPointer) {
        lock.withLock {
            guard result == nil else { return }
            if bytes.isEmpty {
                result = hash.finalize().map { byte in
                    String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
                }.joined()
            } else {
                hash.update(bufferPointer: bytes)
            }
        }
    }
}

extension ContentDigest: Hashable {
    public static func == (first: ContentDigest, second: ContentDigest) -> Bool { first === second }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An input whose bytes are added to a digest as they are read.
final class DigestedInput: ByteInput {
    private let upstream: any ByteInput
    private let digest: ContentDigest

    var position: Int { upstream.position }

    init(_ upstream: any ByteInput, _ digest: ContentDigest) {
        self.upstream = upstream
        self.digest = digest
        digest.begin()
    }

    func read(into buffer: UnsafeMutablePointer<UInt8>, capacity: Int) throws(RecordError) -> Int {
        let count = try upstream.read(into: buffer, capacity: capacity)
        digest.add(UnsafeRawBufferPointer(start: buffer, count: count))
        return count
    }
}
