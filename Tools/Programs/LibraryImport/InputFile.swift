import Foundation
import RecordReading
import ToolSupport

/// The file that rows come from.
enum InputFile {
    /// Whether the file can be read from its beginning again: not a pipe or a device.
    static func canBeReadAgain(_ path: String) -> Bool {
        var status = stat()
        // Whoever opens what is not there says so.
        return stat(path, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// Checks that the file can be read again, as it must be where its columns and types are not given.
    ///
    /// - Throws: ``ToolFailure``, where a second opening of a pipe would wait for ever or find it empty.
    static func requireSeveralReadings(of path: String) throws(ToolFailure) {
        guard !canBeReadAgain(path) else { return }
        throw ToolFailure(
            "“\(path)” is a pipe or a device, which can be read only once, and without a mapping it is read several times. Give a --mapping, or write the data to a file first."
        )
    }

    /// Opens the file for a mapping, whose columns may be fields that only late records of a JSON file have.
    ///
    /// Where a mapping lists what it ignores and the file can be read only once, records with fields beside
    /// are bad ones.
    ///
    /// - Throws: `RecordError` if it cannot be read.
    static func open(
        _ path: String, options: CSVReader.Options, for mapping: Mapping
    ) throws(RecordError) -> any RecordReader {
        let reader = try openRecords(path: path, options: options)
        let missing = Set((mapping.columns + (mapping.ignored ?? [])).map(ExactText.init))
            .subtracting(reader.fieldNames.map(ExactText.init))
        // A mapping that lists what it ignores wants to hear of every other field.
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
