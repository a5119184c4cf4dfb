import Foundation
import LMDB
import CheckSupport
import Testing

/// Each sweep runs in a child process, so that a crash of liblmdb does not end the test run.
struct DamageTests {
    @Test func `no damage to the data file crashes the process on reading or writing`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var outcomes: [Damage: (rejected: Int, refused: Int, served: Int)] = [:]
            let seed: UInt64 = 20_260_101
            report("seed \(seed)")
            var generator = SeededGenerator(seed: seed)
            let sound = try soundFile(using: &generator)
            let directory = try TemporaryDirectory()
            for damage in Damage.allCases {
                for _ in 0..<150 {
                    try directory.replaceContents(damage.apply(to: sound, using: &generator))
                    let outcome = try useEverything(directory, using: &generator)
                    outcomes[damage, default: (0, 0, 0)][keyPath: outcome] += 1
                }
            }
            for (damage, counts) in outcomes { report("\(damage): \(counts)") }
            // The sweep must reach every outcome: structural damage is rejected before anything is read.
            #expect((outcomes[.truncated]?.rejected ?? 0) > 100)
            #expect((outcomes[.headerBits].map { $0.rejected + $0.refused } ?? 0) > 10)
            #expect((outcomes[.junk]?.served ?? 0) > 0)
        }
        print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
    }

    @Test(arguments: [
        ("the page size", 41, 0), ("the format", 20, 2), ("the magic number", 16, 0),
        ("the page's flags", 10, 4),
        ("the page's number", 0, 1), ("the map's address", 25, 1), ("the last page", 143, 0x10),
        ("the transaction", 151, 0x80), ("the flags of the free pages", 44, 4),
        ("the flags of the main tree", 92, 4),
    ])
    func `a meta page with a damaged field is rejected before liblmdb reads it`(
        field: String, offset: Int, value: UInt8
    ) throws {
        var generator = SeededGenerator(seed: 6)
        let directory = try TemporaryDirectory()
        var bytes = try soundFile(using: &generator)
        for page in 0..<2 { bytes[page * 4_096 + offset] = page == 1 && offset == 0 ? 0 : value }
        try directory.replaceContents(bytes)
        let error = try #require(throws: LMDBError.self, "\(field)") { _ = try directory.environment() }
        #expect(error.isDamage && error.operation == .validate, "\(error)")
    }
}

/// Writes a line to standard error, which the parent process of an exit test can observe.
func report(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Returns the bytes of a data file with several named databases, values of all sizes and a list of free
/// pages.
func soundFile(using generator: inout SeededGenerator) throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    var shadow = Shadow()
    do {
        let environment = try directory.environment()
        for _ in 0..<30 { try shadow.change(environment, keys: 60, using: &generator) }
    }
    return try directory.contents()
}

/// Opens an environment, reads all of it and writes to it, up to the first error.
///
/// - Returns: The counter of the outcome: `rejected` if opening failed, `refused` if reading or writing
///   failed, otherwise `served`.
func useEverything(
    _ directory: TemporaryDirectory, using generator: inout SeededGenerator
) throws -> WritableKeyPath<(rejected: Int, refused: Int, served: Int), Int> {
    let environment: Environment
    do {
        environment = try directory.environment()
    } catch let error as LMDBError {
        #expect(error.isDamage, "\(error)")
        return \.rejected
    }
    do {
        var shadow = try Shadow(readingAll: environment)
        for _ in 0..<2 { try shadow.change(environment, keys: 60, using: &generator) }
        #expect(try Shadow(readingAll: environment).databases == shadow.databases)
        try environment.checkStructure(forWriting: true)
    } catch {
        #expect(error.isDamage, "\(error)")
        return \.refused
    }
    return \.served
}
