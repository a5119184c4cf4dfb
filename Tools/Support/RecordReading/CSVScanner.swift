/// Finds the fields of one CSV record in bytes that lie in memory.
///
/// Nothing is copied but quoted fields with doubled quotes: the fields are places in the bytes. It knows of
/// no file, so what it finds wrong has no line or name yet.
struct CSVScanner: ~Copyable {
    /// What a scan came to.
    enum Outcome {
        /// A record of so many bytes, line end included, that ends so many lines.
        case record(byteCount: Int, lines: Int)
        /// A record that ends, but is bad.
        case bad(Problem, byteCount: Int, lines: Int)
        /// The bytes end before the record does, and more are to come.
        case incomplete
        /// The bytes end inside quotes, and no more are to come. The problem is the first of the record,
        /// because what is wrong before may be why a quote is left over.
        case unclosed(Problem)
    }

    /// What is wrong with a record; columns from 1.
    enum Problem {
        case textAfterQuote(column: Int)
        case unclosedQuote(column: Int)
        case fieldSize(column: Int)
        case fieldCount
    }

    /// Where a field lies. 32 bits do, because a record has at most ``RecordLimits/recordSize`` bytes and a
    /// window of it not many more.
    struct Field {
        /// The bytes in the record, without the quotes around them.
        var start: Int32
        var end: Int32
        /// The bytes in `unescaped`, if quotes were doubled; else -1 and 0.
        var copyStart: Int32 = -1
        var copyCount: Int32 = 0
    }

    /// What the last scan found.
    struct State {
        /// The number of fields of the record.
        var fieldCount = 0
        /// The quoted fields that had doubled quotes, with single ones.
        var unescaped: [UInt8] = []
    }

    let delimiter: UInt8
    let fields: UnsafeMutablePointer<Field>
    /// Held outside the scanner, so that a class can have the scanner as a constant: the run-time check of
    /// exclusive access to a variable costs more than the scan of a short record.
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

    /// Takes back the last record, whose bytes are gone.
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
            field >= 0 && field < fieldCount, "there is no field \(field) in a record of \(fieldCount)")
        let place = fields[field]
        if place.copyStart < 0 {
            return body(
                UnsafeRawBufferPointer(start: record + Int(place.start), count: Int(place.end - place.start)))
        }
        let range = Int(place.copyStart)..<Int(place.copyStart + place.copyCount)
        return state.pointee.unescaped.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// The first byte of the record that no text has: its offset in the record and its column, from 1.
    ///
    /// - Parameter isUnwanted: Gives the position of the first such byte among those of a field.
    /// - Complexity: O(*n*) in the record's bytes.
    func firstPlace(
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
