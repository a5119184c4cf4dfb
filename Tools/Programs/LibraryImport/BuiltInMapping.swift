import RecordReading
import SectionedFetch

/// The built-in mapping of a well-known kind of file: a key, types, forms and relationships.
struct BuiltInMapping {
    /// A sentence about the kind of file; nil for a format that identifies itself.
    let note: String?
    /// The column that identifies a row.
    var key: String?
    /// The types of columns.
    var types: [String: AttributeType] = [:]
    /// The forms of columns.
    var forms: [String: TextForm] = [:]
    /// The columns that become relationships.
    var relationships: [Mapping.Relationship] = []

    /// Finds the mapping of a file; nil if it has none.
    init?(_ reader: any RecordReader, fieldNames: [String]) {
        let names = Set(fieldNames)
        if reader is CSVReader {
            let exports = [
                (Self.goodreadsNames, Self.goodreads), (Self.libraryThingNames, Self.libraryThing),
            ]
            let known = Set(fieldNames.map(Self.folded))
            // Some columns may have been removed from the export.
            guard
                let (_, export) = exports.first(where: { marks, _ in
                    marks.count { known.contains(Self.folded($0)) } >= marks.count - 2
                })
            else { return nil }
            self = export.renamed(fieldNames)
        } else if reader is NamedRecordReader || reader is JoinedReader {
            guard let found = Self.named(names) else { return nil }
            self = found
        } else {
            return nil
        }
    }

