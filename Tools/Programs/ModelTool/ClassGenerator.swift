import ModelReading
import ObjectStorage
import ToolSupport

/// Writes the class of each entity of a model, in the form in which programs of the library declare classes.
struct ClassGenerator {
    private let file: DataModel
    private let modelName: String
    private let module: String
    private let isPublic: Bool
    /// The names of the classes, by entity.
    let classNames: [String: String]
    /// The parts that the classes do not express, and the names that differ from the model's.
    private(set) var notes: [String] = []

    /// Chooses the names of the classes.
    init(_ file: DataModel, modelName: String, module: String, isPublic: Bool) {
        self.file = file
        self.modelName = modelName
        self.module = module
        self.isPublic = isPublic
        var names: [String: String] = [:]
        var notes: [String] = []
        for entity in file.model.entities {
            let wanted = file.classNames[entity.name] ?? entity.name
            var name = SwiftName.className(wanted)
            let used = Set(names.values.map { $0.lowercased() })
            // File systems may not distinguish upper and lower case.
            if used.contains(name.lowercased()) { name = SwiftName.className(entity.name) }
            var number = 1
            let base = name
            while used.contains(name.lowercased()) {
                number += 1
                name = base + String(number)
            }
            if name != wanted {
                notes.append(
                    "The class of “\(entity.name)” is called \(name): “\(wanted)” is not a Swift name, is the name of another type, or differs from one only in letter case."
                )
            }
            names[entity.name] = name
        }
        classNames = names
        self.notes = notes
    }

    /// Returns the files, in the order of the entities.
    mutating func classFiles() -> [ClassFile] { file.model.entities.map { classFile(of: $0) } }

    private var access: String { isPublic ? "public " : "" }

    private func className(_ entity: String) -> String { SwiftName.quoted(classNames[entity] ?? entity) }

    private mutating func classFile(of entity: EntityDescription) -> ClassFile {
        let parent = entity.parentName.flatMap(file.model.entity)
        var properties: [String] = []
        var remarks: [String] = []
        for attribute in entity.attributes where parent?.attribute(named: attribute.name) == nil {
            switch declaration(of: attribute, in: entity) {
            case .success(let text): properties.append(text)
            case .failure(let remark): remarks.append(remark.text)
            }
        }
        for relationship in entity.relationships
        where parent?.relationship(named: relationship.name) == nil {
            if let fault = SwiftName.fault(ofPropertyNamed: relationship.name) {
                remarks.append(
                    "The relationship “\(relationship.name)” is not declared: \(fault). Use relatedObjects(_:)."
                )
            } else {
                properties.append(declaration(of: relationship, in: entity))
            }
        }
        for list in entity.uniquenessConstraints {
            remarks.append("Unique together, by the model: \(list.joined(separator: ", ")).")
        }
        for list in entity.indexes {
            remarks.append("Indexed together, by the model: \(list.joined(separator: ", ")).")
        }
        notes += remarks.filter { $0.contains("not declared") }.map { "“\(entity.name)”: \($0)" }
        let members = overrides(of: entity) + properties
        let isFinal = entity.subentityNames.isEmpty
        let superclass = entity.parentName.map(className) ?? "ManagedObject"
        let needsFoundation = members.contains { member in
            ["Date", "Data", "Decimal", "UUID", "URL"].contains { member.contains($0) }
        }
        let head =
            "\(isFinal ? "\(access)final " : isPublic ? "open " : "")class \(className(entity.name)): \(superclass)"
        var text = "\(ClassFile.mark) from \(modelName). The next run replaces this file.\n\n"
        let imports = (needsFoundation ? ["Foundation"] : []) + [module]
        text += imports.map { "\(isPublic ? "public " : "")import \($0)\n" }.joined() + "\n"
        text += "/// An object of the entity “\(Self.comment(entity.name))”.\n"
        if !remarks.isEmpty { text += "///\n" }
        for remark in remarks { text += Self.listItem(remark) }
        text += members.isEmpty ? head + " {}\n" : "\(head) {\n\(members.joined())}\n"
        return ClassFile(
            className: classNames[entity.name] ?? entity.name, propertyCount: properties.count,
            entityName: entity.name, text: text)
    }

    /// Returns a text for a comment of one line.
    private static func comment(_ text: String) -> String { TerminalText.escaped(text) }

