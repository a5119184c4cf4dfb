import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Random schemas and rows, whose objects are compared with plain SQL.
@Suite struct RandomSurveyTests {
    private enum Key: CaseIterable { case integer, unique, text, none, composite, textWithoutRowID }
    private enum Content: CaseIterable {
        case text, integer, real, mixed, bytes, day, unix, nothing, mixedBytes
    }

    private struct Table {
        let name: String
        let key: Key
        var contents: [(column: String, content: Content)] = []
        var references: [(column: String, table: Int)] = []
        var keys: [Int] = []
        var sql = ""

        /// The column of the key, as a foreign key names it; nil for a table to which none can lead.
        var keyColumn: String? { key == .integer ? "id" : key == .unique ? "no" : nil }
        var isEntity: Bool { key != .composite && key != .textWithoutRowID }
        var keySQL: String { keyColumn ?? "rowid" }
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }

    private static func value(_ content: Content, _ generator: inout SeededGenerator) -> String {
        let number = Int.random(in: 0..<1_000, using: &generator)
        if content != .nothing, number % 5 == 0 { return "NULL" }
        switch content {
        case .text: return "'w\(number)'"
        case .integer: return "\(number - 500)"
        case .real: return "\(Double(number) / 8 + 0.0625)"
        case .mixed: return number % 2 == 0 ? "\(number)" : "'w\(number)'"
        case .bytes: return "x'0\(number % 10)'"
        case .day: return "date('2000-01-01', '+\(number) days')"
        case .unix: return "\(1_600_000_000 + number)"
        case .nothing: return "NULL"
        case .mixedBytes: return number % 2 == 0 ? "x'00'" : "'w'"
        }
    }

    private static func tables(_ generator: inout SeededGenerator) -> [Table] {
        let odd = ["plain", "two words", "order", "quo\"te", "émoji🎵", "UPPER"]
        var tables: [Table] = []
        for position in 0..<Int.random(in: 2...6, using: &generator) {
            var table = Table(
                name: "\(odd[position]) \(Int.random(in: 0..<100, using: &generator))",
                key: Key.allCases.randomElement(using: &generator) ?? .integer)
            var columns: [String]
            var constraints = ""
            switch table.key {
            case .integer: columns = ["id INTEGER PRIMARY KEY"]
            case .unique: columns = ["no BIGINT NOT NULL UNIQUE", "other TEXT"]
            case .text: columns = ["code TEXT PRIMARY KEY"]
            case .none: columns = []
            case .composite:
                columns = ["a INTEGER NOT NULL", "b INTEGER NOT NULL"]
                constraints = ", PRIMARY KEY (a, b)"
            case .textWithoutRowID: columns = ["code TEXT PRIMARY KEY NOT NULL"]
            }
            for number in 0..<Int.random(in: 1...5, using: &generator) {
                let content = Content.allCases.randomElement(using: &generator) ?? .text
                let name = content == .unix ? "c\(number)_at" : "c\(number) \(content)"
                table.contents.append((name, content))
                columns.append(quoted(name))
            }
            for number in 0..<Int.random(in: 0...2, using: &generator) {
                let other = Int.random(in: 0...position, using: &generator)
                let target = other == position ? table : tables[other]
                guard let key = target.keyColumn else { continue }
                table.references.append(("r\(number)_id", other))
                columns.append("r\(number)_id INTEGER REFERENCES \(quoted(target.name)) (\(key))")
            }
            let isWithoutRowID = table.key == .composite || table.key == .textWithoutRowID
            table.sql =
                "CREATE TABLE \(quoted(table.name)) (\(columns.joined(separator: ", "))\(constraints))\(isWithoutRowID ? " WITHOUT ROWID" : "");\n"
            for row in 0..<Int.random(in: 0...25, using: &generator) {
                let key = row * 3 + 1
                var values: [String]
                switch table.key {
                case .integer: values = ["\(key)"]
                case .unique: values = ["\(key)", "'o'"]
                case .text, .textWithoutRowID: values = ["'k\(key)'"]
                case .none: values = []
                case .composite: values = ["\(key)", "1"]
                }
                values += table.contents.map { value($0.content, &generator) }
                for reference in table.references {
                    let keys = reference.table == position ? table.keys : tables[reference.table].keys
                    let target = Bool.random(using: &generator) ? keys.randomElement(using: &generator) : nil
                    values.append(target.map(String.init) ?? "NULL")
                }
                table.sql += "INSERT INTO \(quoted(table.name)) VALUES (\(values.joined(separator: ", ")));\n"
                table.keys.append(key)
            }
            tables.append(table)
        }
        return tables
    }

