import GRDBSQLite

extension StoredValue {
    /// The bytes that identify the section of rows whose key has this value.
    package var sectionIdentity: [UInt8] { RawColumnValue.identity(of: self) }

    /// Creates the key of the section with an identity. Bytes of a text that are not valid UTF-8 are
    /// replaced.
    ///
    /// - Returns: Nil for the section of results without a section key.
    package init?(sectionIdentity identity: [UInt8]) {
        guard let storageClass = identity.first.map(Int32.init) else { return nil }
        let bytes = identity.dropFirst()
        switch storageClass {
        case SQLITE_INTEGER, SQLITE_FLOAT:
            guard bytes.count == 8 else { return nil }
            let number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self =
                storageClass == SQLITE_INTEGER
                ? .integer(Int64(bitPattern: number)) : .real(Double(bitPattern: number))
        case SQLITE_TEXT: self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB: self = .blob(Array(bytes))
        default: self = .null
        }
    }
}
