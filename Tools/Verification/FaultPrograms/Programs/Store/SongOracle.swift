import GRDB

/// The right contents of lists, computed from the rows in the file in plain Swift.
struct SongOracle: Equatable {
    struct Section: Equatable {
        let identity: [UInt8]
        let name: String
        var keys: [Int64]
    }

    let rows: [SongRow]

    /// Reads all songs in the transaction that `database` is in.
    init(_ tables: SongTables, in database: Database) throws {
        func value(_ sql: String) -> String {
            "typeof(\(sql)) = 'text', CASE typeof(\(sql)) WHEN 'text' THEN CAST(\(sql) AS BLOB) ELSE \(sql) END"
        }
        let singer =
            "(SELECT name FROM main.\(tables.singers) AS p WHERE p.\(tables.singerKey) = s.\(tables.singer))"
        let sql = """
            SELECT s.\(tables.key), \(value("s.title")), \(value("s.genre")), \(value("s.year")),
                \(value("s.released")), \(value(singer)),
                EXISTS (SELECT 1 FROM main.\(tables.links) AS l JOIN main.\(tables.lists) AS p
                    ON p.\(tables.listKey) = l.\(tables.linkList)
                    WHERE l.\(tables.linkSong) = s.\(tables.key) AND CAST(p.name AS BLOB) = CAST('mine' AS BLOB))
            FROM main.\(tables.songs) AS s
            """
        rows = try Row.fetchAll(database, sql: sql).map { row in
            func value(_ position: Int) -> PlainValue {
                PlainValue(row[position * 2 + 2], isText: row[position * 2 + 1])
            }
            return SongRow(
                key: row[0], title: value(0), genre: value(1), year: value(2), released: value(3),
                singerName: value(4), isMine: row[11])
        }
    }

    /// Returns the sections of a list with the keys of their rows.
    func sections(of list: SongList) -> [Section] {
        // The values are computed once for each row, because comparing them is most of the work.
        let ordered = rows.filter(list.finds).map { (row: $0, order: list.order($0)) }
        var found = ordered.sorted { first, second in
            for position in first.order.indices {
                let (value, isAscending) = first.order[position]
                let other = second.order[position].value
                if value.precedes(other) { return isAscending }
                if other.precedes(value) { return !isAscending }
            }
            return first.row.key < second.row.key
        }.map(\.row)
        if let window = list.window { found = Array(found.dropFirst(window.offset).prefix(window.limit)) }
        var sections: [Section] = []
        if list.sectionKey == nil { sections = [Section(identity: [], name: "", keys: [])] }
        for row in found {
            let group = list.group(row)
            if let group, sections.last?.identity != group.identity {
                sections.append(Section(identity: group.identity, name: group.name, keys: []))
            }
            sections[sections.count - 1].keys.append(row.key)
        }
        return sections
    }
}
