import CZlib

/// The decompressed bytes of a gzip file, or of raw DEFLATE data.
final class InflatedInput: ByteInput {
    /// The format of the compressed bytes.
    enum Format {
        /// One or several gzip members, one after the other.
        case gzip
        /// The data of a member of a zip archive.
        case raw
    }

    private static let pieceSize = 64 << 10
    private let name: String
    private let upstream: any ByteInput
    private let format: Format
    /// The state of zlib, which refers to its own address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutablePointer<UInt8>
    private var isUpstreamAtEnd = false
    private var isAtEnd = false
    /// Whether a gzip member ended and nothing of the next one was read.
    private var isBetweenMembers = false

    /// Creates the decompressed bytes of an input.
    ///
    /// - Parameter name: The name of the file in errors.
    init(_ upstream: any ByteInput, format: Format, name: String) throws(RecordError) {
        self.upstream = upstream
        self.format = format
        self.name = name
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        input = .allocate(capacity: Self.pieceSize)
        // 16 means the header of gzip, a negative number raw data: zlib.h, inflateInit2.
        let bits: Int32 = format == .gzip ? 16 + 15 : -15
        guard inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw RecordError(unreadable: name, "zlib has no memory for decompressing")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        input.deallocate()
    }

    var position: Int { upstream.position }

    func read(into buffer: UnsafeMutablePointer<UInt8>, capacity: Int) throws(RecordError) -> Int {
        stream.pointee.next_out = buffer
        stream.pointee.avail_out = UInt32(clamping: capacity)
        let available = Int(stream.pointee.avail_out)
        while !isAtEnd, stream.pointee.avail_out > 0 {
            if stream.pointee.avail_in == 0, !isUpstreamAtEnd {
                let count = try upstream.read(into: input, capacity: Self.pieceSize)
                stream.pointee.next_in = input
                stream.pointee.avail_in = UInt32(count)
                isUpstreamAtEnd = count == 0
            }
            if isBetweenMembers, try beginMember() { continue }
            guard !isAtEnd else { break }
            let status = inflate(stream, Z_NO_FLUSH)
            switch status {
            case Z_OK: continue
            case Z_STREAM_END where format == .gzip: isBetweenMembers = true
            case Z_STREAM_END: isAtEnd = true
            case Z_BUF_ERROR where !isUpstreamAtEnd: continue
            case Z_BUF_ERROR: throw RecordError(unreadable: name, "the compressed data ends too early")
            case Z_MEM_ERROR: throw RecordError(unreadable: name, "zlib has no memory for decompressing")
            default:
                let detail = stream.pointee.msg.map { String(cString: $0) } ?? "error \(status)"
                throw RecordError(unreadable: name, "the compressed data is damaged (\(detail))")
            }
        }
        return available - Int(stream.pointee.avail_out)
    }

    /// Begins the next gzip member, and returns whether more input is needed for that. Zeros, with which
    /// tapes and archives fill their blocks, are skipped.
    private func beginMember() throws(RecordError) -> Bool {
        while stream.pointee.avail_in > 0, stream.pointee.next_in.pointee == 0 {
            stream.pointee.next_in += 1
            stream.pointee.avail_in -= 1
        }
        guard stream.pointee.avail_in > 0 else {
            isAtEnd = isUpstreamAtEnd
            return !isAtEnd
        }
        guard stream.pointee.next_in.pointee == 0x1F, inflateReset(stream) == Z_OK else {
            throw RecordError(unreadable: name, "other bytes follow the end of the compressed data")
        }
        isBetweenMembers = false
        return false
    }
}
