/// A kind of damage to an LMDB data file.
package enum Damage: String, CaseIterable, Sendable {
    case bit, headerBits, headerBytes, sector, zeroedPage, swappedPage, truncated, truncatedAtPage, junk,
        metaByte

    /// Returns a damaged copy of a file.
    package func apply(to file: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = file
        let page = 4_096
        let pages = file.count / page
        func anyPage(_ generator: inout SeededGenerator) -> Int {
            Bool.random(using: &generator)
                ? Int.random(in: 0..<pages, using: &generator) : structuralPage(in: file, using: &generator)
        }
        switch self {
        case .bit:
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                1 << UInt8.random(in: 0..<8, using: &generator)
        case .headerBits:
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                bytes[structuralOffset(in: file, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            }
        case .headerBytes:
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let bytesOfInterest: [UInt8] = [
                    0, 1, 2, 4, 8, 16, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &generator),
                ]
                bytes[structuralOffset(in: file, using: &generator)] =
                    bytesOfInterest[Int.random(in: 0..<bytesOfInterest.count, using: &generator)]
            }
        case .metaByte:
            bytes[anyPage(&generator) % 2 * page + Int.random(in: 0..<152, using: &generator)] = .random(
                in: 0...255, using: &generator)
        case .sector:
            let start = Int.random(in: 0..<bytes.count / 512, using: &generator) * 512
            bytes.replaceSubrange(start..<start + 512, with: generator.bytes(512))
        case .zeroedPage:
            let start = anyPage(&generator) * page
            bytes.replaceSubrange(start..<start + page, with: [UInt8](repeating: 0, count: page))
        case .swappedPage:
            let from = anyPage(&generator) * page
            let to = anyPage(&generator) * page
            bytes.replaceSubrange(to..<to + page, with: file[from..<from + page])
        case .truncated: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
        case .truncatedAtPage: bytes.removeLast(Int.random(in: 1..<pages, using: &generator) * page)
        case .junk:
            let start = Int.random(in: 0..<bytes.count - 64, using: &generator)
            bytes.replaceSubrange(start..<start + 64, with: generator.bytes(64))
        }
        return bytes
    }

    /// Returns the number of a page that is, or was, part of a tree.
    private func structuralPage(in file: [UInt8], using generator: inout SeededGenerator) -> Int {
        let trees = (2..<file.count / 4_096).filter { page in
            let start = page * 4_096
            return Int(file[start]) | Int(file[start + 1]) << 8 == page && (1...4).contains(file[start + 10])
        }
        return trees.randomElement(using: &generator) ?? 0
    }

    /// Returns an offset in the structure of a file: in the header of such a page, or in its nodes.
    private func structuralOffset(in file: [UInt8], using generator: inout SeededGenerator) -> Int {
        let page = structuralPage(in: file, using: &generator) * 4_096
        let upper = Int(file[page + 14]) | Int(file[page + 15]) << 8
        if upper < 4_080, Bool.random(using: &generator) {
            return page + Int.random(in: upper..<4_096, using: &generator)
        }
        return page + Int.random(in: 0..<40, using: &generator)
    }
}