    /// Returns a name in lowercase, without blanks at either end.
    private static func folded(_ name: String) -> String {
        String(name.lowercased().drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Returns this mapping with the names of columns as a file spells them. A key that the file does not
    /// have is left out, and the note names it.
    private func renamed(_ fieldNames: [String]) -> BuiltInMapping {
        var names: [String: String] = [:]
        for name in fieldNames { names[Self.folded(name)] = names[Self.folded(name)] ?? name }
        func keys<Value>(_ values: [String: Value]) -> [String: Value] {
            Dictionary(
                uniqueKeysWithValues: values.compactMap { name, value in
                    names[Self.folded(name)].map { ($0, value) }
                })
        }
        let column = key.flatMap { names[Self.folded($0)] }
        var note = note
        if let key, column == nil {
            note = note?.replacing("the key is “\(key)”", with: "the key “\(key)” is missing")
        }
        return BuiltInMapping(
            note: note, key: column, types: keys(types), forms: keys(forms), relationships: relationships)
    }

    private init(
        note: String? = nil, key: String? = nil, types: [String: AttributeType] = [:],
        forms: [String: TextForm] = [:], relationships: [Mapping.Relationship] = []
    ) {
        self.note = note
        self.key = key
        self.types = types
        self.forms = forms
        self.relationships = relationships
    }

    private static func note(_ program: String, _ parts: String) -> String {
        "The header is that of a \(program) export, so its built-in mapping is used: \(parts). Pass --no-built-in to import the texts as they are."
    }

    private static let goodreadsNames: Set<String> = [
        "Book Id", "Title", "Author", "My Rating", "Date Read", "Date Added", "Exclusive Shelf",
    ]
    private static let libraryThingNames: Set<String> = [
        "Book Id", "Title", "Primary Author", "Rating", "Entry Date", "Collections",
    ]

    private static var goodreads: BuiltInMapping {
        var isbn = TextForm()
        isbn.isUnquoted = true
        isbn.noValue = [""]
        var rating = TextForm()
        rating.noValue = ["0"]
        var average = TextForm()
        average.isByValue = true
        var date = TextForm()
        date.date = DateForm(text: "yyyy/MM/dd")
        let numbers = [
            "Book Id", "My Rating", "Number of Pages", "Year Published", "Original Publication Year",
            "Read Count", "Owned Copies",
        ]
        var types = Dictionary(uniqueKeysWithValues: numbers.map { ($0, AttributeType.integer64) })
        types["Average Rating"] = .double
        types["ISBN"] = .string
        types["ISBN13"] = .string
        types["Date Read"] = .date
        types["Date Added"] = .date
        return BuiltInMapping(
            note: note(
                "Goodreads",
                "the key is “Book Id”, the signs around ISBNs are removed, a rating of 0 is no rating, and dates are stored as dates"
            ), key: "Book Id", types: types,
            forms: [
                "ISBN": isbn, "ISBN13": isbn, "My Rating": rating, "Average Rating": average,
                "Date Read": date, "Date Added": date,
            ])
    }

    private static var libraryThing: BuiltInMapping {
        var rating = TextForm()
        rating.noValue = ["0", ""]
        rating.isByValue = true
        var types: [String: AttributeType] = ["Book Id": .integer64, "Rating": .double]
        for name in ["ISBN", "ISBNs", "LCCN", "Barcode", "OCLC", "Date"] { types[name] = .string }
        return BuiltInMapping(
            note: note(
                "LibraryThing",
                "the key is “Book Id”, a rating of 0 is no rating, and ISBNs, other book numbers and years are stored as texts"
            ), key: "Book Id", types: types, forms: ["Rating": rating])
    }

    /// Returns the mapping of a table of a music library, of BibTeX or of MARC.
    private static func named(_ names: Set<String>) -> BuiltInMapping? {
        if names.isSuperset(of: ["Item ID", "Position", "Playlist", "Track"]) {
            return BuiltInMapping(
                key: "Item ID",
                relationships: [
                    .init(
                        name: "playlist", column: "Playlist", entity: "Playlist",
                        attribute: "Playlist Persistent ID", inverse: "items"),
                    .init(
                        name: "track", column: "Track", entity: "Track", attribute: "Persistent ID",
                        inverse: "playlistItems"),
                ])
        }
        if names.isSuperset(of: ["Playlist ID", "Playlist Persistent ID"]) {
            let parent = Mapping.Relationship(
                name: "parent", column: "Parent Persistent ID", entity: "Playlist",
                attribute: "Playlist Persistent ID", inverse: "children")
            return BuiltInMapping(key: "Playlist Persistent ID", relationships: [parent])
        }
        if names.isSuperset(of: ["Track ID", "Persistent ID"]) {
            return BuiltInMapping(key: "Persistent ID")
        }
        if names.isSuperset(of: ["entryType", "citationKey"]) { return BuiltInMapping(key: "citationKey") }
        return names.contains("controlNumber") ? BuiltInMapping(key: "controlNumber") : nil
    }
}

extension BuiltInMapping {
    /// Applies this mapping to a proposal.
    ///
    /// - Returns: The names of the attributes whose types it sets.
    func apply(to mapping: inout Mapping, fieldNames: [String]) -> Set<String> {
        var typed: Set<String> = []
        for position in mapping.attributes.indices {
            let column = mapping.attributes[position].column
            if let type = types[column] {
                mapping.attributes[position].type = type
                typed.insert(mapping.attributes[position].name)
            }
            mapping.attributes[position].form = forms[column]
        }
        if let key, let attribute = mapping.attributes.first(where: { $0.column == key }) {
            mapping.key = attribute.name
        }
        addRelationships(to: &mapping, fieldNames) { _ in true }
        return typed
    }

    /// Applies this mapping to that of an entity of a store, as far as its attributes have the types.
    func apply(to mapping: inout Mapping, of entity: EntityDescription, fieldNames: [String]) {
        for position in mapping.attributes.indices {
            let attribute = mapping.attributes[position]
            guard types[attribute.column] == attribute.type else { continue }
            mapping.attributes[position].form = forms[attribute.column]
        }
        addRelationships(to: &mapping, fieldNames) { relationship in
            entity.toOneRelationships.contains {
                $0.name == relationship.name && $0.destinationEntityName == relationship.entity
            }
        }
    }

    private func addRelationships(
        to mapping: inout Mapping, _ fieldNames: [String], where isKnown: (Mapping.Relationship) -> Bool
    ) {
        for var relationship in relationships where fieldNames.contains(relationship.column) {
            // The entity of the rows may have another name than their table.
            if relationship.name == "parent" { relationship.entity = mapping.entity }
            guard isKnown(relationship) else { continue }
            mapping.attributes.removeAll { $0.column == relationship.column }
            mapping.relationships.removeAll { $0.column == relationship.column }
            mapping.relationships.append(relationship)
        }
    }
}
