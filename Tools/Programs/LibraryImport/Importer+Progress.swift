import RecordReading

extension Importer {
    /// The part of a file that was read.
    struct Progress {
        /// The number of rows read so far.
        var rows: Int
        /// The offset in the file after those rows, in bytes.
        var byteOffset: Int
        /// The size of the file, in bytes.
        var byteCount: Int
    }
}

extension Importer.Progress {
    /// Creates the progress of a reader after a number of rows.
    init(_ rows: Int, of reader: any RecordReader) {
        self.init(rows: rows, byteOffset: reader.byteOffset, byteCount: reader.byteCount)
    }
}
