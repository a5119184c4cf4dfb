import CoreDataStores
import SectionedFetch
import ToolSupport

/// The texts about stores that Core Data or SwiftData wrote.
enum CoreDataHelp {
    /// The paragraph of `--help`.
    static let discussion = """
        A store of Core Data or SwiftData is read with the model that it contains, and never changed.
        """
}

extension CoreDataStore {
    /// The facts for the first line of a description.
    var facts: [String] {
        let identifiers = modelVersionIdentifiers.filter { !$0.isEmpty }
        let version = identifiers.isEmpty ? nil : "model version \(identifiers.joined(separator: ", "))"
        return [frameworkVersion.map { "framework version \($0)" }, version].compactMap(\.self)
    }

    /// The members of a description in JSON.
    var members: [JSONValue.Member] {
        [
            .init("uuid", .string(ifPresent: uuid)),
            .init("frameworkVersion", frameworkVersion.map { .count($0) } ?? .null),
            .init("modelVersionIdentifiers", .array(modelVersionIdentifiers.map { .string($0) })),
            .init("notShown", .array(unreadableParts.map { .string("\($0)") })),
        ]
    }
}
