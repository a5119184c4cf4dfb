import Foundation
import SectionedFetch
import ToolSupport

/// The description of an exported store, in the file `export.json` of its directory.
struct ExportManifest: Codable, Equatable {
    /// A file with the rows of an entity or the pairs of a relationship.
    struct File: Codable, Equatable {
        /// The name in the directory.
        let name: String
        /// The entity of the rows, or the entity that declares the relationship.
        let entity: String
        /// The relationship of the pairs; nil for rows.
        var relationship: String?
        /// The number of rows.
        var rows = 0
        /// The size in bytes.
        var bytes = 0
        /// The SHA-256 of the file in hexadecimal digits.
        var sha256 = ""
    }

    /// The version of the layout of the directory.
    var formatVersion = Self.currentVersion
    /// The format of the files.
    let format: ExportFormat
    /// The files, in the order in which they are imported.
    var files: [File]

    /// The version that this program writes.
    static let currentVersion = 1
    /// The name of the file with the description.
    static let fileName = "export.json"
    /// The name of the file with the model.
    static let modelFileName = "model.json"
    /// The directory of the values that are in separate files.
    static let valuesName = "values"

    /// The entities and relationships of the files: `Book`, `Book.tags`.
    var contents: [String] {
        files.map { ([$0.entity] + [$0.relationship].compactMap(\.self)).joined(separator: ".") }
    }

    /// Returns the entities and relationships of a model that have files, in the order of the files.
    static func contents(of model: ManagedObjectModel) -> [String] {
        MovePlan.Table.all(of: model).flatMap { table in
            switch table {
            case .objects(let root): model.family(of: root).filter { !$0.isAbstract }.map(\.name)
            case .links(let relationship, let entity): ["\(entity.name).\(relationship.name)"]
            }
        }
    }

    /// Returns the path of the file of a value, below the directory of an export.
    ///
    /// - Parameter digest: The SHA-256 of the value in hexadecimal digits.
    static func valuePath(_ digest: String) -> String { "\(valuesName)/\(digest.prefix(2))/\(digest)" }

    /// Returns names of files for entities and relationships, in which other characters than letters, digits,
    /// blanks and a few marks are replaced, and which differ without regard to case.
    static func fileNames(_ names: [String], format: ExportFormat) -> [String] {
        var taken: Set<String> = [fileName, modelFileName, valuesName]
        return names.map { name in
            var base = String(
                String.UnicodeScalarView(
                    name.unicodeScalars.map { scalar in
                        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                            || " -_.()".unicodeScalars.contains(scalar) ? scalar : "_"
                    }))
            if base.hasPrefix(".") || base.hasPrefix("-") { base = "_" + base.dropFirst() }
            // The names of files have up to 255 bytes.
            while base.utf8.count > 200 { base.removeLast() }
            var result = "\(base).\(format.rawValue)"
            var number = 1
            while !taken.insert(result.lowercased()).inserted {
                number += 1
                result = "\(base) \(number).\(format.rawValue)"
            }
            return result
        }
    }
}

extension EntityDescription {
    /// The columns of the file with the entity's rows: the key, the attributes, the keys of related objects,
    /// and the positions in ordered relationships.
    var exportedColumns: [(name: String, kind: ExportedValue.Kind)] {
        let attributes = storedAttributes.map { ($0.name, ExportedValue.Kind.attribute($0.type)) }
        let others = slotNames.dropFirst(attributes.count).map { ($0, ExportedValue.Kind.number) }
        return [("objectID", .number)] + attributes + others
    }

    /// The columns of the file with the pairs of a relationship: both keys, and the positions in both orders.
    static let exportedLinkColumns: [(name: String, kind: ExportedValue.Kind)] = [
        ("owner", .number), ("member", .number), ("position", .number), ("inversePosition", .number),
    ]
}
