import Foundation

/// The bytes of an input in another encoding, converted to UTF-8 by `iconv`.
final class ConvertedInput: ByteInput {
    private static let pieceSize = 64 << 10
    private let upstream: any ByteInput
    /// The bytes for a character that cannot be converted: U+FFFD, or a byte that is not UTF-8, so that the
    /// record with it is an error.
    private let replacement: [UInt8]
    /// The size of the unit that is skipped after an error, in bytes.
    private let unitSize: Int
    private let input: UnsafeMutablePointer<CChar>
    private var next: UnsafeMutablePointer<CChar>?
    private var remaining = 0
    private var isUpstreamAtEnd = false
    private var isFlushed = false

    var position: Int { upstream.position }

    #if canImport(Glibc) || canImport(Musl)
    private let converter: iconv_t

    /// Creates the converted bytes of an input.
    ///
    /// - Parameters:
    ///   - encoding: The name of the encoding as `iconv` knows it.
    ///   - replacesInvalid: Whether a character that cannot be converted becomes U+FFFD.
    ///   - name: The name of the file in errors.
    /// - Throws: ``RecordError`` if the system has no converter from the encoding.
    init(
        _ upstream: any ByteInput, from encoding: String, replacesInvalid: Bool, name: String
    ) throws(RecordError) {
        self.upstream = upstream
        replacement = replacesInvalid ? [0xEF, 0xBF, 0xBD] : [0xFF]
        let upper = encoding.uppercased()
        unitSize =
            if upper.contains("32") || upper.contains("UCS-4") || upper.contains("UCS4") {
                4
            } else if upper.contains("UTF-16") || upper.contains("UTF16") || upper.contains("UCS-2")
                || upper.contains("UCS2") || upper.contains("UNICODE")
            { 2 } else { 1 }
        converter = iconv_open("UTF-8", encoding)
        input = .allocate(capacity: Self.pieceSize)
        guard converter != iconv_t(bitPattern: -1), !encoding.contains("/"), !encoding.isEmpty else {
            throw RecordError(
                unreadable: name,
                "the system has no converter from “\(encoding)”; choose one that “iconv --list” shows, or convert the file to UTF-8"
            )
        }
    }

    deinit {
        if converter != iconv_t(bitPattern: -1) { iconv_close(converter) }
        input.deallocate()
    }

    func read(into buffer: UnsafeMutablePointer<UInt8>, capacity: Int) throws(RecordError) -> Int {
        let start = UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: CChar.self)
        var output: UnsafeMutablePointer<CChar>? = start
        var space = capacity
        // Room for one replacement and for what a conversion writes at its end.
        while space > 16, !isFlushed {
            if remaining == 0 || isShort, !isUpstreamAtEnd { try fill() }
            guard remaining > 0 else {
                guard isUpstreamAtEnd else { continue }
                _ = iconv(converter, nil, nil, &output, &space)
                isFlushed = true
                break
            }
            isShort = false
            guard iconv(converter, &next, &remaining, &output, &space) == -1 else { continue }
            switch errno {
            case E2BIG: return capacity - space
            case EINVAL where !isUpstreamAtEnd: isShort = true
            default:
                for byte in replacement {
                    output?.pointee = CChar(bitPattern: byte)
                    output = output.map { $0 + 1 }
                }
                space -= replacement.count
                let skipped = min(unitSize, remaining)
                next = next.map { $0 + skipped }
                remaining -= skipped
            }
        }
        return capacity - space
    }
    #else
    /// Throws, because the converter of this system is not linked.
    init(
        _ upstream: any ByteInput, from encoding: String, replacesInvalid: Bool, name: String
    ) throws(RecordError) {
        throw RecordError(unreadable: name, "the file is \(encoding); convert it to UTF-8")
    }

    func read(into buffer: UnsafeMutablePointer<UInt8>, capacity: Int) throws(RecordError) -> Int { 0 }
    #endif

    /// Whether the input ends in the middle of a character.
    private var isShort = false

    /// Reads more input after the rest of the last piece.
    private func fill() throws(RecordError) {
        if let next, remaining > 0 { input.update(from: next, count: remaining) }
        next = input
        let count = try upstream.read(
            into: UnsafeMutableRawPointer(input + remaining).assumingMemoryBound(to: UInt8.self),
            capacity: Self.pieceSize - remaining)
        remaining += count
        isUpstreamAtEnd = count == 0
    }
}
