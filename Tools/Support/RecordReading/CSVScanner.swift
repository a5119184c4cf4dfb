/// A scanner that finds the fields of a CSV record in memory.
///
/// Fields are ranges of the bytes. Only quoted fields with doubled quotes are copied. The scanner does not
/// know the file, so its problems have no line or column name.
struct CSVScanner: ~Copyable {
    /// The result of a scan.
    enum Outcome {
        /// A record with its number of bytes, including the line end, and its number of line ends.
        case record(byteCount: Int, lines: Int)
        /// A bad record whose end was found.
        case bad(Problem, byteCount: Int, lines: Int)
        /// The bytes end before the record, and the file has more.
        case incomplete
        /// The bytes end inside quotes, and the file has no more. The problem is the first of the record,
        /// because an earlier problem may be the cause of an unpaired quote.
        case unclosed(Problem)
    }

    /// A problem of a record. Columns are numbered from 1.
    enum Problem {
        case textAfterQuote(column: Int)
        case unclosedQuote(column: Int)
        case fieldSize(column: Int)
        case fieldCount
    }

    /// The range of a field. 32 bits suffice, because a record has at most ``RecordLimits/recordSize`` bytes
    /// and the window is not much larger.
    struct Field {
        /// The start of the field in the record, after an opening quote.
        var start: Int32
        /// The end of the field in the record, before a closing quote.
        var end: Int32
        /// The start of the field in `unescaped` if it has doubled quotes, or else -1.
        var copyStart: Int32 = -1
        /// The number of bytes of the field in `unescaped`.
        var copyCount: Int32 = 0
    }

    /// The result of the last scan.
    struct State {
        /// The number of fields of the record.
        var fieldCount = 0
        /// The unescaped bytes of quoted fields with doubled quotes.
        var unescaped: [UInt8] = []
    }

    let delimiter: UInt8
    let fields: UnsafeMutablePointer<Field>
    /// The mutable state, allocated outside the scanner so that a class can have the scanner as a constant:
    /// the run-time check of exclusive access to a variable costs more than the scan of a short record.
    let state: UnsafeMutablePointer<State>

    init(delimiter: UInt8) {
        self.delimiter = delimiter
        fields = .allocate(capacity: RecordLimits.fieldCount)
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        fields.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// The number of fields of the record.
    var fieldCount: Int { state.pointee.fieldCount }

    /// Discards the last record, whose bytes are no longer valid.
    func forget() { state.pointee.fieldCount = 0 }

    /// Lends the bytes of a field.
    ///
    /// - Parameters:
    ///   - field: A position below `fieldCount`.
    ///   - record: The bytes that were scanned, unchanged.
    func withBytes<Result>(
        ofField field: Int, in record: UnsafePointer<UInt8>, _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        precondition(
            field >= 0 && field < fieldCount, "field \(field) is not in a record of \(fieldCount) fields")
        let field = fields[field]
        if field.copyStart < 0 {
            return body(
                UnsafeRawBufferPointer(start: record + Int(field.start), count: Int(field.end - field.start)))
        }
        let range = Int(field.copyStart)..<Int(field.copyStart + field.copyCount)
        return state.pointee.unescaped.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Returns the offset in the record and the column, from 1, of the first byte that is not valid in a
    /// text, or nil if all bytes are valid.
    ///
    /// - Parameter isUnwanted: Returns the position of the first such byte in the bytes of a field.
    /// - Complexity: O(*n*) in the record's bytes.
    func firstPosition(
        in record: UnsafePointer<UInt8>, where isUnwanted: (UnsafePointer<UInt8>, Int) -> Int?
    ) -> (offset: Int, column: Int)? {
        for field in 0..<fieldCount {
            let start = Int(fields[field].start)
            if let position = isUnwanted(record + start, Int(fields[field].end) - start) {
                return (start + position, field + 1)
            }
        }
        return nil
    }
}
