/// Opens a file in the format that its beginning shows: a ``NamedFormat``, JSON for `[` and `{`, otherwise
/// CSV. A file is always CSV if the options have a delimiter.
///
/// - Parameter fieldNames: The names of the fields of a file whose records name them, such as JSON, if they
///   are known, see ``allFieldNames(path:options:progress:)``. CSV files have them in the header.
/// - Throws: ``RecordError``, including for a file that begins like a file of another format.
public func openRecords(
    path: String, options: RecordOptions = .init(), fieldNames: [String]? = nil
) throws(RecordError) -> any RecordReader {
    let source = try ByteSource(path: path, options: options)
    try source.skipByteOrderMark()
    if options.delimiter == nil,
        let format = try NamedFormat.of(source, allowsPreamble: !options.describesTable)
    {
        return try format.reader(source, options: options, fieldNames: fieldNames) {
            secondSource(path: path, options: options)
        }
    }
    let isJSON = options.delimiter == nil && OtherFormat.beginsLikeJSON(source)
    if let path = options.arrayPath, !isJSON, !OtherFormat.beginsWithComment(source) {
        let reason =
            "--at \(path) names an array of JSON or a table of a music library, and the file is neither; leave --at out"
        throw RecordError(file: source.path, line: 0, reason: .markup(reason), isFatal: true)
    }
    if isJSON || options.arrayPath != nil {
        if options.arrayPath == nil { try refuseWrapper(source, path: path, options: options) }
        return try JSONRecordReader(
            source: source, replacesInvalidUTF8: options.replacesInvalidUTF8, fieldNames: fieldNames,
            arrayPath: options.arrayPath == "." ? nil : options.arrayPath,
            numbersElements: options.numbersElements, keepsText: options.keepsText)
    }
    let beginning = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
    if options.delimiter == nil, !options.describesTable,
        let name = ReferenceSearch.otherFormat(of: beginning)
    {
        let reason =
            "the file is \(name); export the references as RIS or BibTeX, or pass --delimiter if it is CSV"
        throw RecordError(file: source.path, line: 1, reason: .markup(reason), isFatal: true)
    }
    let hasSeparatorLine = try CSVSeparatorLine(beginning: source) != nil
    let isTable = options.describesTable || hasSeparatorLine
    let format = isTable ? OtherFormat(binary: source) : OtherFormat(beginning: source)
    if options.delimiter == nil, let format {
        if format == .database {
            throw RecordError(file: source.path, line: 0, reason: .database(path: path), isFatal: true)
        }
        if format == .propertyList {
            let reason =
                "the file is a binary property list; convert it with “plutil -convert xml1 -o Library.xml FILE”, or with plistlib of Python, and import the result"
            throw RecordError(file: source.path, line: 0, reason: .markup(reason), isFatal: true)
        }
        throw RecordError(file: source.path, line: 1, reason: .otherFormat(format.rawValue), isFatal: true)
    }
    return try CSVReader(source: source, options: options, checksShape: true)
}

/// Refuses a file that is one object with arrays of objects, whose elements are the records.
///
/// A pipe is not refused, because its first object cannot be read twice.
private func refuseWrapper(
    _ source: ByteSource, path: String, options: RecordOptions
) throws(RecordError) {
    let first = UnsafeBufferPointer(start: source.bytes + source.start, count: source.available)
        .first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard first == UInt8(ascii: "{"), let other = secondSource(path: path, options: options) else { return }
    let outline = JSONOutline(other)
    guard outline.isAlone, !outline.paths.isEmpty else { return }
    // One line of a file whose name promises lines is a record.
    let name = path.lowercased()
    let isNamedLines = ["jsonl", "ndjson", "jsonl.gz", "ndjson.gz"].contains { name.hasSuffix(".\($0)") }
    if outline.isOneLine, isNamedLines { return }
    throw RecordError(file: source.path, line: 0, reason: .wrapper(outline.paths), isFatal: true)
}

/// Returns another source of a file's bytes from their beginning, or nil if it cannot be read again.
private func secondSource(path: String, options: RecordOptions) -> ByteSource? {
    guard options.copy != nil || FileInput.canBeReadAgain(path) else { return nil }
    var options = options
    options.digest = nil
    do throws(RecordError) {
        let source = try ByteSource(path: path, options: options)
        try source.skipByteOrderMark()
        return source
    } catch {
        return nil
    }
}

/// Returns the names of all fields of a file: the header, or the keys of all records.
///
/// - Parameter progress: Called after each thousand records with their number.
/// - Complexity: O(*n*) in the bytes of a JSON file.
public func allFieldNames(
    path: String, options: RecordOptions = .init(),
    progress: (Int, any RecordReader) -> Void = { _, _ in }
) throws(RecordError) -> [String] {
    let reader = try openRecords(path: path, options: options)
    if let reader = reader as? any LateFieldReader { reader.addNamesOfRest(progress: progress) }
    return reader.fieldNames
}

/// Returns whether a file can be read from its beginning again, as a pipe or a device cannot. The path `-` is
/// standard input.
public func canBeReadAgain(_ path: String) -> Bool { FileInput.canBeReadAgain(path) }

/// Returns the names of the tables of a file that has several, in the order in which they are imported, or no
/// names.
///
/// - Throws: ``RecordError`` if the file cannot be read.
public func recordTables(path: String, options: RecordOptions = .init()) throws(RecordError) -> [String] {
    var options = options
    options.digest = nil
    guard options.delimiter == nil else { return [] }
    let source = try ByteSource(path: path, options: options)
    try source.skipByteOrderMark()
    guard try NamedFormat.of(source) == .musicLibrary else { return [] }
    return MusicLibraryTable.allCases.map(\.rawValue)
}
