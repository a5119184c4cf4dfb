import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Views as read-only entities, compared with the rows that the `sqlite3` shell reads.
@Suite struct ViewSurveyTests {
    private static let schema = """
        CREATE TABLE makers (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE goods (
            id INTEGER PRIMARY KEY, maker_id INTEGER NOT NULL REFERENCES makers, title TEXT NOT NULL,
            price REAL, sold INTEGER);
        CREATE TABLE empty (id INTEGER PRIMARY KEY, text TEXT);
        CREATE VIRTUAL TABLE words USING fts5(text);
        CREATE VIEW plain AS SELECT id, title, price FROM goods WHERE sold > 2;
        CREATE VIEW joined AS
            SELECT makers.id AS maker, makers.name, goods.id AS good_id, goods.title
            FROM goods JOIN makers ON makers.id = goods.maker_id;
        CREATE VIEW totals AS
            SELECT maker_id, count(*) AS goods, total(price) AS price FROM goods GROUP BY maker_id;
        CREATE VIEW nested AS SELECT maker_id AS key, goods FROM totals WHERE goods > 1;
        CREATE VIEW hollow AS SELECT id, text FROM empty;
        CREATE VIEW keyless AS SELECT title, price FROM goods;
        CREATE VIEW repeated AS SELECT maker_id AS id, title FROM goods;
        CREATE VIEW gaps AS SELECT nullif(id, 3) AS id, title FROM goods;
        CREATE VIEW texts AS SELECT 'n' || id AS id, title FROM goods;
        CREATE VIEW endless AS
            WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n;
        CREATE VIEW missing AS SELECT id FROM gone;
        CREATE VIEW calling AS SELECT id, shop_price(price) AS price FROM goods;
        CREATE VIEW reading AS SELECT id, load_extension(title) AS text FROM goods;
        CREATE VIEW searching AS SELECT rowid AS id, text FROM words;
        CREATE VIEW listing AS SELECT key AS id, value FROM json_each('[1, 2]');
        """

    private static let rows = """
        INSERT INTO makers VALUES (1, 'Ann'), (2, 'Bob'), (4, 'Cid');
        INSERT INTO goods VALUES (1, 1, 'cup', 2.5, 3), (2, 1, 'pan', NULL, 1), (3, 2, 'pot', 9, 7), (5, 4, 'jug', 4, 9);
        """

    private let owner: Chinook

    init() throws { owner = try Chinook(schema: Self.schema, rows: Self.rows) }

    private func options(_ views: StoreOptions.ReadableViews, seconds: Double = 0.5) -> StoreOptions {
        var options = StoreOptions(
            isReadOnly: true, existingTables: .untracked, limits: StoreLimits(statementSeconds: seconds))
        options.readableViews = views
        return options
    }

    private func reason(_ survey: DatabaseSurvey, _ name: String) -> String? {
        guard case .notTaken(let reason, let remedy)? = survey.tables.first(where: { $0.name == name })?.role
        else { return nil }
        #expect(!remedy.isEmpty && !reason.isEmpty && !reason.hasSuffix("."))
        return reason
    }