    /// Compares the values of an attribute with those that SQL formats.
    private func check(
        _ name: String, _ content: Content, _ column: String, of objects: [ManagedObject], _ table: Table,
        _ owner: Chinook
    ) throws {
        let sql: String =
            switch content {
            case .mixed: "ifnull(CAST(c AS TEXT), 'NULL')"
            case .day: "ifnull(strftime('%s', c) - 978307200 || '.0', 'NULL')"
            case .unix: "ifnull(c - 978307200 || '.0', 'NULL')"
            default: "quote(c)"
            }
        let expected = try owner.sqlite(
            "SELECT \(sql) FROM (SELECT \(table.keySQL) AS k, \(Self.quoted(column)) AS c FROM \(Self.quoted(table.name))) ORDER BY k"
        ).split(separator: "\n").map(String.init)
        let found = try objects.map { object -> String in
            switch try object.value(forProperty: name) {
            case .null: "NULL"
            case .integer(let number): String(number)
            case .real(let number): String(number)
            case .text(let text): content == .mixed ? text : "'\(text)'"
            case .blob(let bytes):
                "X'\(bytes.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined())'"
            }
        }
        #expect(found == expected, "\(table.name) \(column)")
    }

    @Test func `the objects of random schemas are the rows that SQL reads`() throws {
        let seed =
            ProcessInfo.processInfo.environment["SECTIONED_FETCH_SURVEY_SEED"].flatMap(UInt64.init)
            ?? SeededGenerator.newSeed("surveying random schemas")
        var generator = SeededGenerator(seed: seed)
        var (entities, relationships, values) = (0, 0, 0)
        for round in 0..<25 {
            let tables = Self.tables(&generator)
            let owner = try Chinook(schema: tables.map(\.sql).joined(), rows: "")
            let survey = try DatabaseSurvey(of: owner.url)
            let comment: Comment = "seed \(seed), round \(round)\n\(tables.map(\.sql).joined())"
            try #require(
                survey.model.entities.map(\.name) == tables.filter(\.isEntity).map(\.name), comment)
            #expect(
                try DatabaseSurvey(of: owner.url, for: .writing).model.entities.map(\.name)
                    == tables.filter { $0.keyColumn != nil }.map(\.name), comment)
            let context = try PersistentContainer(
                url: owner.url, model: survey.model,
                options: StoreOptions(isReadOnly: true, existingTables: .untracked)
            ).newContext()
            for table in tables where table.isEntity {
                entities += 1
                let objects = try context.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: table.name, sortDescriptors: [.ascending("objectID")]))
                #expect(objects.count == table.keys.count, comment)
                let entity = try #require(survey.model.entity(named: table.name))
                for (column, content) in table.contents where entity.attribute(named: column) != nil {
                    try check(column, content, column, of: objects, table, owner)
                    values += objects.count
                }
                let lacking = table.contents.filter { entity.attribute(named: $0.column) == nil }
                #expect(lacking.allSatisfy { $0.content == .mixedBytes }, comment)
                for (column, other) in table.references {
                    relationships += 1
                    let target = tables[other]
                    let name = String(column.dropLast(3))
                    let found = try objects.map { try $0.relatedObject(name)?.objectID.primaryKey }
                    let expected = try owner.sqlite(
                        "SELECT ifnull(\(column), 'NULL') FROM \(Self.quoted(table.name)) ORDER BY \(table.keySQL)"
                    ).split(separator: "\n").map { Int64($0) }
                    #expect(found == expected, comment)
                    let inverse = try #require(entity.relationship(named: name)?.inverseName)
                    let owners = try context.fetch(
                        FetchRequest<ManagedObject>(
                            entityName: target.name, sortDescriptors: [.ascending("objectID")]))
                    let counts = try owner.sqlite(
                        "SELECT (SELECT count(*) FROM \(Self.quoted(table.name)) c WHERE c.\(column) = o.\(target.keySQL)) FROM \(Self.quoted(target.name)) o ORDER BY o.\(target.keySQL)"
                    ).split(separator: "\n").map { Int($0) }
                    #expect(try owners.map { try $0.relatedObjects(inverse).count } == counts, comment)
                }
            }
        }
        print("  \(entities) entities, \(relationships) relationships, \(values) values")
        #expect(entities > 30 && relationships > 5 && values > 300)
    }
}
