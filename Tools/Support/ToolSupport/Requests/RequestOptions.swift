package import ArgumentParser
import Foundation
package import SectionedFetch

/// The command-line options of browser and inspector for a request.
package struct RequestOptions: ParsableArguments {
    /// The name of the entity, or nil for the first entity of the store.
    @Option(
        help: "The entity to list, or several, joined by “+” (Song+Podcast). [default: the store's first]")
    package var entity: String?

    /// Conditions, all of which must hold.
    @Option(
        name: .customLong("where"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A condition. Repeatable; all conditions must hold.",
            discussion: ConditionSyntax.help + "\n" + PropertyNames.help))
    package var conditions: [String] = []

    /// The sort descriptors.
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The order. [default: the key of --group-by, or for a letter or range the property from which it is computed; without --group-by the order of creation]",
            discussion: SortSyntax.help))
    package var sort: [String] = []

    /// The section key, or the keys of a combined one.
    @Option(
        help: ArgumentHelp(
            "The key that groups rows into sections. With several keys, separated by commas, the rows of a section agree in all of them.",
            discussion: KeySyntax.help))
    package var groupBy: String?

    /// The key of the sections' names.
    @Option(
        help:
            "The keys of the sections' names, separated by commas: one for each key of --group-by. An empty one means the key itself. [default: the key of --group-by; for folded:PROPERTY the property]"
    )
    package var nameBy: String?

    /// The key of subsections.
    @Option(help: "The key that groups the rows of each section into subsections.")
    package var subgroupBy: String?

    /// The key of the subsections' names.
    @Option(
        help:
            "The key of the subsections' names. [default: the key of --subgroup-by; for folded:PROPERTY the property]"
    )
    package var subgroupNameBy: String?

    /// The largest number of rows.
    @Option(parsing: .unconditional, help: "The largest number of rows in total. [default: no limit]")
    package var limit: Int?

    /// The number of rows to skip.
    @Option(parsing: .unconditional, help: "The number of rows to skip at the beginning.")
    package var offset: Int?

    /// Called by the argument parser.
    package init() {}

    /// Whether none of the options was given.
    package var isEmpty: Bool {
        let keys = [groupBy, nameBy, subgroupBy, subgroupNameBy]
        return entity == nil && conditions.isEmpty && sort.isEmpty && keys.allSatisfy { $0 == nil }
            && limit == nil && offset == nil
    }

    /// Throws a `ValidationError` for texts that cannot be parsed, before any file is opened. The name of a
    /// property of the store may explain a colon in a key; ``request(in:)`` reports other colons.
    package func validate() throws {
        do throws(SyntaxFailure) {
            for condition in conditions { _ = try ConditionSyntax(condition) }
        } catch {
            throw ValidationError(error.message)
        }
        let keys = [groupBy, nameBy, subgroupBy, subgroupNameBy].compactMap(\.self)
        if !(sort + keys).contains(where: { $0.contains(":") }) { try validateKeys() }
        for (name, number) in [("--limit", limit), ("--offset", offset)] {
            if let number, number < 0 { throw ValidationError("\(name) \(number) must not be negative.") }
        }
        if limit == 0 { throw ValidationError("--limit 0 would list nothing. Omit --limit for no limit.") }
    }

    /// Throws a `ValidationError` for orders and keys that cannot be parsed without the names of properties:
    /// there is no store.
    package func validateKeys() throws {
        do throws(SyntaxFailure) {
            for text in sort { _ = try SortSyntax.descriptors(text) }
            _ = try sectionKey(.none)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Returns the request of the options for a store.
    ///
    /// - Throws: ``ObjectStorageError`` for an unknown entity or property, with the nearest name, and for a
    ///   value of the wrong type; ``ToolFailure`` if the store has no entities; `ValidationError` for texts
    ///   that cannot be parsed.
    package func request(in container: PersistentContainer) throws -> ListRequest {
        guard let first = container.model.entities.first else {
            throw ToolFailure("The store has no entities to list.")
        }
        let entity = try container.model.requireList(named: entity ?? first.name)
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        do {
            for condition in conditions {
                let predicate = try ConditionSyntax(condition).predicate(of: entity.name, in: container)
                request.predicate = request.predicate.map { $0 && predicate } ?? predicate
            }
        } catch let error as SyntaxFailure {
            throw ValidationError(error.message)
        }
        let names = PropertyNames(of: entity.name, in: container.model)
        let key: SectionKeySyntax?
        do throws(SyntaxFailure) {
            key = try sectionKey(names)
            for text in sort { request.sortDescriptors += try SortSyntax.descriptors(text, names) }
        } catch {
            throw ValidationError(error.message)
        }
        // An aggregate of related objects, such as “albums.@count”, is one value.
        for expression in (key?.expressions ?? []) + request.sortDescriptors.map(\.term.expression)
        where !expression.path.contains(".@") {
            try KeyPathProperty.requireOneValue(expression.path, of: entity.name, in: container)
        }
        if request.sortDescriptors.isEmpty {
            request.sortDescriptors = key?.order ?? [.ascending("objectID")]
        }
        request.fetchLimit = limit ?? 0
        request.fetchOffset = offset ?? 0
        return ListRequest(fetchRequest: request, key: key)
    }

    /// Reads the keys of sections and subsections.
    private func sectionKey(_ names: PropertyNames) throws(SyntaxFailure) -> SectionKeySyntax? {
        try SectionKeySyntax(
            groupBy: groupBy, nameBy: nameBy, subgroupBy: subgroupBy, subgroupNameBy: subgroupNameBy, names)
    }
}
