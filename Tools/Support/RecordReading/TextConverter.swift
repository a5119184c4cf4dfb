import Foundation

/// A converter of text from UTF-8 to another encoding, by `iconv`.
public final class TextConverter {
    #if canImport(Glibc) || canImport(Musl)
    private let converter: iconv_t

    /// Creates a converter, or returns nil if the system has none.
    ///
    /// - Parameter encoding: The name of the encoding as `iconv` knows it.
    public init?(to encoding: String) {
        converter = iconv_open(encoding, "UTF-8")
        guard converter != iconv_t(bitPattern: -1) else { return nil }
    }

    deinit { if converter != iconv_t(bitPattern: -1) { iconv_close(converter) } }

    /// Returns the bytes of a text. A character that the encoding does not have becomes a question mark.
    ///
    /// - Complexity: O(*n*) in the bytes of the text.
    public func bytes(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var input = text.map { CChar(bitPattern: $0) }
        input.withUnsafeMutableBufferPointer { input in
            var next = input.baseAddress
            var remaining = input.count
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { buffer in
                while remaining > 0 {
                    var output = buffer.baseAddress
                    var space = buffer.count
                    let isDone = iconv(converter, &next, &remaining, &output, &space) != -1
                    let code = errno
                    result += buffer[..<(buffer.count - space)].map { UInt8(bitPattern: $0) }
                    guard !isDone, code != E2BIG else { continue }
                    repeat {
                        next = next.map { $0 + 1 }
                        remaining -= 1
                    } while remaining > 0 && next.map { UInt8(bitPattern: $0.pointee) & 0xC0 } == 0x80
                    result += bytes([UInt8(ascii: "?")])
                }
            }
        }
        return result
    }
    #else
    /// Returns nil, because the converter of this system is not linked.
    public init?(to encoding: String) { return nil }

    /// Returns the bytes of a text.
    public func bytes(_ text: [UInt8]) -> [UInt8] { text }
    #endif
}
