import Foundation
import SectionedFetch
import ToolSupport

/// The export of a whole store to files, from which an equal store can be made.
///
/// The files are written to a directory with a temporary name beside the final one, and get their final name
/// when all are complete. All rows belong to one state of the store, while other programs write.
struct StoreExporter {
    let source: MoveSource
    let plan: MovePlan
    let format: ExportFormat
    /// Descriptions of the values that the files cannot contain unchanged.
    private(set) var losses: [String] = []
    /// The files, in the order in which they are imported.
    private(set) var files: [ExportManifest.File] = []

    /// Plans the export of a store.
    ///
    /// - Throws: The errors of reading.
    init(of source: MoveSource, format: ExportFormat, progress: (Int) throws -> Void) throws {
        self.source = source
        self.format = format
        losses = source.losses.map(MoveReport.textOfExport)
        if source.container.model.entities.allSatisfy({ $0.existingTable == nil }) {
            plan = MovePlan(keeping: source.container.model)
        } else {
            plan = try MovePlan(RuleSurvey(of: source, progress: progress))
        }
    }

    /// Whether the source is a store of the library, whose contents are exported as they are.
    private var isPlain: Bool { source.container.model.entities.allSatisfy { $0.existingTable == nil } }

    /// The parts of the source that are not part of the export.
    var omissions: [String] {
        isPlain ? source.partsOutsideModel : plan.changes + source.partsWithoutPlace + source.notes
    }

