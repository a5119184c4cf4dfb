import Foundation
import Mutants
import CheckSupport

/// Meta pages with numbers that no program writes.
enum HostileMetaFaults: IsolatedFaultProgram {
    static let name = "hostile-metas"
    static let rows = ["A-07"]
    static let summary = "puts impossible numbers into the meta pages"
    static let releaseCount = 10_000
    static let mutants: [Mutant] = [.noValidator]

    /// A number in a meta page: its offset, its size in bytes, and the values to write.
    private struct Field {
        let offset: Int
        let size: Int
        let values: [UInt64]
    }

    private static let counts: [UInt64] = [0, 1, 2, 1 << 31, 1 << 60, .max - 1, .max]

    /// Returns the fields of the tree record at an offset.
    private static func record(at offset: Int) -> [Field] {
        [
            Field(offset: offset + 4, size: 2, values: [0, 1, 2, 4, 8, 0x10, 0x40, 0xFFFF]),
            Field(offset: offset + 6, size: 2, values: [0, 1, 2, 16, 17, 32, 33, 0xFFFF]),
        ] + stride(from: 8, through: 32, by: 8).map { Field(offset: offset + $0, size: 8, values: counts) }
            + [
                Field(
                    offset: offset + 40, size: 8,
                    values: [0, 1, 2, 3, 4, 5, 100, 1 << 51, 1 << 60, .max - 1, .max])
            ]
    }

    private static let fields =
        [
            Field(offset: 0, size: 8, values: [1, 2, .max]), Field(offset: 8, size: 2, values: [1, 0xFFFF]),
            Field(offset: 10, size: 2, values: [0, 1, 2, 4, 8, 0x18, 0x20, 0xFFFF]),
            Field(offset: 16, size: 4, values: [0, 0xDEC0_EFBE, 0xBEEF_C0DF]),
            Field(offset: 20, size: 4, values: [0, 2, 999, 0xFFFF_FFFF]),
            Field(offset: 24, size: 8, values: [1, 4_096, 1 << 47, 1 << 63, .max]),
            Field(offset: 32, size: 8, values: [0, 1, 4_096, 1 << 46, 1 << 47, 1 << 63, .max]),
            // The page size.
            Field(offset: 40, size: 4, values: [0, 1, 3, 512, 4_095, 8_192, 65_536, 1 << 31, 0xFFFF_FFFF]),
            // The number of the last page.
            Field(
                offset: 136, size: 8,
                values: [0, 1, 2, 1 << 26, 1 << 34, 1 << 51, 1 << 52, 1 << 60, .max - 1, .max]),
            // The transaction number.
            Field(
                offset: 144, size: 8,
                values: [0, 1, 2, 3, 1 << 32, 1 << 62, 1 << 63, .max - 2, .max - 1, .max]),
        ] + record(at: 40) + record(at: 88)

    static func prepare(in folder: URL, using generator: inout SeededGenerator) throws -> SoundCache {
        try SoundCache(in: folder, using: &generator)
    }

    static func trial(
        _ number: Int, on ground: SoundCache, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        var data = ground.data
        func put(_ value: UInt64, _ field: Field, at meta: Int) {
            let bytes = withUnsafeBytes(of: value.littleEndian) { Array($0.prefix(field.size)) }
            data.replaceSubrange(meta + field.offset..<meta + field.offset + field.size, with: bytes)
        }
        if number % 8 == 0 {
            // Consecutive transaction numbers, as two commits leave them, near the greatest number.
            let last = [UInt64.max, .max - 1, 1 << 63, 1 << 62].randomElement(using: &generator) ?? .max
            guard let field = fields.first(where: { $0.offset == 144 }) else {
                throw FaultFinding("no such field")
            }
            put(last &- (last & 1), field, at: 0)
            put(last | 1, field, at: DataFile.pageSize)
        } else {
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                guard let field = fields.randomElement(using: &generator),
                    let value = field.values.randomElement(using: &generator)
                else { continue }
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: put(value, field, at: DataFile(bytes: data).newerMeta)
                case 1: put(value, field, at: DataFile.pageSize - DataFile(bytes: data).newerMeta)
                default:
                    put(value, field, at: 0)
                    put(value, field, at: DataFile.pageSize)
                }
            }
        }
        return try ground.use(data, trial: number)
    }
}