    @Test(arguments: [
        ("plain", "id", ["title", "price"]), ("joined", "good_id", ["maker", "name", "title"]),
        ("totals", "maker_id", ["goods", "price"]), ("nested", "key", ["goods"]), ("hollow", "id", ["text"]),
    ])
    func `a view with a different integer in each row is read by it`(
        name: String, key: String, columns: [String]
    ) throws {
        let options = options(.named([name]))
        let survey = try DatabaseSurvey(of: owner.url, options: options)
        let table = try #require(survey.table(ofEntityNamed: name))
        #expect(table.isReadOnly && table.kind == .view)
        #expect(table.columns.first { $0.role == .key }?.name == key)
        #expect(survey.tables.filter { $0.kind == .view && $0.isReadOnly }.map(\.name) == [name])
        let entity = try #require(survey.model.entity(named: name))
        #expect(entity.relationships.isEmpty && Set(entity.attributes.map(\.name)) == Set(columns))
        #expect(survey.model.entity(named: "makers")?.relationships.map(\.name) == ["goods"])

        let container = try PersistentContainer(url: owner.url, model: survey.model, options: options)
        let context = container.newContext()
        let objects = try context.fetch(
            FetchRequest<ManagedObject>(entityName: name, sortDescriptors: [.descending("objectID")]))
        let expected = try owner.sqlite(
            "SELECT \(([key] + columns).joined(separator: ", ")) FROM \(name) ORDER BY \(key) DESC")
        let found = try objects.map { object in
            let values = try columns.map { column -> String in
                switch try object.value(forProperty: column) {
                case .integer(let number): String(number)
                case .real(let number): String(number)
                case .text(let text): text
                default: ""
                }
            }
            return ([String(object.objectID.primaryKey ?? -1)] + values).joined(separator: "|")
        }
        #expect(found.joined(separator: "\n") == expected)
        // Rows are read-only.
        if let object = objects.first {
            try object.setValue(.null, forProperty: columns[0])
            #expect(throws: ObjectStorageError.self) { try context.save() }
        }
        #expect(
            try owner.sqlite(
                "SELECT \(([key] + columns).joined(separator: ", ")) FROM \(name) ORDER BY 1 DESC")
                == expected)
    }

    @Test(arguments: [
        ("keyless", "no column of it has a different integer"),
        ("repeated", "no column of it has a different integer"),
        ("gaps", "no column of it has a different integer"),
        ("texts", "no column of it has a different integer"),
        ("endless", "statementSeconds"), ("missing", "no such table: main.gone"),
        ("calling", "no such function: shop_price"), ("reading", "load_extension"),
        ("searching", "virtual table"), ("listing", "virtual table"),
    ])
    func `a view that cannot be an entity has the reason, and the others are not affected`(
        name: String, reason expected: String
    ) throws {
        let survey = try DatabaseSurvey(of: owner.url, options: options(.named([name, "plain"])))
        let found = try #require(reason(survey, name))
        #expect(found.contains(expected), "\(found)")
        #expect(survey.model.entities.map(\.name) == ["makers", "goods", "empty", "plain"])
    }

    @Test func `no view is read unless it is named`() throws {
        let survey = try DatabaseSurvey(of: owner.url)
        #expect(survey.model.entities.map(\.name) == ["makers", "goods", "empty"])
        for table in survey.tables where table.kind == .view {
            #expect(reason(survey, table.name)?.hasPrefix("a view is not read unless it is named") == true)
            #expect(table.columns.isEmpty && table.examinedRowCount == 0)
        }
        let written = try DatabaseSurvey(of: owner.url, for: .writing, options: options(.all))
        #expect(
            reason(written, "plain")
                == "a view has no rows of its own, so it cannot be written or tracked")
        // A model does not permit what the options do not.
        let model = try DatabaseSurvey(of: owner.url, options: options(.named(["plain"]))).model
        for refused in [options(.none), options(.named(["joined"]))] {
            #expect(throws: ObjectStorageError.self) {
                try PersistentContainer(url: owner.url, model: model, options: refused)
            }
        }
        var writable = options(.all)
        writable.isReadOnly = false
        #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(url: owner.url, model: model, options: writable)
        }
        #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(
                url: owner.url, model: model, options: StoreOptions(existingTables: .tracked))
        }
    }

    @Test func `all views are surveyed on request, each within the limits`() throws {
        let survey = try DatabaseSurvey(of: owner.url, options: options(.all, seconds: 0.2))
        let names = survey.tables.filter { $0.kind == .view && $0.isReadOnly }.map(\.name)
        #expect(names == ["plain", "joined", "totals", "nested", "hollow"])
    }

    @Test func `a key that became ambiguous is an error of opening the database`() throws {
        let options = options(.named(["joined"]))
        let model = try DatabaseSurvey(of: owner.url, options: options).model
        try owner.sqlite("INSERT INTO makers VALUES (9, 'Ann'); DROP VIEW joined")
        try owner.sqlite(
            "CREATE VIEW joined AS SELECT 1 AS good_id, id AS maker, name, name AS title FROM makers")
        let error = try #require(throws: ObjectStorageError.self) {
            try PersistentContainer(url: owner.url, model: model, options: options)
        }
        #expect(error.code == .existingTableMismatch && error.message.contains("“good_id”"), "\(error)")
    }
}
