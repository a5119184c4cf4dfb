import ArgumentParser
import CoreDataStores
import Foundation
import SectionedFetch
import ToolSupport

/// The texts about stores that Core Data or SwiftData wrote.
enum CoreDataHelp {
    /// The paragraph of `--help`.
    static let discussion = """
        A store of Core Data or SwiftData is read with the model that it contains, and never changed. Without --entity, the \
        entities are listed with the numbers of their objects.
        """
}

extension LibraryBrowser {
    /// Whether the entities are listed in place of the objects of one of them.
    var listsEntities: Bool {
        request.isEmpty && columns == nil && cache == nil && section == nil && format == nil
    }

    /// Prints the entities of a store with the numbers of their objects.
    ///
    /// - Throws: ``ToolFailure``, ``ObjectStorageError``.
    func printEntities(of store: CoreDataStore, in container: PersistentContainer) throws {
        let context = container.newContext()
        context.pinBriefly()
        var counts: [(entity: EntityDescription, count: Int)] = []
        for entity in container.model.entities.sorted(by: { $0.name < $1.name }) {
            let request = FetchRequest<ManagedObject>(entityName: entity.name)
            counts.append((entity, try context.count(for: request)))
        }
        try context.setQueryGeneration(from: nil)
        var output = StandardOutput()
        output.write(json ? value(of: store, counts).text : text(of: store, counts))
        try output.finish()
    }

    private func text(
        of store: CoreDataStore, _ counts: [(entity: EntityDescription, count: Int)]
    ) -> String {
        let terminal = Terminal()
        var facts = [Quantity.count(counts.count, "entity", "entities")]
        if let version = store.frameworkVersion { facts.append("framework version \(version)") }
        let identifiers = store.modelVersionIdentifiers.filter { !$0.isEmpty }
        if !identifiers.isEmpty {
            facts.append("model version \(identifiers.joined(separator: ", "))")
        }
        var lines = ["Core Data store: \(facts.joined(separator: ", "))"]
        var table = TextTable(alignments: [.left, .right, .left])
        let rows = counts.map { entity, count in
            let kinds = [entity.isAbstract ? "abstract" : nil, entity.parentName.map { "a kind of \($0)" }]
            return [
                entity.name, Quantity.count(count), kinds.compactMap(\.self).joined(separator: ", "),
            ]
        }
        lines += table.lines(rows, maximumWidth: terminal.isTerminal ? terminal.width : .max)
        for part in store.unreadableParts { lines.append("Not shown: \(TerminalText.escaped("\(part)"))") }
        lines.append(terminal.styled("Pass --entity NAME to list the objects of an entity.", .faint))
        return lines.map { $0 + "\n" }.joined()
    }

    private func value(
        of store: CoreDataStore, _ counts: [(entity: EntityDescription, count: Int)]
    ) -> JSONValue {
        [
            "store": .string(self.store),
            "kind": "Core Data",
            "uuid": .string(ifPresent: store.uuid),
            "frameworkVersion": store.frameworkVersion.map { .count($0) } ?? .null,
            "modelVersionIdentifiers": .array(store.modelVersionIdentifiers.map { .string($0) }),
            "entities": .array(
                counts.map { entity, count in
                    [
                        "name": .string(entity.name),
                        "parent": .string(ifPresent: entity.parentName),
                        "isAbstract": .boolean(entity.isAbstract),
                        "count": .count(count),
                    ]
                }),
            "notShown": .array(store.unreadableParts.map { .string("\($0)") }),
        ]
    }
}
