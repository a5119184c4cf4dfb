import Foundation
import ObjectStorage

/// An element of an XML document, with its children.
final class ModelXML {
    /// The element's name.
    let name: String
    /// The attributes and the line.
    let element: DataModelEntity.Element
    /// The elements directly inside, in their order.
    private(set) var children: [ModelXML] = []

    /// Creates an element without children.
    init(name: String, element: DataModelEntity.Element) {
        self.name = name
        self.element = element
    }

    /// Adds an element after the other children.
    func append(_ child: ModelXML) { children.append(child) }

    /// Returns the root element of an XML document.
    ///
    /// - Throws: ``ObjectStorageError`` if the data is not XML, declares entities, or is nested too deeply.
    static func root(of data: Data) throws(ObjectStorageError) -> ModelXML {
        try ModelXMLParser().root(of: data)
    }
}
