import Foundation
import ObjectStorage

// The static XML library needs further static libraries, which most systems lack (decision 0064).
#if canImport(FoundationXML) && !WITHOUT_XML
import FoundationXML
#endif

/// An element of an XML document, with its children.
final class ModelXML {
    /// The element's name.
    let name: String
    /// The attributes and the line.
    let element: DataModelEntity.Element
    /// The elements directly inside, in their order.
    private(set) var children: [ModelXML] = []

    private init(name: String, element: DataModelEntity.Element) {
        self.name = name
        self.element = element
    }

    /// The greatest depth of nested elements. Models have six levels; the limit bounds the recursion.
    private static let maximumDepth = 32

    /// Returns the root element of an XML document.
    ///
    /// - Throws: ``ObjectStorageError`` if the data is not XML, or is nested too deeply.
    static func root(of data: Data) throws(ObjectStorageError) -> ModelXML {
        #if WITHOUT_XML
        throw ObjectStorageError(
            .invalidModel,
            "This program is linked without an XML parser, so it cannot read the source of a model. Pass the compiled model (.momd or .mom), or build the program with swift build."
        )
        #else
        let delegate = Delegate()
        let parser = XMLParser(data: data)
        parser.delegate = delegate
        parser.shouldResolveExternalEntities = false
        guard parser.parse() else {
            let reason = parser.parserError.map { " (\($0.localizedDescription))" } ?? ""
            throw ObjectStorageError(.invalidModel, "Line \(parser.lineNumber): this is not XML\(reason).")
        }
        // The parser reports no error for a text that ends before its last element.
        guard delegate.depth == 0, let root = delegate.root else {
            throw ObjectStorageError(
                .invalidModel,
                "Line \(parser.lineNumber): this is not XML (it ends before the end of its last element).")
        }
        guard !delegate.isTooDeep else {
            throw ObjectStorageError(
                .invalidModel,
                "This is XML, but not a Core Data model: its elements are nested more than \(maximumDepth) levels deep."
            )
        }
        return root
        #endif
    }

    #if !WITHOUT_XML
    private final class Delegate: NSObject, XMLParserDelegate {
        var root: ModelXML?
        var depth = 0
        var isTooDeep = false
        private var open: [ModelXML] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            depth += 1
            guard depth <= ModelXML.maximumDepth else {
                isTooDeep = true
                return
            }
            let new = ModelXML(
                name: name,
                element: DataModelEntity.Element(attributes: attributes, line: parser.lineNumber))
            if let parent = open.last { parent.children.append(new) } else { root = new }
            open.append(new)
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            if depth <= ModelXML.maximumDepth { _ = open.popLast() }
            depth -= 1
        }
    }
    #endif
}
