extension StoredValue {
    /// The bytes that identify the section of rows whose key has this value.
    package var sectionIdentity: [UInt8] { RawColumnValue.identity(of: self) }
}
