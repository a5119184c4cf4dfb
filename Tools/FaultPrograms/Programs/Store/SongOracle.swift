import Foundation
import GRDB

/// A value as SQLite keeps it, in the order of SQLite: no value, numbers, texts and bytes by their bytes.
enum PlainValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    init(_ value: DatabaseValue, isText: Bool) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(Array(text.utf8))
        case .blob(let data): self = isText ? .text(Array(data)) : .blob(Array(data))
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private var number: Double {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: 0
        }
    }

    func precedes(_ other: PlainValue) -> Bool {
        switch (self, other) {
        case (.text(let first), .text(let second)), (.blob(let first), .blob(let second)):
            first.lexicographicallyPrecedes(second)
        default: rank == other.rank ? number < other.number : rank < other.rank
        }
    }

    /// What a section of this value is told apart by: the number of SQLite's storage class and the value's bytes.
    var identity: [UInt8] {
        switch self {
        case .null: [5]
        case .integer(let number): [1] + withUnsafeBytes(of: number.littleEndian) { Array($0) }
        case .real(let number):
            [2] + withUnsafeBytes(of: (number == 0 ? 0 : number).bitPattern.littleEndian) { Array($0) }
        case .text(let bytes): [3] + bytes
        case .blob(let bytes): [4] + bytes
        }
    }

    /// What such a section is called.
    var name: String {
        switch self {
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer(let number): String(number)
        case .blob(let bytes): bytes.map { String(format: "%02x", $0) }.joined()
        case .null, .real: ""
        }
    }
}

/// A song as it stands in the file.
struct SongRow: Equatable {
    let key: Int64
    let title: PlainValue
    let genre: PlainValue
    let year: PlainValue
    let released: PlainValue
    let singerName: PlainValue
    let isMine: Bool

    /// The year in Tokyo, by counting days from the reference date.
    var yearOfRelease: PlainValue {
        let seconds: Double
        switch released {
        case .integer(let number): seconds = Double(number)
        case .real(let number): seconds = number
        default: return .null
        }
        var day = Int(((seconds + 9 * 3_600) / 86_400).rounded(.down))
        var year = 2_001
        func length(_ year: Int) -> Int {
            year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
        }
        while day < 0 {
            year -= 1
            day += length(year)
        }
        while day >= length(year) {
            day -= length(year)
            year += 1
        }
        return .integer(Int64(year))
    }
}

/// What a list must show, from the rows in the file and plain Swift.
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

    /// The sections and the keys of their rows.
    func sections(of list: SongList) -> [Section] {
        // The values once a row, because comparing them is most of the work.
        let placed = rows.filter(list.finds).map { (row: $0, order: list.order($0)) }
        var found = placed.sorted { first, second in
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
