import CheckSupport
import Foundation
import RecordReading
import Testing

/// All records of a file that name their fields, in the order of the file.
struct NamedReading {
    /// The fields that each good record has.
    var records: [[String: String]] = []
    var lines: [Int] = []
    var errors: [RecordError] = []
    /// The note about repaired text.
    var note: String?
    /// The texts of bad records.
    var texts: [String] = []
    /// The kinds of the values of the last record.
    var kinds: [String: FieldKind] = [:]

    init(path: String, options: RecordOptions = RecordOptions()) throws {
        let names = try allFieldNames(path: path, options: options)
        let reader = try openRecords(path: path, options: options, fieldNames: names)
        #expect(reader is NamedRecordReader)
        while true {
            do throws(RecordError) {
                guard try reader.next() else { break }
                var record: [String: String] = [:]
                for (position, name) in names.enumerated() where reader.hasField(position) {
                    record[name] = reader.text(ofField: position)
                    kinds[name] = reader.kind(ofField: position)
                }
                records.append(record)
                lines.append(reader.line)
            } catch {
                errors.append(error)
                reader.lendRecord { bytes in
                    if let bytes { texts.append(String(decoding: bytes, as: UTF8.self)) }
                }
                if error.isFatal { break }
            }
        }
        note = (reader as? NamedRecordReader)?.note
    }

    init(_ text: some Sequence<UInt8>, options: RecordOptions = RecordOptions()) throws {
        let file = try TemporaryFile(text)
        try self.init(path: file.path, options: options)
    }

    init(_ text: String, options: RecordOptions = RecordOptions()) throws {
        try self.init(text.utf8, options: options)
    }
}

/// Records as a Python program prints them: a line of JSON with a list of objects for each text.
enum PythonRecords {
    static func of(_ program: String, on inputs: [[UInt8]]) throws -> [[[String: String]]] {
        try Python.run(program, on: inputs).map { line in
            try JSONDecoder().decode([[String: String]].self, from: Data(line.utf8))
        }
    }
}
