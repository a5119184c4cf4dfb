import Foundation
import RecordReading
import SectionedFetch
import ToolSupport

/// Functions on the file that is imported.
enum InputFile {
    /// The path that represents standard input.
    static let standardInput = "-"

    /// Returns the name of a file in messages.
    static func name(of path: String) -> String { path == standardInput ? "standard input" : path }

    /// Returns whether the records can be read several times: from a file, or from the copy of a pipe.
    static func canBeReadAgain(_ path: String, options: RecordOptions) -> Bool {
        options.copy != nil || RecordReading.canBeReadAgain(path)
    }

    /// Examines a file and returns the options for reading it, with its encoding and a copy of a pipe.
    ///
    /// - Parameters:
    ///   - readsOnce: Whether the columns and types are given, so that a pipe is read once and not copied.
    ///   - arrays: The treatment of arrays; nil for the default, which a note names.
    ///   - note: Called with each note for the user.
    /// - Throws: `RecordError` if the file cannot be read or copied.
    static func options(
        _ reading: ReadingOptions, for path: String, readsOnce: Bool, arrays: ArrayTreatment? = nil,
        note: (String) -> Void
    ) throws(RecordError) -> RecordOptions {
        var options = reading.options
        if !RecordReading.canBeReadAgain(path) {
            if readsOnce { return options }
            options.copy = try InputCopy(path: path, maximumSize: options.maximumFileSize)
        }
        if options.encoding == nil, !options.replacesInvalidUTF8 {
            let detection = try EncodingDetection(path: path, options: options)
            options.encoding = detection.name
            if let text = detection.note { note(text) }
        }
        // The caller reports the error of a file that cannot be opened.
        let reader = try? openRecords(path: path, options: options)
        if let text = reader.flatMap({ reading.unusedNote(for: $0, of: name(of: path)) }) { note(text) }
        if let text = reading.delimiterNote(for: path, options: options) { note(text) }
        if let value = (reader as? CSVReader)?.valueInHeader {
            note(
                "The header has the column “\(value)”, which looks like a value. If the file has no header, pass --no-header."
            )
        }
        if !readsOnce, arrays == nil, let arrays = (reader as? JSONRecordReader)?.arrayFieldNames,
            !arrays.isEmpty
        {
            note(
                "Arrays are imported as JSON text: \(quotedList(arrays)). Pass --number-elements for a column for each element, or --arrays related for objects of other entities."
            )
        }
        return options
    }

    /// Returns the names of the tables of a file that has several, or no names. A pipe that is read once is
    /// not examined.
    static func tables(of path: String, options: RecordOptions) throws(RecordError) -> [String] {
        guard canBeReadAgain(path, options: options) else { return [] }
        return try recordTables(path: path, options: options)
    }

    /// Returns the name of the entity for a file: that of an entity of the store that differs at most by
    /// upper and lower case, or a new one.
    ///
    /// - Throws: ``ToolFailure`` for standard input, a pipe and a device, whose names do not describe their
    ///   contents.
    static func entityName(
        forFile path: String, reading: RecordOptions, in model: ManagedObjectModel?
    ) throws(ToolFailure) -> String {
        let name = try entityName(forFile: path, reading: reading)
        let known = model?.entities.map(\.name) ?? []
        return known.contains(name) ? name : known.first { $0.lowercased() == name.lowercased() } ?? name
    }

    /// Returns the name of a new entity for a file, whose name may end in `.gz` or be a member of an archive.
    private static func entityName(
        forFile path: String, reading: RecordOptions
    ) throws(ToolFailure) -> String {
        guard RecordReading.canBeReadAgain(path), path != standardInput else {
            throw ToolFailure(
                "“\(path)” has no name for the entity of its rows. Pass --entity.")
        }
        if let member = reading.member { return Mapping.entityName(forFile: member) }
        if let archive = path.range(of: ".zip:"), !FileManager.default.fileExists(atPath: path) {
            return Mapping.entityName(forFile: String(path[archive.upperBound...]))
        }
        return Mapping.entityName(
            forFile: path.lowercased().hasSuffix(".gz") ? String(path.dropLast(3)) : path)
    }

    /// Opens a file for a mapping, whose columns may be fields that only late records of a JSON file have.
    ///
    /// If the mapping has a list of ignored columns and the file can be read only once, a record with a field
    /// outside the mapping is a bad record.
    ///
    /// - Throws: `RecordError` if the file cannot be read.
    static func open(
        _ path: String, options: RecordOptions, for mapping: Mapping
    ) throws(RecordError) -> any RecordReader {
        let reader = try openRecords(path: path, options: options)
        let missing = Set((mapping.columns + (mapping.ignored ?? [])).map(ExactText.init))
            .subtracting(reader.fieldNames.map(ExactText.init))
        // With a list of ignored columns, every unknown field must be found, so all records are scanned.
        let isSettled = missing.isEmpty && mapping.ignored == nil
        if reader is CSVReader || isSettled { return reader }
        guard canBeReadAgain(path, options: options) else {
            if mapping.ignored != nil, let reader = reader as? any LateFieldReader {
                reader.refuseOtherNames()
            }
            return reader
        }
        return try openRecords(
            path: path, options: options, fieldNames: allFieldNames(path: path, options: options))
    }
}
