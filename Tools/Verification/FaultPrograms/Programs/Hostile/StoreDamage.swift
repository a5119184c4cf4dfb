import CheckSupport

/// Kinds of damage to a SQLite file, most of them to its structure.
enum StoreDamage {
    private static let pageSize = 4_096

    /// Returns a copy of a file with random damage.
    static func damaged(_ file: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = file
        for _ in 0..<[1, 1, 2, 4].randomElement(using: &generator)! { damage(&bytes, using: &generator) }
        return bytes
    }

    private static func damage(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let pages = bytes.count / pageSize
        guard pages > 1 else { return }
        let page = Int.random(in: 0..<pages, using: &generator)
        let start = page * pageSize
        // The file header precedes the tree header on the first page.
        let tree = start + (page == 0 ? 100 : 0)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: set(&bytes, at: Int.random(in: 16..<100, using: &generator), using: &generator)
        case 1, 2: set(&bytes, at: tree + Int.random(in: 0..<12, using: &generator), using: &generator)
        case 3: set(&bytes, at: tree + Int.random(in: 8..<80, using: &generator), using: &generator)
        case 4, 5: set(&bytes, at: start + Int.random(in: 0..<pageSize, using: &generator), using: &generator)
        // The texts of the schema, which are SQL, and of the model, which is JSON.
        case 6:
            let text = bytes.indices.filter { $0 < 8 * pageSize && (0x20..<0x7F).contains(bytes[$0]) }
            guard let offset = text.randomElement(using: &generator) else { return }
            bytes[offset] = UInt8.random(in: 0x20..<0x7F, using: &generator)
        case 7:
            let other = Int.random(in: 0..<pages, using: &generator) * pageSize
            bytes.replaceSubrange(start..<start + pageSize, with: bytes[other..<other + pageSize])
        case 8: bytes.replaceSubrange(start..<start + pageSize, with: Array(repeating: 0, count: pageSize))
        default: bytes.removeLast(Int.random(in: 1..<bytes.count / 2, using: &generator))
        }
    }

    private static func set(_ bytes: inout [UInt8], at offset: Int, using generator: inout SeededGenerator) {
        bytes[offset] = [0, 1, 2, 5, 10, 13, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &generator)]
            .randomElement(
                using: &generator)!
    }
}
