import Foundation
import ObjectStorage

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An entity of the XML, as uninterpreted names and texts.
struct DataModelEntity {
    /// An element with its XML attributes and its line.
    struct Element {
        let attributes: [String: String]
        let line: Int

        /// The text of an attribute, or nil if the element does not have it.
        subscript(name: String) -> String? { attributes[name] }
        /// Returns whether the text of an attribute is `YES`.
        func flag(_ name: String) -> Bool { attributes[name] == "YES" }
    }

    let element: Element
    var attributes: [Element] = []
    var relationships: [Element] = []
    var uniquenessConstraints: [[String]] = []
    var indexes: [[String]] = []

    init(_ element: Element) { self.element = element }

    /// The entity's name.
    var name: String { element["name"] ?? "" }
}

/// A parser of the XML of a model.
final class DataModelParser: NSObject, XMLParserDelegate {
    private var entities: [DataModelEntity] = []
    private var list: [String] = []
    private var isModel = false
    private var depth = 0

    /// Returns the entities of a model's XML.
    ///
    /// - Throws: ``ObjectStorageError`` if the data is not XML, or not the XML of a model.
    static func entities(in data: Data) throws(ObjectStorageError) -> [DataModelEntity] {
        let delegate = DataModelParser()
        let parser = XMLParser(data: data)
        parser.delegate = delegate
        parser.shouldResolveExternalEntities = false
        guard parser.parse() else {
            let reason = parser.parserError.map { " (\($0.localizedDescription))" } ?? ""
            throw ObjectStorageError(.invalidModel, "Line \(parser.lineNumber): this is not XML\(reason).")
        }
        // The parser reports no error for a text that ends before its last element.
        guard delegate.depth == 0 else {
            throw ObjectStorageError(
                .invalidModel,
                "Line \(parser.lineNumber): this is not XML (it ends before the end of its last element).")
        }
        guard delegate.isModel else {
            throw ObjectStorageError(
                .invalidModel, "This is XML, but not a Core Data model: its root element is not “model”.")
        }
        return delegate.entities
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        depth += 1
        let element = DataModelEntity.Element(attributes: attributes, line: parser.lineNumber)
        switch name {
        case "model" where depth == 1: isModel = true
        case "entity" where depth == 2: entities.append(DataModelEntity(element))
        case "attribute" where depth == 3: change { $0.attributes.append(element) }
        case "relationship" where depth == 3: change { $0.relationships.append(element) }
        case "fetchIndex", "uniquenessConstraint", "compoundIndex": list = []
        case "fetchIndexElement": if let property = element["property"] { list.append(property) }
        case "constraint", "index": if let property = element["value"] { list.append(property) }
        default: break
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        depth -= 1
        switch name {
        case "fetchIndex", "compoundIndex": change { if !list.isEmpty { $0.indexes.append(list) } }
        case "uniquenessConstraint": change { if !list.isEmpty { $0.uniquenessConstraints.append(list) } }
        default: break
        }
    }

    private func change(_ body: (inout DataModelEntity) -> Void) {
        guard !entities.isEmpty else { return }
        body(&entities[entities.count - 1])
    }
}
