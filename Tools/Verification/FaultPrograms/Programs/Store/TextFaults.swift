import Foundation
import SectionedFetch
import Mutants
import CheckSupport

/// Texts with invalid UTF-8 and texts that are nearly equal. Sections must be those that plain Swift computes
/// from the bytes.
enum TextFaults: FaultProgram {
    static let name = "data-texts"
    static let rows = ["A-29"]
    static let summary =
        "fills rows with invalid UTF-8, NUL, nearly equal texts and null, and compares all sections"
    static let releaseCount = 1_000_000
    static let mutants: [Mutant] = [.repairedSectionKey]
    static let huntCount = 1_000

    private static let rowsPerStore = 500

    static func run(_ run: inout FaultRun) throws {
        var number = 0
        while number < run.count {
            var generator = run.generator(ofTrial: number)
            let count = min(rowsPerStore, run.count - number)
            let store = try SongStore.make(
                Bool.random(using: &generator) ? .ours : .existing, in: run.folder, songs: 1,
                using: &generator)
            let tables = store.tables
            var sql = "BEGIN;"
            for key in 0..<count {
                sql +=
                    "INSERT OR IGNORE INTO \(tables.songs) (\(tables.key), title, genre, year, \(tables.singer)) "
                sql +=
                    "VALUES (\(key + 10), \(value(&generator)), \(value(&generator)), \(key % 7), \(1 + key % 4));"
            }
            for key in 1...4 {
                sql +=
                    "UPDATE \(tables.singers) SET name = \(value(&generator)) WHERE \(tables.singerKey) = \(key);"
            }
            try store.write(sql + "COMMIT")
            let container = try store.container()
            let lists = [SongList.byGenre, .byGenreDown, .byTitleDown, .bySinger, .someByGenre]
                .shuffled(using: &generator).prefix(2)
            for list in lists {
                try store.start(list, in: container, after: "unusual texts")
                try store.start(list, mustHit: true, after: "unusual texts, and a fetch")
            }
            for _ in 0..<2 {
                let key = Int.random(in: 10..<10 + count, using: &generator)
                let change =
                    "UPDATE OR IGNORE \(tables.songs) SET genre = \(value(&generator)), title = \(value(&generator)) WHERE \(tables.key) = \(key)"
                try store.write(change)
                let list = lists.randomElement(using: &generator) ?? .byGenre
                try store.start(list, in: container, after: change)
            }
            try store.closeOther()
            for _ in 0..<count { run.note(.right) }
            number += count
        }
    }

    /// Returns a random value as SQL: mostly texts of a few bytes, so that many are nearly equal.
    private static func value(_ generator: inout SeededGenerator) -> String {
        let pieces = [
            "61", "41", "FF", "FE", "C080", "E282", "EDA080", "00", "C3A9", "65CC81", "65", "C389", "C39F",
            "5353",
            "EFBFBD", "F09F9880", "F09F98", "80", "20", "31",
        ]
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: return "NULL"
        case 1: return "''"
        case 2: return "x'\(pieces.randomElement(using: &generator) ?? "")'"
        default:
            let count = Int.random(in: 1...3, using: &generator)
            let bytes = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            return "CAST(x'\(bytes)' AS TEXT)"
        }
    }
}
