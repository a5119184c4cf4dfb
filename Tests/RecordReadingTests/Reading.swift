import RecordReading

/// All records and errors of a reader.
struct Reading {
    var fieldNames: [String] = []
    var records: [[String?]] = []
    /// The lines on which the records begin.
    var lines: [Int] = []
    var errors: [RecordError] = []

    /// The reasons of the errors.
    var reasons: [RecordError.Reason] { errors.map(\.reason) }

    /// Reads to the end, and continues after errors that are not fatal.
    init(_ reader: any RecordReader) {
        fieldNames = reader.fieldNames
        while true {
            do throws(RecordError) {
                guard try reader.next() else { return }
                records.append(fieldNames.indices.map { reader.text(ofField: $0) })
                lines.append(reader.line)
            } catch {
                errors.append(error)
                if error.isFatal { return }
            }
        }
    }

    /// Reads CSV.
    init(csv bytes: some Sequence<UInt8>, options: CSVReader.Options = .init()) throws {
        let file = try TemporaryFile(bytes)
        self.init(try CSVReader(path: file.path, options: options))
    }

    /// Reads CSV.
    init(csv text: String, options: CSVReader.Options = .init()) throws {
        try self.init(csv: text.utf8, options: options)
    }

    /// Reads JSON.
    init(json bytes: some Sequence<UInt8>, replacesInvalidUTF8: Bool = false) throws {
        let file = try TemporaryFile(bytes)
        self.init(try JSONRecordReader(path: file.path, replacesInvalidUTF8: replacesInvalidUTF8))
    }

    /// Reads JSON.
    init(json text: String) throws { try self.init(json: text.utf8) }

    /// Returns the values of a field in all records.
    func values(_ name: String) -> [String?] {
        guard let position = fieldNames.firstIndex(of: name) else { return [] }
        return records.map { $0[position] }
    }
}

/// Returns the error of opening a file, or nil if it can be opened.
func openingError(csv bytes: some Sequence<UInt8>, options: CSVReader.Options = .init()) throws
    -> RecordError?
{
    let file = try TemporaryFile(bytes)
    do throws(RecordError) {
        _ = try CSVReader(path: file.path, options: options)
        return nil
    } catch {
        return error
    }
}
