import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// The entities of databases that other programs made.
@Suite struct DatabaseSurveyTests {
    private func survey(
        _ schema: String, _ rows: String = "", for purpose: DatabaseSurvey.Purpose = .reading
    ) throws -> (DatabaseSurvey, Chinook) {
        let owner = try Chinook(schema: schema, rows: rows)
        return (try DatabaseSurvey(of: owner.url, for: purpose), owner)
    }

    private func open(_ survey: DatabaseSurvey, _ owner: Chinook) throws -> PersistentContainer {
        try PersistentContainer(
            url: owner.url, model: survey.model,
            options: StoreOptions(isReadOnly: true, existingTables: .untracked))
    }

    private func properties(_ survey: DatabaseSurvey, of entity: String) throws -> [String: String] {
        let entity = try #require(survey.model.entity(named: entity))
        var properties: [String: String] = [:]
        for attribute in entity.attributes {
            let form = entity.existingTable?.forms[attribute.name].map { " as \($0.rawValue)" } ?? ""
            properties[attribute.name] = attribute.type.rawValue + form
        }
        for relationship in entity.relationships {
            properties[relationship.name] =
                "\(relationship.isToMany ? "many" : "one") \(relationship.destinationEntityName).\(relationship.inverseName ?? "")"
        }
        return properties
    }

    private func reason(_ survey: DatabaseSurvey, _ table: String) -> String? {
        guard case .notTaken(let reason, _)? = survey.tables.first(where: { $0.name == table })?.role else {
            return nil
        }
        return reason
    }

