import Foundation
import LMDB
import CheckSupport
import Testing

struct FreeListTests {
    @Test func `a page in use that is listed as free is detected before anything is written`() throws {
        let directory = try TemporaryDirectory()
        var generator = SeededGenerator(seed: 61)
        var bytes = try soundFile(using: &generator)
        let before = try contents(of: directory, bytes)
        let lists = FreeLists(of: bytes)
        let free = Set(lists.lists.flatMap { $0.numbers.map(\.page) })
        // The last number of a list is its smallest, so any smaller number of a used page keeps the order.
        let target = try #require(
            lists.lists.compactMap { list -> (offset: Int, page: Int)? in
                guard let last = list.numbers.last else { return nil }
                return (2..<last.page).first { !free.contains($0) }.map { (last.offset, $0) }
            }.first)
        bytes.replaceSubrange(
            target.offset..<target.offset + 8, with: withUnsafeBytes(of: UInt64(target.page)) { Array($0) })

        #expect(try contents(of: directory, bytes).databases == before.databases)
        let environment = try directory.environment()
        let error = try #require(throws: LMDBError.self) {
            try environment.write { (transaction) throws(LMDBError) in
                _ = try transaction.database(creating: "new")
            }
        }
        #expect(error.isDamage && error.operation == .validate, "\(error)")
        #expect(try directory.contents() == bytes)
    }

    private func contents(of directory: TemporaryDirectory, _ bytes: [UInt8]) throws -> Shadow {
        try directory.replaceContents(bytes)
        return try Shadow(readingAll: try directory.environment())
    }
}

/// The free-page lists of a data file whose free-page tree is a single leaf, parsed by the layout in LMDB's
/// sources.
private struct FreeLists {
    var lists: [(transaction: Int, numbers: [(offset: Int, page: Int)])] = []

    init(of file: [UInt8]) {
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reversed().reduce(0) { $0 << 8 | Int(file[offset + $1]) }
        }
        let meta = number(144, 8) > number(4_096 + 144, 8) ? 0 : 4_096
        guard number(meta + 46, 2) == 1 else { return }
        let leaf = number(meta + 80, 8) * 4_096
        for index in 0..<(number(leaf + 12, 2) - 16) / 2 {
            let node = leaf + number(leaf + 16 + 2 * index, 2)
            guard number(node + 4, 2) == 0 else { continue }
            let data = node + 16
            lists.append(
                (
                    number(node + 8, 8),
                    (0..<number(data, 8)).map { (data + 8 + 8 * $0, number(data + 8 + 8 * $0, 8)) }
                ))
        }
    }
}
