extension JSONRecordReader {
    /// Opens an array in memory, whose elements are the records. Arrays in elements are fields with their
    /// JSON text.
    ///
    /// - Parameter fieldNames: The names of the fields, or nil for those of the records that were read.
    /// - Throws: ``RecordError`` for a text that is not JSON.
    public convenience init(elementsOf array: [UInt8], fieldNames: [String]?) throws(RecordError) {
        try self.init(
            source: ByteSource(contents: array, path: "array"), replacesInvalidUTF8: false,
            fieldNames: fieldNames ?? [], numbersElements: false)
        if fieldNames == nil { takeOtherNames() }
    }
}
