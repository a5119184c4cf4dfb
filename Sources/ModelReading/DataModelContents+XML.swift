import Foundation
import ObjectStorage

extension DataModelContents {
    /// Reads the content of a model's XML.
    ///
    /// - Throws: ``ObjectStorageError`` if the data is not XML, or not the XML of a model.
    init(xml data: Data) throws(ObjectStorageError) {
        let root = try ModelXML.root(of: data)
        guard root.name == "model" else {
            throw ObjectStorageError(
                .invalidModel, "This is XML, but not a Core Data model: its root element is not “model”.")
        }
        let identifier = root.element["userDefinedModelVersionIdentifier"] ?? ""
        versionIdentifiers = identifier.isEmpty ? [] : [identifier]
        if root.element.flag("usedWithCloudKit") {
            unsupportedParts.append(.cloudKit("usedWithCloudKit", nil, nil, line: root.element.line))
        }
        unsupportedParts += Self.unknownTexts(of: root, except: Self.modelTexts, nil, nil)
        for child in root.children {
            switch child.name {
            case "entity": entities.append(Self.entity(child))
            case "fetchRequest":
                unsupportedParts.append(
                    .fetchRequest(
                        child.element["name"] ?? "", entity: child.element["entity"],
                        predicate: child.element["predicateString"], line: child.element.line))
            case "configuration":
                unsupportedParts.append(
                    .configuration(
                        child.element["name"] ?? "", of: child.children.compactMap { $0.element["name"] },
                        line: child.element.line))
                if child.element.flag("usedWithCloudKit") {
                    unsupportedParts.append(.cloudKit("usedWithCloudKit", nil, nil, line: child.element.line))
                }
            case "compositeAttribute", "composite":
                unsupportedParts.append(
                    .compositeType(
                        child.element["name"] ?? "",
                        elements: child.children.compactMap { $0.element["name"] },
                        line: child.element.line))
            case "userInfo": unsupportedParts += Self.userInfo(child, nil, nil)
            // The positions of the entities in the editor's diagram.
            case "elements": break
            default:
                unsupportedParts.append(.unknown("element “\(child.name)”", nil, nil, child.element.line))
            }
        }
    }

    /// The XML attributes that the library reads in each kind of element, and those that do not concern the
    /// data, such as settings of Apple's editor and of generated classes.
    private static let modelTexts: Set<String> = [
        "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
        "sourceLanguage", "macOSVersion", "iOSVersion", "usedWithSwiftData", "usedWithCloudKit", "name",
        "userDefinedModelVersionIdentifier",
    ]
    private static let entityTexts: Set<String> = [
        "name", "representedClassName", "parentEntity", "isAbstract", "elementID", "codeGenerationType",
        "customModuleName", "usesScalarValueType",
    ]
    private static let attributeTexts: Set<String> = [
        "name", "attributeType", "optional", "transient", "indexed", "defaultValueString",
        "defaultDateTimeInterval", "minValueString", "maxValueString", "minDateTimeInterval",
        "maxDateTimeInterval", "regularExpressionString", "valueTransformerName", "customClassName",
        "customModuleName", "usesScalarValueType", "elementID", "allowsExternalBinaryDataStorage",
        // The expression already marks the attribute as derived.
        "derived", "derivationExpression",
    ]
    private static let relationshipTexts: Set<String> = [
        "name", "optional", "toMany", "minCount", "maxCount", "deletionRule", "ordered", "destinationEntity",
        "inverseName", "inverseEntity", "elementID",
    ]

