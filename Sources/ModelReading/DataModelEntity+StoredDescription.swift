import ObjectStorage

extension DataModelEntity {
    /// Returns the entity with only its attributes and relationships.
    ///
    /// - Parameters:
    ///   - parts: Receives the properties that the entity lacks, or has as bytes.
    ///   - rules: The rules for writing, if attributes have them; receives those that cannot be read.
    func storedDescription(
        _ parts: inout [UnsupportedModelPart], _ rules: inout StoredModel.Rules?
    ) -> EntityDescription {
        var attributes: [AttributeDescription] = []
        for element in self.attributes {
            guard let attribute = element["name"] else { continue }
            let isTransient = element.flag("transient")
            let written = element["attributeType"] ?? ""
            guard let type = Self.types[written] else {
                if isTransient { continue }
                parts.append(
                    .unknown(
                        "attribute of the type “\(written)”, read as bytes", name, attribute, element.line))
                attributes.append(AttributeDescription(name: attribute, type: .binaryData, isOptional: true))
                continue
            }
            // Classes state defaults, so these are kept as far as they can be read.
            let names = [
                "name", "attributeType", "optional", "transient", "valueTransformerName",
                "defaultValueString",
                "defaultDateTimeInterval",
            ]
            let plain = Element(
                attributes: element.attributes.filter { names.contains($0.key) }, line: element.line)
            let isOptional = element.flag("optional")
            do throws(ObjectStorageError) {
                if rules?.derivedAttributes[name]?.contains(attribute) == false {
                    do throws(ObjectStorageError) {
                        attributes.append(try ruledAttribute(element, besides: names, &parts))
                        continue
                    } catch {
                        rules?.uncheckedRules[name, default: [:]][attribute] = error.message
                    }
                }
                attributes.append(try self.attribute(plain))
            } catch {
                parts.append(.defaultValue(attribute, of: name, "that cannot be read: \(error.message)"))
                attributes.append(
                    AttributeDescription(
                        name: attribute, type: type, isOptional: isOptional, isTransient: isTransient))
            }
        }
        var relationships: [RelationshipDescription] = []
        for element in self.relationships where !element.flag("transient") {
            do throws(ObjectStorageError) {
                relationships.append(try relationship(element))
            } catch {
                parts.append(.unknown(error.message, name, element["name"], element.line))
            }
        }
        return EntityDescription(
            name: name, parentName: element["parentEntity"], isAbstract: element.flag("isAbstract"),
            attributes: attributes, relationships: relationships, renamingIdentifier: element["elementID"])
    }
}

extension DataModelEntity {
    /// Returns an attribute with its bounds and pattern. A default that cannot be read is left out.
    ///
    /// - Parameters:
    ///   - names: The names of the parts that matter for reading.
    ///   - parts: Receives a default that cannot be read.
    /// - Throws: ``ObjectStorageError`` for a rule that cannot be read.
    private func ruledAttribute(
        _ element: Element, besides names: [String], _ parts: inout [UnsupportedModelPart]
    ) throws(ObjectStorageError) -> AttributeDescription {
        let bounds = [
            "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
            "regularExpressionString",
        ]
        let ruled = element.attributes.filter { (names + bounds).contains($0.key) }
        do throws(ObjectStorageError) {
            return try attribute(Element(attributes: ruled, line: element.line))
        } catch {
            let plain = ruled.filter { !$0.key.hasPrefix("default") }
            let attribute = try attribute(Element(attributes: plain, line: element.line))
            parts.append(
                .defaultValue(attribute.name, of: name, "that cannot be read: \(error.message)"))
            return attribute
        }
    }
}
