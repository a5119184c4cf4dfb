import Foundation
import RecordReading
import ToolSupport

/// The file of an import's bad records, in the format of the imported file, and a second file in CSV with the
/// location and the reason of each.
///
/// Neither file is made before the first bad record.
final class RejectsFile {
    private let path: String
    private let entity: String
    private let frame: RecordFrame
    private let converter: TextConverter?
    private var files: (records: FileHandle, reasons: FileHandle)?
    private var records: [UInt8] = []
    private var reasons = ""
    /// The number of bad records, and of those whose text is in the file.
    private var count = (all: 0, kept: 0)
    /// The next line of the file.
    private var line = 1
    private var failure: ToolFailure?

    private static let bufferSize = 1 << 20

    /// The path of the file with the reasons.
    private var reasonsPath: String { Self.reasonsPath(of: path) }

    private static func reasonsPath(of path: String) -> String { path + ".reasons.csv" }

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - frame: The text around the records.
    ///   - encoding: The encoding that an option gives for the imported file, or nil.
    init(path: String, entity: String, frame: RecordFrame, encoding: String?) {
        self.path = path
        self.entity = entity
        self.frame = frame
        // Bytes that are not UTF-8 stay as they are, so that the record is rejected again until it is mended.
        let isUTF8 = ["UTF-8", "UTF8"].contains(encoding?.uppercased())
        converter = isUTF8 ? nil : encoding.flatMap(TextConverter.init(to:))
    }

    /// Checks that neither file exists, so that no other file is overwritten.
    ///
    /// - Throws: ``ToolFailure`` with the remedy.
    static func requireAbsence(_ path: String) throws(ToolFailure) {
        guard !path.isEmpty else { throw ToolFailure("--rejects needs the path of a new file.") }
        for path in [path, reasonsPath(of: path)] where FileManager.default.fileExists(atPath: path) {
            throw ToolFailure(
                "“\(path)” exists. Nothing was imported. Delete or move it, or pass another path to --rejects."
            )
        }
    }

    /// Adds a bad record.
    ///
    /// - Parameter record: The text of the record, or nothing if it could not be read.
    /// - Throws: ``ToolFailure`` if the files cannot be written.
    func add(_ error: RecordError, record: [UInt8]?) throws(ToolFailure) {
        if count.all == 0 {
            append(frame.beginning)
            reasons += "number,rejected_line,line,column,name,reason\n"
        }
        count.all += 1
        var place = ["", ""]
        if let record, !record.isEmpty {
            if count.kept > 0 { append(frame.separator) }
            count.kept += 1
            place = ["\(count.kept)", "\(line)"]
            append(record)
            if frame.endsRecordsWithLines, record.last != 0x0A, record.last != 0x0D { append([0x0A]) }
        }
        let fields =
            place + [
                "\(error.line)", error.column.map(String.init) ?? "", error.columnName ?? "",
                error.reason.description,
            ]
        reasons += fields.map(Self.field).joined(separator: ",") + "\n"
        if records.count + reasons.utf8.count > Self.bufferSize { try flush() }
    }

    /// Writes what was added so far.
    ///
    /// - Throws: ``ToolFailure`` if the files cannot be written.
    func flush() throws(ToolFailure) {
        guard !records.isEmpty || !reasons.isEmpty else { return }
        if let failure { throw failure }
        do {
            let files = try files ?? (Self.new(path), Self.new(reasonsPath))
            self.files = files
            try files.records.write(contentsOf: Data(converter?.bytes(records) ?? records))
            try files.reasons.write(contentsOf: Data(reasons.utf8))
            (records, reasons) = ([], "")
        } catch {
            let reason = String(cString: strerror(errno))
            let failure = ToolFailure(
                "The rejected records cannot be written to “\(path)” (\(reason)). Pass another path to --rejects."
            )
            self.failure = failure
            throw failure
        }
    }

    /// Completes the files.
    ///
    /// - Returns: A sentence about them, or nil if there were no bad records.
    /// - Throws: ``ToolFailure`` if the files cannot be written.
    func finish() throws(ToolFailure) -> String? {
        guard count.all > 0, failure == nil else { return nil }
        append(frame.end)
        try flush()
        let lost = count.all - count.kept
        return
            "\(Quantity.count(count.kept, "rejected record")) in “\(path)”, with the reasons in “\(reasonsPath)”"
            + (lost > 0 ? " (\(Quantity.count(lost)) more could not be read)" : "")
            + ". Mend the records, and import the file with the same options and --entity \(entity)."
    }

    private func append(_ bytes: [UInt8]) {
        records += bytes
        var isAfterReturn = false
        for byte in bytes {
            if byte == 0x0D || byte == 0x0A && !isAfterReturn { line += 1 }
            isAfterReturn = byte == 0x0D
        }
    }

    private static func new(_ path: String) throws -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func field(_ text: String) -> String {
        // Scalars, because CR and LF together are one character.
        guard text.unicodeScalars.contains(where: { [",", "\"", "\r", "\n"].contains($0) }) else {
            return text
        }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