    @Test func `tables become entities, foreign keys relationships, and pairs many-to-many`() throws {
        let (survey, owner) = try survey(Chinook.schema, Chinook.rows)
        #expect(survey.kind == .other)
        #expect(survey.model.entities.map(\.name) == ["artists", "albums", "tracks", "playlists"])
        #expect(
            try properties(survey, of: "albums") == [
                "Title": "string", "Artist": "one artists.albums", "Release Date": "double",
                "price_in €": "double", "rating": "double", "note": "string", "shout": "string",
                "tracks": "many tracks.Album",
            ])
        #expect(
            try properties(survey, of: "tracks") == [
                "Name": "string", "Album": "one albums.tracks", "milliseconds": "integer64",
                "playlists": "many playlists.tracks",
            ])
        #expect(
            survey.tables.last?.role == .link(entityName: "playlists", relationshipName: "tracks"))
        let context = try open(survey, owner).newContext()
        let request = FetchRequest<ManagedObject>(
            entityName: "albums", sortDescriptors: [.ascending("Artist.Name"), .ascending("Title")])
        let albums = try context.fetch(request)
        #expect(try albums.map { try $0.value(forProperty: "Title") } == ["Powerage", "Breaker", "breaker"])
        #expect(try albums.map { try $0.value(forProperty: "shout") } == ["POWERAGE", "BREAKER", "BREAKER"])
        let playlist = try #require(
            try context.fetch(
                FetchRequest<ManagedObject>(
                    entityName: "playlists", predicate: .comparison("Name", .equal, "Loud"))
            ).first)
        #expect(try playlist.relatedObjects("tracks").map(\.objectID.primaryKey) == [1, 2])
        #expect(
            try ManagedObjectModel(inferredFrom: owner.url, for: .writing).entity(named: "albums")?
                .attribute(named: "shout") == nil)
    }

    @Test func `types follow from values, and from declarations where there are none`() throws {
        let (survey, _) = try survey(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, none, wrong INTEGER, half REAL, whole DOUBLE, flag BOOLEAN,
                two BOOLEAN, money DECIMAL(10,2), bytes BLOB, mixed, both BLOB, big, uid UUID, guid GUID, code VARCHAR(3));
            CREATE TABLE e (id INTEGER PRIMARY KEY, text VARCHAR(9), none, int INTEGER, half FLOAT, flag BOOL, money NUMERIC,
                bytes BLOB, at DATETIME, on_day DATE, long BIGINT);
            CREATE TABLE s (id INTEGER PRIMARY KEY, n INT, t TEXT, a ANY) STRICT;
            """,
            """
            INSERT INTO t VALUES
                (1, 'a', 7, 'x', 1.5, 2, 1, 2, 9.5, x'00', 'a', 'a', 9007199254740993, x'00112233445566778899aabbccddeeff',
                    '00112233-4455-6677-8899-AABBCCDDEEFF', 'abc'),
                (2, NULL, 8, 'y', 2, 3, 0, 1, 10, x'01', 5, x'00', 0.5, NULL, NULL, '5');
            """)
        #expect(
            try properties(survey, of: "t") == [
                "text": "string", "none": "integer64", "wrong": "string", "half": "double", "whole": "double",
                "flag": "boolean", "two": "integer64", "money": "double", "bytes": "binaryData",
                "mixed": "string as numberOrText", "big": "string as numberOrText", "uid": "uuid",
                "guid": "uuid as uuidText", "code": "string",
            ])
        let both = survey.tables[0].columns.first { $0.name == "both" }
        #expect(both?.role == .notTaken(reason: "it holds bytes beside values of other types"))
        #expect(
            try properties(survey, of: "e") == [
                "text": "string", "none": "string as numberOrText", "int": "integer64", "half": "double",
                "flag": "boolean", "money": "double", "bytes": "binaryData", "at": "string as numberOrText",
                "on_day": "string as numberOrText", "long": "integer64",
            ])
        #expect(
            try properties(survey, of: "s") == [
                "n": "integer64", "t": "string", "a": "string as numberOrText",
            ])
        #expect(survey.tables[0].columns.first { $0.name == "wrong" }?.note == "texts, by the values")
    }

    @Test func `tables without a usable key are refused with the reason, or only read`() throws {
        let schema = """
            CREATE TABLE keyless (name TEXT);
            CREATE TABLE texts (code TEXT PRIMARY KEY, name TEXT);
            CREATE TABLE pairs (a INTEGER, b INTEGER, note TEXT, PRIMARY KEY (a, b));
            CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE points (x INTEGER, y INTEGER, PRIMARY KEY (x, y)) WITHOUT ROWID;
            CREATE TABLE numbers (number INTEGER PRIMARY KEY NOT NULL, name TEXT) WITHOUT ROWID;
            CREATE TABLE codes (code INTEGER NOT NULL UNIQUE, name TEXT);
            CREATE TABLE maybe (code INTEGER UNIQUE, name TEXT);
            CREATE TABLE partly (code INTEGER NOT NULL, name TEXT);
            CREATE UNIQUE INDEX partly_code ON partly (code) WHERE name IS NOT NULL;
            CREATE TABLE texted (code INT NOT NULL UNIQUE, name TEXT);
            CREATE TABLE hidden (rowid TEXT, _rowid_ TEXT, oid TEXT);
            CREATE VIEW names AS SELECT name FROM codes;
            CREATE TABLE sc_other (id INTEGER PRIMARY KEY);
            """
        let rows = "INSERT INTO texted VALUES ('one', 'x'); INSERT INTO codes VALUES (5, 'five');"
        let (written, owner) = try survey(schema, rows, for: .writing)
        #expect(written.model.entities.map(\.name) == ["numbers", "codes"])
        #expect(reason(written, "keyless") == "it declares no key, and VACUUM may renumber such rows")
        #expect(reason(written, "texts")?.hasPrefix("its key “code” is of type TEXT") == true)
        #expect(reason(written, "pairs")?.hasPrefix("its key consists of the columns “a”, “b”") == true)
        #expect(
            reason(written, "names")
                == "a view has no rows of its own, so it cannot be written or tracked")
        #expect(reason(written, "sc_other")?.contains("reserved") == true)
        for table in written.tables {
            if case .notTaken(let reason, let remedy) = table.role {
                #expect(!reason.isEmpty && !remedy.isEmpty && !reason.hasSuffix("."), "\(table)")
            }
        }
        // A container accepts the model, even with tracking.
        _ = try PersistentContainer(
            url: owner.url, model: written.model, options: StoreOptions(existingTables: .tracked))

        let (read, other) = try survey(schema, rows)
        let readOnly = ["keyless", "texts", "pairs", "maybe", "partly", "texted"]
        #expect(Set(read.model.entities.map(\.name)) == Set(readOnly + ["numbers", "codes"]))
        #expect(Set(read.tables.filter(\.isReadOnly).map(\.name)) == Set(readOnly))
        #expect(
            reason(read, "words") != nil && reason(read, "points") != nil && reason(read, "hidden") != nil)
        try other.sqlite(
            "INSERT INTO texts VALUES ('a', 'A'), ('b', 'B'); INSERT INTO pairs VALUES (1, 2, 'n')")
        let context = try open(read, other).newContext()
        let texts = FetchRequest<ManagedObject>(
            entityName: "texts", predicate: .comparison("code", .equal, "b"))
        #expect(try context.fetch(texts).map { try $0.value(forProperty: "name") } == ["B"])
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "pairs")) == 1)
        // A container that may write does not accept row IDs as keys.
        for options in [
            StoreOptions(existingTables: .untracked), StoreOptions(existingTables: .tracked),
            StoreOptions(isReadOnly: true, existingTables: .tracked),
        ] {
            let error = #expect(throws: ObjectStorageError.self) {
                try PersistentContainer(url: other.url, model: read.model, options: options)
            }
            #expect(error?.code == .existingTableMismatch || error?.code == .storeReadOnly)
        }
    }

    @Test func `foreign keys that are not relationships stay attributes, with the reason`() throws {
        let (survey, _) = try survey(
            """
            CREATE TABLE countries (id INTEGER PRIMARY KEY, code TEXT UNIQUE, iso INTEGER NOT NULL UNIQUE);
            CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE points (x INTEGER, y INTEGER, PRIMARY KEY (x, y));
            CREATE TABLE cities (
                id INTEGER PRIMARY KEY REFERENCES countries, code TEXT REFERENCES countries (code),
                iso INTEGER REFERENCES countries (iso), lost INTEGER REFERENCES nowhere, word TEXT REFERENCES words,
                x INTEGER, y INTEGER, odd INTEGER REFERENCES countries, country INTEGER REFERENCES COUNTRIES (ID),
                twin INTEGER REFERENCES cities, capital_id INTEGER REFERENCES cities ON DELETE SET NULL,
                made INTEGER GENERATED ALWAYS AS (id) VIRTUAL REFERENCES countries,
                FOREIGN KEY (x, y) REFERENCES points (x, y));
            """,
            """
            INSERT INTO countries VALUES (1, 'a', 10);
            INSERT INTO cities (id, odd, country, twin) VALUES (1, 'text', 1, NULL), (2, NULL, NULL, 1);
            """)
        let city = try properties(survey, of: "cities")
        #expect(city["country"] == "one countries.cities" && city["twin"] == "one cities.cities_twin")
        #expect(
            city["capital"] == "one cities.cities_capital" && city["cities_capital"] == "many cities.capital")
        #expect(city["iso"] == "integer64" && city["lost"] == "integer64" && city["odd"] == "string")
        let entity = try #require(survey.model.entity(named: "cities"))
        #expect(entity.relationship(named: "cities_capital")?.deleteRule == .nullify)
        #expect(entity.relationship(named: "cities_twin")?.deleteRule == .deny)
        let notes = try #require(survey.table(ofEntityNamed: "cities")).notes
        for words in [
            "“id” is no relationship: the column is also the key",
            "“code” is no relationship: it leads to the column “code”",
            "“iso” is no relationship", "“nowhere” is not a table", "“words” is no entity",
            "it has several columns",
            "“odd” is no relationship: the column has values that are not integers",
            "the column is generated",
        ] {
            #expect(notes.contains { $0.contains(words) }, "\(words): \(notes)")
        }
        #expect(notes.count == 8)
    }

    @Test func `references without foreign keys are found by their names and values`() throws {
        let (survey, _) = try survey(
            """
            CREATE TABLE app_author (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE app_categories (id INTEGER PRIMARY KEY, parent_id INTEGER);
            CREATE TABLE app_book (
                id INTEGER PRIMARY KEY, author_id INTEGER, categoryId INTEGER, year_id INTEGER, author INTEGER, category REAL);
            CREATE TABLE app_years (id INTEGER PRIMARY KEY);
            CREATE TABLE app_empty (id INTEGER PRIMARY KEY, author_id INTEGER);
            """,
            """
            INSERT INTO app_author VALUES (1, 'a'), (2, 'b');
            INSERT INTO app_categories VALUES (1, NULL), (2, 1);
            INSERT INTO app_book VALUES (1, 1, 2, 1900, 3, 1), (2, NULL, 1, NULL, 1, 2);
            INSERT INTO app_years VALUES (2000);
            """)
        let book = try properties(survey, of: "app_book")
        #expect(book["author_id"] == "one app_author.app_book" && book["author"] == "integer64")
        #expect(book["category"] == "double" && book["categoryId"] == "one app_categories.app_book")
        #expect(book["year_id"] == "integer64")
        #expect(
            try properties(survey, of: "app_categories")["parent"]
                == "one app_categories.app_categories_parent")
        #expect(try properties(survey, of: "app_empty")["author_id"] == "integer64")
        let column = survey.tables[2].columns.first { $0.name == "categoryId" }
        #expect(column?.note?.contains("because of its name") == true)
    }

    @Test func `tables of pairs need a unique pair and nothing else`() throws {
        let (survey, owner) = try survey(
            """
            CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE clubs (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE members (person_id INTEGER REFERENCES people, club_id INTEGER REFERENCES clubs, UNIQUE (club_id, person_id));
            CREATE TABLE owners (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people, club_id INTEGER REFERENCES clubs, UNIQUE (person_id, club_id));
            CREATE TABLE follows (follower INTEGER REFERENCES people, followed INTEGER REFERENCES people, PRIMARY KEY (follower, followed)) WITHOUT ROWID;
            CREATE TABLE visits (person_id INTEGER REFERENCES people, club_id INTEGER REFERENCES clubs);
            CREATE TABLE grades (person_id INTEGER REFERENCES people, club_id INTEGER REFERENCES clubs, grade INTEGER, PRIMARY KEY (person_id, club_id));
            """,
            """
            INSERT INTO people VALUES (1, 'a'), (2, 'b'); INSERT INTO clubs VALUES (1, 'x');
            INSERT INTO members VALUES (1, 1), (2, 1); INSERT INTO owners (person_id, club_id) VALUES (2, 1);
            INSERT INTO follows VALUES (1, 2); INSERT INTO visits VALUES (1, 1), (1, 1); INSERT INTO grades VALUES (1, 1, 5);
            """)
        #expect(survey.model.entities.map(\.name) == ["people", "clubs", "visits", "grades"])
        let person = try properties(survey, of: "people")
        #expect(person["members"] == "many clubs.members" && person["owners"] == "many clubs.owners")
        #expect(person["followed"] == "many people.follower" && person["follower"] == "many people.followed")
        #expect(person["visits"] == "many visits.person" && person["grades"] == "many grades.person")
        let context = try open(survey, owner).newContext()
        let people = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "people", sortDescriptors: [.ascending("name")]))
        #expect(try people.map { try $0.relatedObjects("members").count } == [1, 1])
        #expect(try people.map { try $0.relatedObjects("owners").count } == [0, 1])
        #expect(try people[0].relatedObjects("followed") == [people[1]])
        #expect(try people[1].relatedObjects("follower") == [people[0]])
    }

    @Test func `the values of a bounded number of rows determine the types`() throws {
        let rows = (1...30).map { "(\($0), \($0))" }.joined(separator: ", ")
        let owner = try Chinook(
            schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, v);",
            rows: "INSERT INTO t VALUES \(rows); INSERT INTO t VALUES (31, 'text');")
        let survey = try DatabaseSurvey(of: owner.url, examining: 30)
        #expect(survey.tables[0].hasMoreRows && survey.tables[0].examinedRowCount == 30)
        #expect(try properties(survey, of: "t") == ["v": "integer64"])
        let whole = try DatabaseSurvey(of: owner.url, examining: 31)
        #expect(!whole.tables[0].hasMoreRows && whole.tables[0].examinedRowCount == 31)
        #expect(try properties(whole, of: "t") == ["v": "string as numberOrText"])
        // A value that was not examined is shown unchanged.
        let objects = try open(survey, owner).newContext().fetch(
            FetchRequest<ManagedObject>(entityName: "t", sortDescriptors: [.ascending("objectID")]))
        #expect(try objects[0].value(forProperty: "v") == 1)
        #expect(try objects[30].value(forProperty: "v") == "text")
    }

    @Test func `after a merge, rows that VACUUM renumbered are shown with their new keys`() throws {
        let (survey, owner) = try survey(
            "CREATE TABLE words (word TEXT);", "INSERT INTO words VALUES ('a'), ('b'), ('c');")
        let context = try open(survey, owner).newContext()
        let request = FetchRequest<ManagedObject>(
            entityName: "words", sortDescriptors: [.ascending("objectID")])
        let before = try context.fetch(request)
        #expect(before.map(\.objectID.primaryKey) == [1, 2, 3])
        #expect(try before.map { try $0.value(forProperty: "word") } == ["a", "b", "c"])
        try owner.sqlite("DELETE FROM words WHERE word = 'a'; VACUUM")
        try #require(try owner.sqlite("SELECT rowid || word FROM words") == "1b\n2c")
        _ = try context.mergeChangesFromStore()
        let after = try context.fetch(request)
        #expect(after.map(\.objectID.primaryKey) == [1, 2])
        #expect(try after.map { try $0.value(forProperty: "word") } == ["b", "c"])
    }
}
