/// The data file of an LMDB environment, read by the layout in LMDB's sources, for programs that damage it on
/// purpose.
struct DataFile {
    static let pageSize = 4_096

    let bytes: [UInt8]

    var numberOfPages: Int { bytes.count / Self.pageSize }

    func number(at offset: Int, count: Int) -> Int {
        (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }

    /// The offset of the current meta page.
    var newerMeta: Int {
        number(at: 144, count: 8) > number(at: Self.pageSize + 144, count: 8) ? 0 : Self.pageSize
    }

    /// The offsets and numbers of listed free pages for each list, if the tree of free pages is a single
    /// leaf.
    var freeLists: [[(offset: Int, page: Int)]] {
        let meta = newerMeta
        guard number(at: meta + 46, count: 2) == 1 else { return [] }
        let leaf = number(at: meta + 80, count: 8) * Self.pageSize
        return (0..<(number(at: leaf + 12, count: 2) - 16) / 2).compactMap { index in
            let node = leaf + number(at: leaf + 16 + 2 * index, count: 2)
            guard number(at: node + 4, count: 2) == 0 else { return nil }
            let data = node + 16
            return (0..<number(at: data, count: 8)).map {
                (data + 8 + 8 * $0, number(at: data + 8 + 8 * $0, count: 8))
            }
        }
    }

    /// Returns the file with a used page listed as free; nil if no page can be listed without breaking the
    /// order of a list.
    func listingBusyPage(using generator: inout some RandomNumberGenerator) -> [UInt8]? {
        let lists = freeLists
        let free = Set(lists.joined().map(\.page))
        // The last number of a list is its smallest, so any smaller one that is used keeps the order.
        let candidates = lists.compactMap(\.last).flatMap { last in
            (2..<max(2, last.page)).filter { !free.contains($0) }.map { (last.offset, $0) }
        }
        guard let (offset, page) = candidates.randomElement(using: &generator) else { return nil }
        var result = bytes
        result.replaceSubrange(offset..<offset + 8, with: withUnsafeBytes(of: UInt64(page)) { Array($0) })
        return result
    }
}