    /// Returns a text as an item of a list in a comment, with lines of up to 110 columns.
    private static func listItem(_ text: String) -> String {
        var lines = ["/// *"]
        for word in comment(text).split(separator: " ") {
            if lines[lines.count - 1].count + 1 + word.count > 110 { lines.append("///  ") }
            lines[lines.count - 1] += " " + word
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The members that describe the entity. A class inherits those of its superclass.
    private func overrides(of entity: EntityDescription) -> [String] {
        var members: [String] = []
        func add(_ name: String, _ type: String, _ value: String) {
            members.append("    \(access)override class var \(name): \(type) { \(value) }\n")
        }
        let lineage = [entity.name] + ancestors(of: entity)
        if lineage.contains(where: { classNames[$0] != $0 }) {
            add("entityName", "String", SwiftLiteral.string(entity.name))
        }
        if let former = entity.renamingIdentifier {
            add("renamingIdentifier", "String?", SwiftLiteral.string(former))
        }
        if let table = entity.existingTable {
            members.append(
                "    \(access)override class var existingTable: ExistingTable? {\n\(SwiftLiteral.table(table))    }\n"
            )
        }
        if entity.isAbstract { add("isAbstractEntity", "Bool", "self == \(className(entity.name)).self") }
        return members
    }

    private func ancestors(of entity: EntityDescription) -> [String] {
        var names: [String] = []
        var current = entity.parentName
        while let name = current {
            names.append(name)
            current = file.model.entity(named: name)?.parentName
        }
        return names
    }

    /// A property that has no declaration, with the reason.
    private struct Remark: Error { let text: String }

    private func declaration(
        of attribute: AttributeDescription, in entity: EntityDescription
    ) -> Result<String, Remark> {
        let name = attribute.name
        if let fault = SwiftName.fault(ofPropertyNamed: name) {
            return .failure(
                Remark(text: "The attribute “\(name)” is not declared: \(fault). Use value(forProperty:)."))
        }
        var arguments: [String] = []
        let options = [
            (attribute.isUnique, ".unique"), (attribute.isIndexed && !attribute.isUnique, ".indexed"),
            (attribute.isTransient, ".transient"), (attribute.allowsExternalStorage, ".externalStorage"),
        ].filter(\.0).map(\.1)
        if !options.isEmpty {
            arguments.append(options.count == 1 ? options[0] : "[\(options.joined(separator: ", "))]")
        }
        let mark = attribute.isOptional ? "?" : ""
        if attribute.type == .transformable {
            let type = file.transformableTypeNames[entity.name]?[name]
            guard let type, SwiftName.isPlainIdentifier(type), let transformer = attribute.transformerName,
                SwiftName.isPlainIdentifier(transformer)
            else {
                return .failure(
                    Remark(
                        text:
                            "The attribute “\(name)” is not declared: the model does not name the types of its values and its transformer\(attribute.transformerName.map { " “\($0)”" } ?? ""). Declare it with @Transformable."
                    ))
            }
            arguments.insert("by: \(transformer).self", at: 0)
            return .success(
                property("Transformable(\(arguments.joined(separator: ", ")))", name, type + mark, nil))
        }
        var details: [String] = []
        if !attribute.rules.isEmpty {
            details.append("rules: [\(attribute.rules.map(SwiftLiteral.rule).joined(separator: ", "))]")
        }
        if let former = attribute.renamingIdentifier {
            details.append("renamingIdentifier: \(SwiftLiteral.string(former))")
        }
        if let derivation = attribute.derivation {
            details.append("derivation: \(SwiftLiteral.string(derivation.expression))")
        }
        if !details.isEmpty { arguments.append("details: .init(\(details.joined(separator: ", ")))") }
        let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        return .success(
            property(
                "Attribute" + list, name, Self.swiftType(of: attribute.type) + mark,
                SwiftLiteral.initialValue(of: attribute)))
    }

    private static func swiftType(of type: AttributeType) -> String {
        switch type {
        case .string: "String"
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .double: "Double"
        case .float: "Float"
        case .decimal: "Decimal"
        case .boolean: "Bool"
        case .date: "Date"
        case .binaryData, .transformable: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        }
    }

    private func declaration(of relationship: RelationshipDescription, in entity: EntityDescription) -> String
    {
        var arguments: [String] = []
        if let inverse = inverseArgument(of: relationship, in: entity) { arguments.append(inverse) }
        if relationship.deleteRule != .nullify {
            arguments.append("deleteRule: .\(relationship.deleteRule.rawValue)")
        }
        var details: [String] = []
        if !relationship.isOptional { details.append("isOptional: false") }
        if let count = relationship.allowedCount {
            if count == 1...(.max) {
                details.append("isOptional: false")
            } else {
                details.append(
                    "allowedCount: \(count.lowerBound)...\(count.upperBound == .max ? "Int.max" : String(count.upperBound))"
                )
            }
        }
        if let former = relationship.renamingIdentifier {
            details.append("renamingIdentifier: \(SwiftLiteral.string(former))")
        }
        if !details.isEmpty { arguments.append("details: .init(\(details.joined(separator: ", ")))") }
        let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        let destination = className(relationship.destinationEntityName)
        let type =
            !relationship.isToMany
            ? destination + "?" : relationship.isOrdered ? "[\(destination)]" : "Set<\(destination)>"
        return property("Relationship" + list, relationship.name, type, nil)
    }

    /// Returns the argument that names the inverse; nil if the other side names it, or there is none.
    ///
    /// One side names it: the to-one side, or else the first in the alphabet.
    private func inverseArgument(
        of relationship: RelationshipDescription, in entity: EntityDescription
    ) -> String? {
        guard let name = relationship.inverseName,
            let other = file.model.entity(named: relationship.destinationEntityName),
            let inverse = other.relationship(named: name)
        else { return nil }
        let isItself =
            inverse.destinationEntityName == relationship.destinationEntityName && name == relationship.name
        guard SwiftName.fault(ofPropertyNamed: name) == nil, !isItself else {
            return "inverseNamed: \(SwiftLiteral.string(name))"
        }
        if SwiftName.fault(ofPropertyNamed: relationship.name) == nil {
            if relationship.isToMany != inverse.isToMany {
                if relationship.isToMany { return nil }
            } else if (inverse.destinationEntityName, relationship.name)
                > (relationship.destinationEntityName, inverse.name)
            {
                return nil
            }
        }
        return "inverse: \\\(className(relationship.destinationEntityName)).\(SwiftName.quoted(name))"
    }

    /// Returns the declaration of a property, on two lines if one would be long.
    private func property(_ wrapper: String, _ name: String, _ type: String, _ value: String?) -> String {
        let rest = "\(access)var \(SwiftName.quoted(name)): \(type)\(value.map { " = \($0)" } ?? "")\n"
        let line = "    @\(wrapper) \(rest)"
        // 110 columns and the line break.
        return line.count <= 111 ? line : "    @\(wrapper)\n    \(rest)"
    }
}
