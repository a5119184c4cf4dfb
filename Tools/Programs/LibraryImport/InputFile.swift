import Foundation
import RecordReading
import ToolSupport

/// Functions on the file that is imported.
enum InputFile {
    /// Returns whether a file can be read from its beginning again, as a pipe or a device cannot.
    static func canBeReadAgain(_ path: String) -> Bool {
        var status = stat()
        // If the path does not exist, opening it reports the error.
        return stat(path, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// Checks that a file can be read again, which is necessary if its columns and types are not given.
    ///
    /// - Throws: ``ToolFailure`` for a pipe or a device. Opening a pipe again would block forever or find it
    ///   empty.
    static func requireSeveralReadings(of path: String) throws(ToolFailure) {
        guard !canBeReadAgain(path) else { return }
        throw ToolFailure(
            "“\(path)” is a pipe or a device and can be read only once; an import without a mapping reads its file several times. Pass --mapping, or write the data to a file first."
        )
    }

    /// Opens a file for a mapping, whose columns may be fields that only late records of a JSON file have.
    ///
    /// If the mapping has a list of ignored columns and the file can be read only once, a record with a field
    /// outside the mapping is a bad record.
    ///
    /// - Throws: `RecordError` if the file cannot be read.
    static func open(
        _ path: String, options: CSVReader.Options, for mapping: Mapping
    ) throws(RecordError) -> any RecordReader {
        let reader = try openRecords(path: path, options: options)
        let missing = Set((mapping.columns + (mapping.ignored ?? [])).map(ExactText.init))
            .subtracting(reader.fieldNames.map(ExactText.init))
        // With a list of ignored columns, every unknown field must be found, so all records are scanned.
        let isSettled = missing.isEmpty && mapping.ignored == nil
        if reader is CSVReader || isSettled { return reader }
        guard canBeReadAgain(path) else {
            if mapping.ignored != nil, let reader = reader as? JSONRecordReader { reader.refuseOtherNames() }
            return reader
        }
        return try openRecords(
            path: path, options: options, fieldNames: allFieldNames(path: path, options: options))
    }
}