    /// Returns the unsupported parts for unknown texts, and for known ones without support.
    private static func unknownTexts(
        of node: ModelXML, except known: Set<String>, _ entity: String?, _ property: String?
    ) -> [UnsupportedModelPart] {
        let line = node.element.line
        return node.element.attributes.sorted { $0.key < $1.key }.compactMap { name, text in
            if known.contains(name) { return nil }
            switch name {
            case "syncable":
                return text == "NO" ? .cloudKit("syncable=\"NO\"", entity, property, line: line) : nil
            case "allowsCloudEncryption", "usedWithCloudKit":
                return text == "YES" ? .cloudKit(name, entity, property, line: line) : nil
            case "spotlightIndexingEnabled", "storedInTruthFile":
                return text == "YES" ? .spotlight(name, entity, property, line: line) : nil
            case "coreSpotlightDisplayNameExpression": return .spotlight(name, entity, property, line: line)
            case "preserveAfterDeletion", "preservesValueInHistoryOnDeletion":
                return text == "YES" ? .preservedValue(entity, property, line: line) : nil
            case "versionHashModifier": return .versionHashModifier(text, entity, property, line: line)
            default: return .unknown("setting “\(name)” with the value “\(text)”", entity, property, line)
            }
        }
    }

    private static func userInfo(
        _ node: ModelXML, _ entity: String?, _ property: String?
    ) -> [UnsupportedModelPart] {
        let keys = node.children.filter { $0.name == "entry" }.compactMap { $0.element["key"] }
        return keys.isEmpty ? [] : [.userInfo(keys, entity, property, line: node.element.line)]
    }

    private static func entity(_ node: ModelXML) -> DataModelEntity {
        var entity = DataModelEntity(node.element)
        entity.unsupportedParts += unknownTexts(of: node, except: entityTexts, entity.name, nil)
        for child in node.children {
            let (element, name) = (child.element, child.element["name"] ?? "")
            switch child.name {
            case "attribute":
                entity.attributes.append(element)
                entity.unsupportedParts += unknownTexts(of: child, except: attributeTexts, entity.name, name)
                addChildren(of: child, to: &entity)
            case "relationship":
                entity.relationships.append(element)
                entity.unsupportedParts +=
                    unknownTexts(of: child, except: relationshipTexts, entity.name, name)
                addChildren(of: child, to: &entity)
            case "fetchedProperty":
                let request = child.children.first { $0.name == "fetchRequest" }?.element
                entity.unsupportedParts.append(
                    .fetchedProperty(
                        name, of: entity.name, fetching: request?["entity"],
                        predicate: request?["predicateString"], line: element.line))
                for part in child.children where part.name == "userInfo" {
                    entity.unsupportedParts += userInfo(part, entity.name, name)
                }
            case "fetchIndex": addIndex(child, to: &entity)
            case "compoundIndexes", "uniquenessConstraints":
                for list in child.children {
                    let names = list.children.compactMap { $0.element["value"] }
                    if child.name == "compoundIndexes" {
                        entity.addIndex(names)
                    } else if !names.isEmpty {
                        entity.uniquenessConstraints.append(names)
                    }
                }
            case "userInfo": entity.unsupportedParts += userInfo(child, entity.name, nil)
            default:
                entity.unsupportedParts.append(
                    .unknown("element “\(child.name)”", entity.name, nil, element.line))
            }
        }
        return entity
    }

    private static func addChildren(of node: ModelXML, to entity: inout DataModelEntity) {
        for child in node.children {
            entity.unsupportedParts +=
                child.name == "userInfo"
                ? userInfo(child, entity.name, node.element["name"])
                : [.unknown("element “\(child.name)”", entity.name, node.element["name"], child.element.line)]
        }
    }

    private static func addIndex(_ node: ModelXML, to entity: inout DataModelEntity) {
        var index = DataModelIndex(name: node.element["name"] ?? "", line: node.element.line)
        // The editor's name of the setting is not documented; the compiled model calls it a predicate.
        index.predicate = node.element["partialIndexPredicate"] ?? node.element["predicateString"]
        for child in node.children where child.name == "fetchIndexElement" {
            index.elements.append(
                DataModelIndex.Element(
                    property: child.element["property"], expression: child.element["expression"],
                    isDescending: child.element["order"] == "descending",
                    isBinary: (child.element["type"] ?? "Binary").lowercased() == "binary"))
        }
        index.add(to: &entity)
    }
}
