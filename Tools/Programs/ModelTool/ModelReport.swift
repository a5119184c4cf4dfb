import Foundation
import ModelReading
import ObjectStorage
import ToolSupport

/// The description of a model as text and as JSON.
struct ModelReport {
    private let file: DataModel
    private let name: String
    private let versions: [String]

    init(_ file: DataModel, name: String, versions: [String]) {
        self.file = file
        self.name = name
        self.versions = versions
    }

    /// The text: the version, the entities with their properties, and the unsupported parts.
    var lines: [String] {
        var lines = [name + (file.versionName.map { ", version \($0)" } ?? "")]
        if versions.count > 1 { lines.append("versions: \(versions.joined(separator: ", "))") }
        lines.append("")
        lines += file.model.description.split(separator: "\n").map(String.init)
        guard !file.unsupportedParts.isEmpty else { return lines }
        lines += ["", "Parts that the library does not support:"]
        lines += file.unsupportedParts.map { "  \($0)" }
        return lines
    }

    /// The description as JSON.
    var json: JSONValue {
        .object([
            .init("model", .string(name)), .init("version", .string(ifPresent: file.versionName)),
            .init("versions", .array(versions.map { .string($0) })),
            .init("versionIdentifiers", .array(file.versionIdentifiers.map { .string($0) })),
            .init("entities", .array(file.model.entities.map(entity))),
            .init("unsupportedParts", .array(file.unsupportedParts.map(part))),
        ])
    }

    private func entity(_ entity: EntityDescription) -> JSONValue {
        let parent = entity.parentName.flatMap(file.model.entity)
        return .object([
            .init("name", .string(entity.name)), .init("parent", .string(ifPresent: entity.parentName)),
            .init("class", .string(ifPresent: file.classNames[entity.name])),
            .init("isAbstract", .boolean(entity.isAbstract)),
            .init("renamingIdentifier", .string(ifPresent: entity.renamingIdentifier)),
            .init(
                "attributes",
                .array(
                    entity.attributes.filter { parent?.attribute(named: $0.name) == nil }.map { attribute in
                        self.attribute(attribute, of: entity)
                    })),
            .init(
                "relationships",
                .array(
                    entity.relationships.filter { parent?.relationship(named: $0.name) == nil }
                        .map(relationship))),
            .init("uniquenessConstraints", lists(entity.uniquenessConstraints)),
            .init("indexes", lists(entity.indexes)),
        ])
    }

    private func lists(_ lists: [[String]]) -> JSONValue {
        .array(lists.map { .array($0.map { .string($0) }) })
    }

    private func attribute(_ attribute: AttributeDescription, of entity: EntityDescription) -> JSONValue {
        let value: JSONValue =
            switch attribute.defaultValue {
            case .null, .blob: .null
            case .integer(let number): .integer(number)
            case .real(let number): .number(number)
            case .text(let text): .string(text)
            }
        return .object([
            .init("name", .string(attribute.name)), .init("type", .string(attribute.type.rawValue)),
            .init("isOptional", .boolean(attribute.isOptional)),
            .init("isTransient", .boolean(attribute.isTransient)),
            .init("isIndexed", .boolean(attribute.isIndexed)),
            .init("isUnique", .boolean(attribute.isUnique)),
            .init("allowsExternalStorage", .boolean(attribute.allowsExternalStorage)),
            .init("default", value), .init("transformer", .string(ifPresent: attribute.transformerName)),
            .init("rules", .array(attribute.rules.map { .string("must \($0)") })),
            .init("derivation", .string(ifPresent: attribute.derivation?.expression)),
            .init("renamingIdentifier", .string(ifPresent: attribute.renamingIdentifier)),
        ])
    }

    private func relationship(_ relationship: RelationshipDescription) -> JSONValue {
        .object([
            .init("name", .string(relationship.name)),
            .init("destination", .string(relationship.destinationEntityName)),
            .init("inverse", .string(ifPresent: relationship.inverseName)),
            .init("isToMany", .boolean(relationship.isToMany)),
            .init("isOrdered", .boolean(relationship.isOrdered)),
            .init("isOptional", .boolean(relationship.isOptional)),
            .init("deleteRule", .string(relationship.deleteRule.rawValue)),
            .init("minimumCount", relationship.allowedCount.map { .count($0.lowerBound) } ?? .null),
            .init(
                "maximumCount",
                relationship.allowedCount.flatMap { $0.upperBound == .max ? nil : .count($0.upperBound) }
                    ?? .null),
            .init("renamingIdentifier", .string(ifPresent: relationship.renamingIdentifier)),
        ])
    }

    private func part(_ part: UnsupportedModelPart) -> JSONValue {
        .object([
            .init("kind", .string(part.kind.rawValue)), .init("entity", .string(ifPresent: part.entityName)),
            .init("property", .string(ifPresent: part.propertyName)),
            .init("line", part.line.map { .count($0) } ?? .null), .init("part", .string(part.part)),
            .init("effect", .string(part.effect)), .init("remedy", .string(part.remedy)),
            .init("isPropertyMissing", .boolean(part.isPropertyMissing)),
        ])
    }
}
