import SectionedFetch

/// The schema of the data: parts on shelves in halls, with tags; in tables of the library or in external
/// tables.
struct WarehouseSchema {
    /// The origin of the tables: created by the library, or external tables with or without tracking.
    enum Origin: CaseIterable {
        case ours, tracked, untracked
    }

    /// An attribute of a part. The raw value is its index in the values of a ``Record``.
    enum Field: Int, CaseIterable {
        case name, code, lot, rank, price, made, note

        var attribute: String { "\(self)" }
    }

    let origin: Origin

    var isOurs: Bool { origin == .ours }
    var key: String { isOurs ? "objectID" : "id" }
    var parts: String { isOurs ? "Part" : "parts" }
    var shelves: String { isOurs ? "Shelf" : "shelves" }
    var halls: String { isOurs ? "Hall" : "halls" }
    var tags: String { isOurs ? "Tag" : "tags" }
    var links: String { isOurs ? "\"Part.tags\"" : "part_tags" }
    var linkedPart: String { isOurs ? "source" : "part" }
    var linkedTag: String { isOurs ? "target" : "tag" }

    /// The statements that create the external tables.
    static let existingTables = """
        CREATE TABLE halls (id INTEGER PRIMARY KEY, name TEXT, note INTEGER NOT NULL);
        CREATE TABLE shelves (
            id INTEGER PRIMARY KEY, name TEXT UNIQUE, note INTEGER NOT NULL, hall INTEGER REFERENCES halls);
        CREATE TABLE parts (
            id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE, lot TEXT COLLATE NOCASE, rank INTEGER NOT NULL,
            price TEXT, made REAL, note INTEGER NOT NULL, shelf INTEGER REFERENCES shelves);
        CREATE TABLE tags (id INTEGER PRIMARY KEY, word TEXT NOT NULL);
        CREATE TABLE part_tags (
            part INTEGER REFERENCES parts ON DELETE CASCADE, tag INTEGER REFERENCES tags ON DELETE CASCADE,
            PRIMARY KEY (part, tag)) WITHOUT ROWID;
        """

    /// Returns the model of the tables.
    func model() throws -> ManagedObjectModel {
        func table(_ name: String, links: [String: ExistingLinkTable] = [:]) -> ExistingTable? {
            isOurs ? nil : ExistingTable(name: name, primaryKey: "id", links: links)
        }
        let named: [AttributeDescription] = [
            AttributeDescription(name: "name", type: .string, isOptional: true),
            AttributeDescription(name: "note", type: .integer64, defaultValue: .integer(0)),
        ]
        let partTags = ExistingLinkTable(name: "part_tags", ownColumn: "part", otherColumn: "tag")
        var entities = [
            EntityDescription(
                name: "Part",
                attributes: [
                    AttributeDescription(name: "name", type: .string, isOptional: true),
                    AttributeDescription(name: "code", type: .string, isOptional: true, isUnique: isOurs),
                    AttributeDescription(name: "lot", type: .string, isOptional: true, isIndexed: isOurs),
                    AttributeDescription(name: "rank", type: .integer32, defaultValue: .integer(0)),
                    AttributeDescription(name: "price", type: .decimal, isOptional: true),
                    AttributeDescription(name: "made", type: .date, isOptional: true),
                    AttributeDescription(name: "note", type: .integer64, defaultValue: .integer(0)),
                ],
                relationships: [
                    .toOne("shelf", to: "Shelf", inverse: "parts"),
                    .toMany("tags", to: "Tag", inverse: "parts"),
                ], existingTable: table("parts", links: ["tags": partTags])),
            EntityDescription(
                name: "Shelf", attributes: named,
                relationships: [
                    .toMany("parts", to: "Part", inverse: "shelf"),
                    .toOne("hall", to: "Hall", inverse: "shelves"),
                ], uniquenessConstraints: isOurs ? [["name"]] : [], existingTable: table("shelves")),
            EntityDescription(
                name: "Hall", attributes: named,
                relationships: [.toMany("shelves", to: "Shelf", inverse: "hall")],
                existingTable: table("halls")),
            EntityDescription(
                name: "Tag",
                attributes: [AttributeDescription(name: "word", type: .string, defaultValue: .text(""))],
                relationships: [.toMany("parts", to: "Part", inverse: "tags")], existingTable: table("tags")),
        ]
        if isOurs {
            entities.append(
                EntityDescription(
                    name: "Machine", parentName: "Part",
                    attributes: [AttributeDescription(name: "power", type: .double, isOptional: true)]))
        }
        return try ManagedObjectModel(entities: entities)
    }
}
