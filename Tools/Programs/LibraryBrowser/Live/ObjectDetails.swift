import SectionedFetch
import ToolSupport

/// All values of an object and its related objects, as lines of a page.
struct ObjectDetails {
    private let objectID: ObjectID
    private let context: ManagedObjectContext
    private let width: Int

    /// The number of bytes of a value that are shown.
    private static let shownBytes = 4_096

    /// Describes the details of an object.
    ///
    /// - Parameter width: The width of a line, in columns of the terminal.
    init(_ objectID: ObjectID, in context: ManagedObjectContext, width: Int) {
        self.objectID = objectID
        self.context = context
        self.width = width
    }

    /// Returns the lines. A value that cannot be read has a description in its place.
    ///
    /// - Complexity: O(*n*) in the related objects, of which only those that the page shows are read.
    func lines(_ page: LivePage) -> [LivePage.Line] {
        do throws(ObjectStorageError) {
            let object = try context.object(with: objectID)
            let entity = object.entity
            let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
            let widest = names.map { TerminalText.width(of: TerminalText.escaped($0)) }.max() ?? 0
            let indentation = min(widest, 24, max(4, width / 3)) + 2
            var lines: [LivePage.Line] = []
            for attribute in entity.attributes where !attribute.isTransient {
                let text = try self.text(of: attribute, object)
                lines += entry(attribute.name, [text], nil, indentation)
            }
            for relationship in entity.relationships {
                lines +=
                    relationship.isToMany
                    ? try members(of: relationship, object, page, indentation)
                    : try entry(of: relationship, object, indentation)
            }
            return lines
        } catch {
            let text =
                error.code == .objectMissing
                ? "\(objectID) was deleted. Escape goes back."
                : "The object cannot be read: \(context.container.explained(error).message)"
            return TerminalText.wrapped(text, to: width).map { LivePage.Line($0) }
        }
    }

    private func text(
        of attribute: AttributeDescription, _ object: ManagedObject
    ) throws(ObjectStorageError) -> String {
        let value = try object.value(forProperty: attribute.name)
        if case .blob(let bytes) = value, attribute.type != .uuid {
            let rest = bytes.count - Self.shownBytes
            let pairs = bytes.prefix(Self.shownBytes).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return "\(Quantity.count(bytes.count, "byte"))  " + pairs.joined(separator: " ")
                + (rest > 0 ? " … \(Quantity.count(rest)) more" : "")
        }
        let property = try KeyPathProperty(attribute.name, of: object.entity.name, in: context.container)
        return ValueText.text(value, of: property)
    }

    /// Returns a name with its text beside it, in as many lines as it needs.
    private func entry(
        _ name: String, _ texts: [String], _ action: LivePage.Action?, _ indentation: Int
    ) -> [LivePage.Line] {
        let label = TerminalText.fitted(TerminalText.escaped(name), to: indentation - 2) + "  "
        let margin = String(repeating: " ", count: indentation)
        let lines = texts.flatMap { TerminalText.wrapped($0, to: max(8, width - indentation)) }
        return lines.enumerated().map { number, line in
            LivePage.Line((number == 0 ? label : margin) + line, action)
        }
    }

    private func entry(
        of relationship: RelationshipDescription, _ object: ManagedObject, _ indentation: Int
    ) throws(ObjectStorageError) -> [LivePage.Line] {
        guard let other = try object.relatedObject(relationship.name) else {
            return entry(relationship.name, [ValueText.none], nil, indentation)
        }
        return entry(relationship.name, [Self.title(of: other)], .open(other.objectID), indentation)
    }

    private func members(
        of relationship: RelationshipDescription, _ object: ManagedObject, _ page: LivePage,
        _ indentation: Int
    ) throws(ObjectStorageError) -> [LivePage.Line] {
        let objects = try object.relatedObjects(relationship.name)
        let count = Quantity.count(
            objects.count, "object of \(relationship.destinationEntityName)",
            "objects of \(relationship.destinationEntityName)")
        var lines = entry(relationship.name, [count], nil, indentation)
        let shown = page.shownMembers[relationship.name] ?? LivePage.firstMembers
        let margin = String(repeating: " ", count: indentation)
        for other in objects.prefix(shown) {
            let title = TerminalText.escaped(Self.title(of: other))
            lines.append(LivePage.Line(margin + title, .open(other.objectID)))
        }
        if objects.count > shown {
            let rest = Quantity.count(objects.count - shown)
            lines.append(
                LivePage.Line(
                    "\(margin)… \(rest) more: Enter shows them", .more(relationship: relationship.name)))
        }
        return lines
    }

    /// Returns the title of a related object: its first text that is not empty, after attributes called title
    /// or name, and its key.
    static func title(of object: ManagedObject) -> String {
        let texts = object.entity.attributes.filter { $0.type == .string && !$0.isTransient }.map(\.name)
        let preferred = ["title", "name"].filter { name in texts.contains { $0.lowercased() == name } }
        let names = preferred.flatMap { name in texts.filter { $0.lowercased() == name } } + texts
        do throws(ObjectStorageError) {
            for name in names {
                guard let text = try object.value(forProperty: name).text, !text.isEmpty else { continue }
                let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? text
                return "\(line)  (\(object.objectID))"
            }
        } catch {
            return "?  (\(object.objectID))"
        }
        return "\(object.objectID)"
    }
}
