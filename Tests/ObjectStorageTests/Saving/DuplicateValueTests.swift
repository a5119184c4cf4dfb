import Foundation
import ObjectStorage
import Testing

/// The error of a save that would make a second object with a unique value.
@Suite struct DuplicateValueTests {
    private func error(
        _ constraints: String, _ assign: (ManagedObject) throws -> Void, changing: Bool = false
    ) throws -> ObjectStorageError? {
        let unique = constraints.isEmpty ? #", "isUnique": true"# : ""
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(
                jsonText: """
                    [{"name": "Artist", "attributes": [{"name": "name", "type": "string"\(unique)},
                      {"name": "year", "type": "integer32", "isOptional": true}]\(constraints)}]
                    """))
        let context = container.newContext()
        try assign(context.insert(entityNamed: "Artist"))
        try context.save()
        let second = try context.insert(entityNamed: "Artist")
        second["name"] = "another"
        if changing { try context.save() }
        try assign(second)
        do {
            try context.save()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [false, true]) func `the error names the property, the value and the remedy`(
        changing: Bool
    ) throws {
        let error = try error("", { $0["name"] = "Nina Simone" }, changing: changing)
        #expect(error?.code == .duplicateValue)
        #expect(
            error?.message.contains("another object already has the unique value name “Nina Simone”") == true)
        #expect(error?.message.contains("mergePolicy") == true && error?.entityName == "Artist")
    }

    @Test func `the error of a constraint names all its properties`() throws {
        let error = try error(
            #", "uniquenessConstraints": [["name", "year"]]"#,
            {
                $0["name"] = "Nina, Simone: a"
                $0["year"] = 1933
            })
        #expect(
            error?.message.contains("the unique values name “Nina, Simone: a”, year 1933") == true)
    }
}
