/// An entity of a model file, as uninterpreted names and texts in the vocabulary of Apple's XML.
struct DataModelEntity {
    /// The attributes of an XML element, with their location.
    struct Element {
        /// The texts by their names.
        let attributes: [String: String]
        /// The line in the XML; nil in a compiled model.
        let line: Int?

        /// The text of an attribute, or nil if the element does not have it.
        subscript(name: String) -> String? { attributes[name] }
        /// Returns whether the text of an attribute is `YES` or `true`.
        func flag(_ name: String) -> Bool { attributes[name] == "YES" || attributes[name] == "true" }
        /// The location, as the beginning of a message.
        var place: String { line.map { "Line \($0): " } ?? "" }
    }

    /// The element of the entity itself.
    let element: Element
    /// The attributes that the entity declares.
    var attributes: [Element] = []
    /// The relationships that the entity declares.
    var relationships: [Element] = []
    /// The lists of properties whose combined values must differ.
    var uniquenessConstraints: [[String]] = []
    /// The lists of indexed properties.
    var indexes: [[String]] = []
    /// The parts that the library does not support.
    var unsupportedParts: [UnsupportedModelPart] = []

    init(_ element: Element) { self.element = element }

    /// The entity's name.
    var name: String { element["name"] ?? "" }

    /// Adds the list of an index, unless the entity has an index of the same properties in the same order.
    mutating func addIndex(_ list: [String]) {
        if !list.isEmpty, !indexes.contains(list) { indexes.append(list) }
    }
}

extension DataModelEntity {
    /// The name of the class of the objects; nil for the base class.
    var className: String? {
        guard let written = element["representedClassName"] else { return nil }
        // The editor writes a class of the current module with a full stop before it.
        let name = written.split(separator: ".").last.map(String.init) ?? ""
        return name.isEmpty || name == "NSManagedObject" ? nil : name
    }

    /// The names of the types of transformable attributes, by attribute.
    var transformableTypeNames: [String: String] {
        attributes.reduce(into: [:]) { names, attribute in
            guard let name = attribute["name"], let type = attribute["customClassName"], !type.isEmpty else {
                return
            }
            names[name] = type
        }
    }
}
