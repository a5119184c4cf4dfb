extension CacheFormat {
    /// Returns the key of a directory: fingerprint (32), store identity (16), kind (1).
    static func directoryKey(_ fingerprint: RequestFingerprint, store: [UInt8]) -> [UInt8] {
        fingerprint.bytes + store + [Kind.directory.rawValue]
    }

    /// Returns the key of a chunk: fingerprint (32), store identity (16), kind (1), number (4, big-endian, so
    /// that keys sort by it).
    static func chunkKey(_ fingerprint: RequestFingerprint, store: [UInt8], number: UInt32) -> [UInt8] {
        fingerprint.bytes + store + [Kind.chunk.rawValue]
            + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
