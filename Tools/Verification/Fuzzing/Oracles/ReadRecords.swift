import RecordReading

/// Everything that a reader returned for a file.
struct ReadRecords: Equatable {
    enum Format { case csv, json }

    /// The field names, as bytes.
    private(set) var names: [[UInt8]] = []
    private(set) var records: [[[UInt8]?]] = []
    private(set) var errors: [RecordError] = []
    /// The detected delimiter, for CSV.
    private(set) var delimiter: UInt8?

    /// Reads to the end of the file, and continues after errors that are not fatal.
    init(_ path: String, replacing: Bool, as format: Format) {
        do throws(RecordError) {
            switch format {
            case .csv:
                let reader = try CSVReader(path: path, options: .init(replacesInvalidUTF8: replacing))
                delimiter = reader.delimiter
                read(reader)
            case .json: read(try JSONRecordReader(path: path, replacesInvalidUTF8: replacing))
            }
        } catch {
            errors.append(error)
        }
    }

    private mutating func read(_ reader: some RecordReader) {
        names = reader.fieldNames.map { Array($0.utf8) }
        while true {
            do throws(RecordError) {
                guard try reader.next() else { return }
                records.append(
                    names.indices.map { field in reader.withBytes(ofField: field) { $0.map { Array($0) } } })
            } catch {
                errors.append(error)
                if error.isFatal { return }
            }
        }
    }

    /// Whether a record was refused because it is not UTF-8.
    var hasInvalidText: Bool {
        errors.contains { if case .invalidUTF8 = $0.reason { true } else { false } }
    }

    /// Checks the rules for any file: the limits, and the locations of errors.
    func check(against input: [UInt8], isStrict: Bool) throws {
        let numberOfLines = 1 + input.count { $0 == 0x0A || $0 == 0x0D }
        for error in errors {
            guard (0...numberOfLines).contains(error.line), (1...input.count + 1).contains(error.column ?? 1)
            else { throw FuzzFinding("the location of the error is outside the file: \(error)") }
            switch error.reason {
            case .invalidUTF8(let offset):
                guard isStrict, input.indices.contains(offset), !BadText.beginsWithCharacter(input[offset...])
                else {
                    throw FuzzFinding("byte \(offset) begins valid UTF-8")
                }
            case .json(_, let offset):
                guard (0...input.count).contains(offset) else {
                    throw FuzzFinding("byte \(offset) is outside the file")
                }
            default: break
            }
        }
        guard names.count <= RecordLimits.fieldCount, Set(names).count == names.count else {
            throw FuzzFinding("\(names.count) names are too many, or two are equal")
        }
        for field in records.joined() {
            guard let field else { continue }
            guard field.count <= RecordLimits.fieldSize else {
                throw FuzzFinding("a field of \(field.count) bytes is accepted")
            }
            guard !field.contains(0) else { throw FuzzFinding("a NUL is accepted") }
            guard !isStrict || String(validating: field, as: UTF8.self) != nil else {
                throw FuzzFinding("a field that is not UTF-8 is accepted")
            }
        }
    }
}
