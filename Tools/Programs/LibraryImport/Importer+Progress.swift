import RecordReading

extension Importer {
    /// How far a file was read.
    struct Progress {
        /// The rows so far.
        var rows: Int
        /// The offset in the file behind them.
        var byteOffset: Int
        /// The size of the file.
        var byteCount: Int
    }
}

extension Importer.Progress {
    /// How far a reader came with so many rows.
    init(_ rows: Int, of reader: any RecordReader) {
        self.init(rows: rows, byteOffset: reader.byteOffset, byteCount: reader.byteCount)
    }
}
