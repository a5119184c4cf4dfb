package import ArgumentParser
import Foundation
package import SectionedFetch

/// What to list, as browser and inspector take it from the command line.
package struct RequestOptions: ParsableArguments {
    /// The entity; the first of the store if not given.
    @Option(help: "The entity to list. [default: the store's first]")
    package var entity: String?

    /// Conditions, all of which must hold.
    @Option(
        name: .customLong("where"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A condition. Several must all hold.", discussion: ConditionSyntax.help))
    package var conditions: [String] = []

    /// The order.
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The order. [default: that of --group-by, letters with their texts, else that in which objects were made]",
            discussion: SortSyntax.help))
    package var sort: [String] = []

    /// What sections are made of.
    @Option(help: ArgumentHelp("What to make sections by.", discussion: KeySyntax.help))
    package var groupBy: String?

    /// What sections are called.
    @Option(help: "What to call sections, if not by what they are made of.")
    package var nameBy: String?

    /// The greatest number of rows.
    @Option(parsing: .unconditional, help: "The greatest number of rows in all. [default: no limit]")
    package var limit: Int?

    /// How many rows to leave out.
    @Option(parsing: .unconditional, help: "How many rows to leave out at the beginning.")
    package var offset: Int?

    /// Called by the argument parser.
    package init() {}

    /// Whether nothing at all was said about what to list.
    package var isEmpty: Bool {
        entity == nil && conditions.isEmpty && sort.isEmpty && groupBy == nil && nameBy == nil && limit == nil
            && offset == nil
    }

    /// Refuses texts that cannot be read, before any file is looked at.
    package func validate() throws {
        do {
            for condition in conditions { _ = try ConditionSyntax(condition) }
            _ = try sort.map(SortSyntax.descriptors)
            _ = try groupBy.map(KeySyntax.expression)
            _ = try nameBy.map(KeySyntax.expression)
        } catch {
            throw ValidationError(error.message)
        }
        if nameBy != nil, groupBy == nil { throw ValidationError("--name-by needs --group-by.") }
        for (name, number) in [("--limit", limit), ("--offset", offset)] {
            if let number, number < 0 { throw ValidationError("\(name) \(number) must not be negative.") }
        }
        if limit == 0 { throw ValidationError("--limit 0 would list nothing. Leave it out for no limit.") }
    }

    /// The request that the options ask of a store.
    ///
    /// - Throws: ``ObjectStorageError``: no such entity or property, with the nearest name; a value of the
    ///   wrong type.
    package func request(in container: PersistentContainer) throws -> ListRequest {
        guard let first = container.model.entities.first else {
            throw ToolFailure("The store has no entities, so there is nothing to list.")
        }
        let entity = try container.model.requireEntity(named: entity ?? first.name)
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        for condition in conditions {
            let predicate = try ConditionSyntax(condition).predicate(of: entity.name, in: container)
            request.predicate = request.predicate.map { $0 && predicate } ?? predicate
        }
        let group = try groupBy.map(KeySyntax.expression)
        let name = try nameBy.map(KeySyntax.expression)
        request.sortDescriptors = try sort.flatMap(SortSyntax.descriptors)
        for expression in [group, name].compactMap({ $0 }) + request.sortDescriptors.map(\.term.expression) {
            try KeyPathProperty.requireOneValue(expression.path, of: entity.name, in: container)
        }
        if request.sortDescriptors.isEmpty {
            request.sortDescriptors = Self.usualOrder(groupedBy: group, namedBy: name)
        }
        request.fetchLimit = limit ?? 0
        request.fetchOffset = offset ?? 0
        return ListRequest(fetchRequest: request, sectionKey: group.map { SectionKey($0, namedBy: name) })
    }

    /// The order of a list for which none is asked for.
    private static func usualOrder(
        groupedBy group: KeyExpression?, namedBy name: KeyExpression?
    ) -> [FetchRequest<ManagedObject>.SortDescriptor] {
        guard let group else { return [.ascending("objectID")] }
        // Artists by their names, then those of one name by themselves. Other names need not go with what is
        // grouped by.
        let keys = name.map { $0.path.hasPrefix(group.path + ".") ? [$0, group] : [group, $0] } ?? [group]
        return keys.flatMap { key -> [FetchRequest<ManagedObject>.SortDescriptor] in
            guard case .firstLetter(let locale, let diacritics) = key.function else {
                return [.ascending(key)]
            }
            // As the alphabet has them that the letters are taken from.
            let order = TextOrder.localized(Locale(identifier: locale))
            let byText = FetchRequest<ManagedObject>.SortDescriptor.ascending(.path(key.path), order: order)
            return diacritics == .apart ? [.ascending(key, order: order), byText] : [byText]
        }
    }
}

/// A request whose shape was not known before the program ran, and how its rows come in sections.
package struct ListRequest: Sendable {
    /// Which objects in which order.
    package var fetchRequest: FetchRequest<ManagedObject>
    /// What rows are grouped by.
    package let sectionKey: SectionKey?

    /// The request in words.
    package var summary: String {
        "\(fetchRequest.description)" + (sectionKey.map { ", in sections by \($0)" } ?? ", in one section")
    }
}
