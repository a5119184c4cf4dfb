package import ArgumentParser
import Foundation
package import SectionedFetch

/// The command-line options of browser and inspector for a request.
package struct RequestOptions: ParsableArguments {
    /// The name of the entity, or nil for the first entity of the store.
    @Option(help: "The entity to list. [default: the store's first]")
    package var entity: String?

    /// Conditions, all of which must hold.
    @Option(
        name: .customLong("where"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A condition. Repeatable; all conditions must hold.", discussion: ConditionSyntax.help))
    package var conditions: [String] = []

    /// The sort descriptors.
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The order. [default: the key of --group-by, or for letters and ranges their texts and numbers; without --group-by the order of creation]",
            discussion: SortSyntax.help))
    package var sort: [String] = []

    /// The section key.
    @Option(help: ArgumentHelp("The key that groups rows into sections.", discussion: KeySyntax.help))
    package var groupBy: String?

    /// The key of the sections' names.
    @Option(
        help:
            "The key of the sections' names. [default: the key of --group-by; for folded:PROPERTY the property]"
    )
    package var nameBy: String?

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
        entity == nil && conditions.isEmpty && sort.isEmpty && groupBy == nil && nameBy == nil && limit == nil
            && offset == nil
    }

    /// Throws a `ValidationError` for texts that cannot be parsed, before any file is opened.
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
        if limit == 0 { throw ValidationError("--limit 0 would list nothing. Omit it for no limit.") }
    }

    /// Returns the request of the options for a store.
    ///
    /// - Throws: ``ObjectStorageError`` for an unknown entity or property, with the nearest name, and for a
    ///   value of the wrong type; ``ToolFailure`` if the store has no entities.
    package func request(in container: PersistentContainer) throws -> ListRequest {
        guard let first = container.model.entities.first else {
            throw ToolFailure("The store has no entities to list.")
        }
        let entity = try container.model.requireEntity(named: entity ?? first.name)
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        for condition in conditions {
            let predicate = try ConditionSyntax(condition).predicate(of: entity.name, in: container)
            request.predicate = request.predicate.map { $0 && predicate } ?? predicate
        }
        let group = try groupBy.map(KeySyntax.expression)
        var name = try nameBy.map(KeySyntax.expression)
        if let group, group.function == .foldedText, name == nil { name = .path(group.path) }
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

    /// Returns the default order of a list.
    private static func usualOrder(
        groupedBy group: KeyExpression?, namedBy name: KeyExpression?
    ) -> [FetchRequest<ManagedObject>.SortDescriptor] {
        guard let group else { return [.ascending("objectID")] }
        // If the name belongs to the object of the key, as in artists by their names, the name sorts first
        // and the key separates objects of one name. Other names need not agree with the key and sort second.
        let keys = name.map { $0.path.hasPrefix(group.path + ".") ? [$0, group] : [group, $0] } ?? [group]
        return keys.flatMap { key -> [FetchRequest<ManagedObject>.SortDescriptor] in
            let locale: String
            switch key.function {
            case .firstLetter(let identifier, _): locale = identifier
            case .indexLetter(let locale):
                return [.ascending(.path(key.path), order: .indexed(Locale(identifier: locale)))]
            case .range: return [.ascending(.path(key.path))]
            default: return [.ascending(key)]
            }
            // The order of the alphabet from which the letters are taken.
            let order = TextOrder.localized(Locale(identifier: locale))
            let byText = FetchRequest<ManagedObject>.SortDescriptor.ascending(.path(key.path), order: order)
            guard case .firstLetter(_, .apart) = key.function else { return [byText] }
            return [.ascending(key, order: order), byText]
        }
    }
}

/// A request that is built at run time, with its section key.
package struct ListRequest: Sendable {
    /// The objects and their order.
    package var fetchRequest: FetchRequest<ManagedObject>
    /// The section key, or nil for one section.
    package let sectionKey: SectionKey?

    /// A description of the request.
    package var summary: String {
        "\(fetchRequest.description)" + (sectionKey.map { ", in sections by \($0)" } ?? ", in one section")
    }
}
