import Foundation
import SectionedFetch
import ToolSupport

extension Listing {
    /// Prints the listing as one JSON object.
    ///
    /// - Throws: ``ToolFailure``, ``ObjectStorageError``.
    func printJSON() throws {
        var unreadable = UnreadableRows()
        let container = controller.managedObjectContext.container
        let forms = [
            SectionKeyForm(request, in: container),
            SectionKeyForm(request, ofSubsections: true, in: container),
        ]
        let sectionValues = try sectionPositions().map { position in
            let name = request.name(of: sections[position], in: container)
            return sectionValue(sections[position], named: name, forms[...], &unreadable)
        }
        let sinceProcessStart = ProcessStart.marked.elapsed
        let sinceOpening = ContinuousClock.now - beforeOpening
        let value: JSONValue = [
            "store": .string(storePath),
            "entity": .string(request.fetchRequest.entityName),
            "request": .string(shownRequest),
            "cache": try cacheValue(),
            "numberOfRows": .count(controller.fetchedObjects?.count ?? 0),
            "numberOfSections": .count(sections.count),
            "numberOfSubsections": numberOfSubsections.map(JSONValue.count) ?? .null,
            "columns": .array(columns.map { .string($0.property.path) }),
            "sections": .array(sectionValues),
            // Measured after all of the values above were read.
            "secondsSinceProcessStart": .number(Quantity.seconds(sinceProcessStart)),
            "secondsSinceOpening": .number(Quantity.seconds(sinceOpening)),
        ]
        try controller.managedObjectContext.setQueryGeneration(from: nil)
        var output = StandardOutput()
        output.write(value.text)
        try output.finish()
        try unreadable.check(controller.managedObjectContext.container)
    }

    /// Returns a section as JSON.
    ///
    /// - Parameter forms: The forms of the keys of this section and of its subsections.
    private func sectionValue(
        _ section: SectionInfo<ManagedObject>, named name: String?, _ forms: ArraySlice<SectionKeyForm>,
        _ unreadable: inout UnreadableRows
    ) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(ifPresent: name)),
            .init("key", forms.first?.json(of: section) ?? .null),
            .init("indexTitle", .string(section.indexTitle)),
            .init("identity", .string(section.identity.hexadecimalText)),
            .init("numberOfRows", .count(section.numberOfObjects)),
        ]
        if let subsections = section.subsections {
            let container = controller.managedObjectContext.container
            let values = subsections.map { subsection in
                let name = request.name(ofSubsection: subsection, in: container)
                return sectionValue(subsection, named: name, forms.dropFirst(), &unreadable)
            }
            members.append(.init("subsections", .array(values)))
        } else {
            let objects = section.objects
            let rows = (0..<min(numberOfRows, objects.count)).map { rowValue(objects[$0], &unreadable) }
            members.append(.init("rows", .array(rows)))
        }
        return .object(members)
    }

    private func rowValue(_ object: ManagedObject, _ unreadable: inout UnreadableRows) -> JSONValue {
        var members: [JSONValue.Member] = []
        for column in columns {
            do throws(ObjectStorageError) {
                let value = try column.property.value(for: object)
                members.append(
                    JSONValue.Member(column.property.path, ValueText.json(value, of: column.property)))
            } catch {
                unreadable.note(error)
                members.append(JSONValue.Member(column.property.path, .null))
            }
        }
        return .object(members)
    }

    private func cacheValue() throws(ObjectStorageError) -> JSONValue {
        guard let name = controller.cacheName, let lookup = controller.cacheLookup else { return .null }
        var members = [
            JSONValue.Member("name", .string(name.rawValue)),
            JSONValue.Member("directory", .string(controller.cacheStore.directory.path)),
        ]
        switch lookup {
        case .hit: members.append(JSONValue.Member("lookup", "hit"))
        case .advanced(_, let count):
            members.append(JSONValue.Member("lookup", "hit"))
            members.append(JSONValue.Member("advancedRows", .integer(Int64(count))))
        case .miss(let reason):
            members.append(JSONValue.Member("lookup", "miss"))
            members.append(JSONValue.Member("reason", .string(reason.description)))
        }
        switch try finishSaving() {
        case .saved: members.append(JSONValue.Member("isSaved", true))
        case .notSaved(let reason):
            members.append(JSONValue.Member("isSaved", false))
            members.append(JSONValue.Member("notSavedBecause", .string(reason)))
        case nil: break
        }
        return .object(members)
    }
}
