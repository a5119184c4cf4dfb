import Foundation
import RecordReading
import SectionedFetch
import ToolSupport

/// The directory of an exported store, opened for reading.
struct ExportedStore {
    /// The path as it is written on the command line.
    let path: String
    let manifest: ExportManifest
    let model: ManagedObjectModel
    /// The state of all files, by which another export in the same place, or a change, is recognized.
    let state: String
    /// The files that were changed since the export.
    let editedFiles: Set<String>

    /// Returns whether a path is a directory.
    static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: PathArgument.url(path).path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }

    /// Opens a directory, and compares all files with the digests of the export.
    ///
    /// - Parameter acceptsEdits: Whether files may have changed since the export.
    /// - Throws: ``ToolFailure`` with the remedy.
    /// - Complexity: O(*n*) in the bytes.
    init(path: String, acceptingEdits acceptsEdits: Bool) throws {
        self.path = path
        let directory = PathArgument.url(path).path
        let data = try Self.contents(
            of: ExportManifest.fileName, in: path,
            "It is not a store that “library-import export” wrote. Pass the path of one, or of a store's file."
        )
        do {
            manifest = try JSONDecoder().decode(ExportManifest.self, from: data)
        } catch {
            throw ToolFailure(
                "“\(path)/\(ExportManifest.fileName)” is not the description of an export: it is damaged, or of another program. Export the store again."
            )
        }
        guard manifest.formatVersion == ExportManifest.currentVersion else {
            throw ToolFailure(
                "“\(path)” has version \(manifest.formatVersion) of the layout of exports, and this program reads version \(ExportManifest.currentVersion). Use the program that wrote it."
            )
        }
        let text = try Self.contents(of: ExportManifest.modelFileName, in: path, "Export the store again.")
        do {
            model = try ManagedObjectModel(jsonText: String(decoding: text, as: UTF8.self))
        } catch {
            throw ToolFailure(
                "“\(path)/\(ExportManifest.modelFileName)” is not a model: \(error.message) Restore the file, or export the store again."
            )
        }
        guard manifest.contents == ExportManifest.contents(of: model) else {
            throw ToolFailure(
                "“\(path)/\(ExportManifest.fileName)” does not name one file for each entity and each relationship of the model. Restore the file, or export the store again."
            )
        }
        var edited: Set<String> = []
        var digests = ""
        for file in manifest.files {
            guard !file.name.contains("/"), file.name != ".." else {
                throw ToolFailure(
                    "“\(path)/\(ExportManifest.fileName)” names the file “\(file.name)”, which is not in the directory. Export the store again."
                )
            }
            try Self.requireFile(file.name, in: path)
            do throws(RecordError) {
                let digest = try ContentDigest.text(
                    path: "\(directory)/\(file.name)", options: RecordOptions())
                if digest != file.sha256 { edited.insert(file.name) }
                digests += digest ?? ""
            } catch {
                throw ToolFailure("\(error). Restore the file, or export the store again.")
            }
            try Mover.checkInterruption()
        }
        editedFiles = edited
        state = ExportFile.digest(of: data + text + Data(digests.utf8))
        guard acceptsEdits || edited.isEmpty else {
            throw ToolFailure(
                "\(quotedList(edited.sorted())) of “\(path)” \(edited.count == 1 ? "is" : "are") not as the export wrote \(edited.count == 1 ? "it" : "them"): changed, cut off or damaged. Nothing was imported. Pass --edited to import the changes, which are checked, or export the store again."
            )
        }
    }

    /// Checks that a file is one that can be read from its beginning again, and not a pipe, whose opening
    /// waits for another program.
    private static func requireFile(_ name: String, in path: String) throws(ToolFailure) {
        var status = stat()
        let file = PathArgument.url(path).appending(path: name).path
        guard stat(file, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ToolFailure(
                "“\(path)/\(name)” is not a regular file. Restore the file, or export the store again.")
        }
    }

    private static func contents(of name: String, in path: String, _ remedy: String) throws(ToolFailure)
        -> Data
    {
        try requireFile(name, in: path)
        do {
            return try Data(contentsOf: PathArgument.url(path).appending(path: name))
        } catch {
            throw ToolFailure(
                "“\(path)/\(name)” cannot be read (\(String(cString: strerror(errno)))). \(remedy)")
        }
    }

    /// Returns the contents of the file of a value; nil if it cannot be read or has another digest.
    func value(_ digest: String) -> [UInt8]? {
        let digits = "0123456789abcdef".utf8
        guard digest.utf8.count == 64, digest.utf8.allSatisfy(digits.contains) else { return nil }
        let file = PathArgument.url(path).appending(path: ExportManifest.valuePath(digest))
        guard (try? Self.requireFile(ExportManifest.valuePath(digest), in: path)) != nil,
            let data = try? Data(contentsOf: file), ExportFile.digest(of: data) == digest
        else {
            return nil
        }
        return Array(data)
    }

    /// Opens a file for reading.
    ///
    /// - Parameter columns: The names of its columns.
    /// - Returns: The reader, with the position of each column; nil for a file without rows.
    /// - Throws: ``ToolFailure`` for a file with other columns.
    func open(
        _ file: ExportManifest.File, columns: [String]
    ) throws(ToolFailure) -> (reader: any RecordReader, positions: [Int])? {
        let path = PathArgument.url(self.path).appending(path: file.name).path
        if file.rows == 0, !editedFiles.contains(file.name) { return nil }
        do throws(RecordError) {
            let reader: any RecordReader
            if let delimiter = manifest.format.delimiter?.asciiValue {
                reader = try CSVReader(path: path, options: RecordOptions(delimiter: delimiter))
            } else {
                let json = try JSONRecordReader(path: path, fieldNames: columns, numbersElements: false)
                json.refuseOtherNames()
                reader = json
            }
            let names = reader.fieldNames.map { Array($0.utf8) }
            let positions = columns.map { name in names.firstIndex { $0.elementsEqual(name.utf8) } }
            guard names.count == columns.count, !positions.contains(nil) else {
                throw RecordError(
                    file: path, line: 1,
                    reason: .value("the columns must be \(quotedList(columns)), as the export wrote them"))
            }
            return (reader, positions.compactMap(\.self))
        } catch {
            throw ToolFailure("\(error)")
        }
    }
}
