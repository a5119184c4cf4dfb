import CZlib
package import ObjectStorage

/// The decompression of raw DEFLATE data, without the header of zlib, up to a limit.
package enum RawInflate {
    /// The largest result in bytes, equal to the limit for model files. The model of Apple's Photos has
    /// 300,000 bytes.
    package static let maximumByteCount = 16 << 20

    /// The largest number of bytes that one step adds to the result.
    private static let partByteCount = 64 << 10

    /// Returns the decompressed bytes.
    ///
    /// - Parameter limit: The largest number of bytes of the result.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` and the offset at which
    ///   the data are damaged, end too early, or exceed the limit; also for bytes after the end.
    /// - Complexity: O(*n*) in the bytes of the result.
    package static func bytes(
        of data: [UInt8], limit: Int = maximumByteCount
    ) throws(ObjectStorageError) -> [UInt8] {
        var stream = z_stream()
        // A negative number of bits means raw data: zlib.h, inflateInit2.
        guard
            inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw damage("zlib has no memory for decompressing", at: 0) }
        defer { inflateEnd(&stream) }
        var input = data
        var part = [UInt8](repeating: 0, count: partByteCount)
        var result: [UInt8] = []
        let outcome: Int32 = input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            while true {
                let status = part.withUnsafeMutableBufferPointer { part in
                    stream.next_out = part.baseAddress
                    stream.avail_out = UInt32(part.count)
                    return inflate(&stream, Z_NO_FLUSH)
                }
                result += part[..<(part.count - Int(stream.avail_out))]
                guard status == Z_OK, result.count <= limit else { return status }
                // All input is consumed, but the data are incomplete.
                if stream.avail_in == 0, stream.avail_out > 0 { return Z_BUF_ERROR }
            }
        }
        let offset = data.count - Int(stream.avail_in)
        guard result.count <= limit else {
            throw damage("it has more than \(limit) bytes when decompressed", at: offset)
        }
        switch outcome {
        case Z_STREAM_END:
            guard stream.avail_in == 0 else { throw damage("bytes follow its end", at: offset) }
            return result
        case Z_BUF_ERROR: throw damage("it ends too early", at: offset)
        case Z_MEM_ERROR: throw damage("zlib has no memory for decompressing", at: offset)
        default:
            let reason = stream.msg.map { String(cString: $0) } ?? "error \(outcome)"
            throw damage("it cannot be decompressed (\(reason))", at: offset)
        }
    }

    private static func damage(_ reason: String, at offset: Int) -> ObjectStorageError {
        ObjectStorageError(
            .invalidModel,
            "The model in the store is not intact: \(reason), at byte \(offset) of Z_MODELCACHE. Restore the store, or give the model as a .momd or .xcdatamodeld bundle."
        )
    }
}
