import Foundation
import RecordReading
import SectionedFetch
import ToolSupport

/// The position at which an import without a key begins: that of an unfinished import of the file, or the
/// first record.
struct ResumePoint {
    /// The position at which the import begins.
    let start: ImportPosition
    /// The position that the store records, or nil.
    let recorded: ImportPosition?

    /// Finds the position.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which can be read again.
    ///   - again: Whether the import begins with the first record in any case.
    /// - Throws: ``ToolFailure`` if an unfinished import of the file cannot continue, because the file or its
    ///   columns changed; `ObjectStorageError` if the store cannot be read.
    init(
        _ path: String, options: RecordOptions, mapping: Mapping, target: TargetStore, again: Bool
    ) throws {
        var options = options
        (options.digest, options.copy, options.keepsText) = (nil, nil, false)
        let columns =
            mapping.attributes.map { "\($0.name)=\($0.column)" }
            + mapping.relationships.map { "\($0.name)=\($0.column)" }
            + mapping.arrayColumns.map { "\($0.name)=\($0.column)" }
        let beginning = ImportPosition(
            entityName: mapping.entity, source: PathArgument.url(path).path(percentEncoded: false),
            sourceState: Self.state(ofFileAt: path), reading: "\(columns.sorted()) \(options)")
        let recorded = try Self.recordedPosition(
            ofEntityNamed: mapping.entity, source: beginning.source, in: target)
        self.recorded = recorded
        guard let recorded, !again else {
            start = beginning
            return
        }
        let change: String? =
            recorded.sourceState != beginning.sourceState
            ? "and the file has changed since"
            : recorded.reading != beginning.reading ? "and used other options or columns" : nil
        if let change {
            let count = Quantity.count(Int(recorded.records), "record")
            throw ToolFailure(
                "An import of “\(path)” into “\(mapping.entity)” stopped after \(count), \(change). Nothing was imported. Without a key, those rows would be in the store twice: delete them and pass --again to import from the first record, or restore the file and the options to continue."
            )
        }
        start = recorded
    }

    /// Returns the position that a store records, or nil if it records none or does not exist.
    private static func recordedPosition(
        ofEntityNamed entityName: String, source: String, in target: TargetStore
    ) throws(ObjectStorageError) -> ImportPosition? {
        do throws(ObjectStorageError) {
            return try target.open().importPosition(ofEntityNamed: entityName, source: source)
        } catch {
            guard error.code == .storeMissing else { throw error }
            return nil
        }
    }

    /// Returns the size and the time of the last change of a file.
    private static func state(ofFileAt path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { return "" }
        return "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
}