    /// Exports the store.
    ///
    /// - Parameters:
    ///   - path: The directory to make, which must not exist, or be empty.
    ///   - progress: Called with the number of rows after each thousand.
    /// - Throws: ``ToolFailure``, the errors of reading, and `CancellationError` after a signal. No directory
    ///   is made then.
    /// - Complexity: O(*n*) in the rows; the memory of one row and one buffer for each entity of a hierarchy.
    mutating func run(to path: String, progress: (Int) -> Void) throws {
        try Self.requireAbsence(path)
        let url = PathArgument.url(path)
        let partial = url.path + ".partial-\(getpid())"
        guard mkdir(partial, 0o755) == 0 else {
            throw ToolFailure(
                "“\(partial)” cannot be made: \(String(cString: strerror(errno))). Check that “\(url.deletingLastPathComponent().path)” is a directory that can be written."
            )
        }
        do {
            try write(to: partial, progress: progress)
            guard rename(partial, url.path) == 0 else {
                throw ToolFailure(
                    "“\(path)” cannot be made: \(String(cString: strerror(errno))). Pass another path.")
            }
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    /// Checks that nothing is overwritten.
    ///
    /// - Throws: ``ToolFailure`` if the path is empty, or there is a file or a directory with contents.
    static func requireAbsence(_ path: String) throws(ToolFailure) {
        guard !path.isEmpty else {
            throw ToolFailure("The path of the directory is empty. Pass the path of a directory to make.")
        }
        let url = PathArgument.url(path)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else { return }
        let contents = try? FileManager.default.contentsOfDirectory(atPath: url.path)
        guard isDirectory.boolValue, contents?.isEmpty == true else {
            throw ToolFailure(
                "“\(path)” exists. Nothing was written. Delete or move it, or pass another path.")
        }
    }

    private mutating func write(to directory: String, progress: (Int) -> Void) throws {
        var tables = plan.tables[...]
        var count = 0
        var descriptions = self.descriptions[...]
        func advance() throws {
            count += 1
            guard count.isMultiple(of: 1_000) else { return }
            progress(count)
            try Mover.checkInterruption()
        }
        while let table = tables.popFirst() {
            switch table {
            case .objects(let root):
                let members = plan.model.family(of: root).filter { !$0.isAbstract }
                let next = descriptions.prefix(members.count)
                descriptions = descriptions.dropFirst(members.count)
                try writeObjects(of: root, to: Array(zip(members, next)), directory, advance)
            case .links(let relationship, let entity):
                guard let next = descriptions.popFirst() else { return }
                try writeLinks(of: relationship, in: entity, to: next, directory, advance)
            }
        }
        let model = try plan.model.jsonText() + "\n"
        try ExportFile.makeFile("\(directory)/\(ExportManifest.modelFileName)", Array(model.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let manifest = try encoder.encode(ExportManifest(format: format, files: files))
        try ExportFile.makeFile(
            "\(directory)/\(ExportManifest.fileName)", Array(manifest) + [UInt8(ascii: "\n")])
        progress(count)
    }

    /// The files to write, without their counts.
    private var descriptions: [ExportManifest.File] {
        var contents: [(name: String, entity: String, relationship: String?)] = []
        for table in plan.tables {
            switch table {
            case .objects(let root):
                for member in plan.model.family(of: root) where !member.isAbstract {
                    contents.append((member.name, member.name, nil))
                }
            case .links(let relationship, let entity):
                contents.append(
                    ("\(entity.name).\(relationship.name)", entity.name, relationship.name))
            }
        }
        let names = ExportManifest.fileNames(contents.map(\.name), format: format)
        return zip(names, contents).map {
            ExportManifest.File(name: $0, entity: $1.entity, relationship: $1.relationship)
        }
    }

    private mutating func writeObjects(
        of root: EntityDescription, to members: [(EntityDescription, ExportManifest.File)],
        _ directory: String, _ advance: () throws -> Void
    ) throws {
        guard let sourceRoot = source.container.model.entity(named: root.name) else { return }
        var writers: [String: (entity: EntityDescription, file: ExportFile)] = [:]
        for (entity, description) in members {
            let file = try ExportFile(
                description, in: directory, format: format, columns: entity.exportedColumns)
            writers[entity.name] = (entity, file)
        }
        var lost: [String: Int] = [:]
        let hidden = try source.context.forEachStoredRow(inTableOf: sourceRoot) { row in
            guard let (entity, file) = writers[row.entity.name] else {
                lost["rows of the abstract entity “\(row.entity.name)”", default: 0] += 1
                return true
            }
            let names = entity.slotNames
            for (slot, path) in row.missingFiles {
                lost[
                    "“\(entity.name).\(names[slot])”, such as the file “\(path)”, cannot be read", default: 0] +=
                    1
            }
            for slot in row.repairedSlots {
                lost["texts of “\(entity.name).\(names[slot])” are not valid UTF-8", default: 0] += 1
            }
            var values = row.values
            if !isPlain {
                let (fitted, misfits) = row.fitted(to: entity)
                values = fitted
                for slot in misfits {
                    lost["values of “\(entity.name).\(names[slot])” are not of its type", default: 0] += 1
                }
            }
            try file.write([.integer(row.key)] + values)
            try advance()
            return true
        }
        if hidden > 0 {
            lost["rows of “\(sourceRoot.tableName)” have an entity that the model does not have"] = hidden
        }
        losses += lost.sorted { $0.key < $1.key }.map { "\($0.value): \($0.key)" }
        for (entity, _) in members {
            guard let file = writers[entity.name]?.file else { continue }
            try file.finish()
            files.append(file.description)
        }
    }

    private mutating func writeLinks(
        of relationship: RelationshipDescription, in entity: EntityDescription,
        to description: ExportManifest.File, _ directory: String, _ advance: () throws -> Void
    ) throws {
        guard let sourceEntity = source.container.model.entity(named: entity.name) else { return }
        let file = try ExportFile(
            description, in: directory, format: format, columns: EntityDescription.exportedLinkColumns)
        var incomplete = 0
        try source.context.forEachStoredLink(
            of: plan.sourceRelationship(relationship, of: entity), in: sourceEntity
        ) { link in
            guard link.isComplete else {
                incomplete += 1
                return true
            }
            try file.write([
                .integer(link.owner), .integer(link.member), link.position, link.inversePosition,
            ])
            try advance()
            return true
        }
        if incomplete > 0 {
            losses.append(
                "\(incomplete): pairs of “\(entity.name).\(relationship.name)” have only one of their objects"
            )
        }
        try file.finish()
        files.append(file.description)
    }
}
